#include "api/conform.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_conform(Arguments arguments) {
    Session session("conform");
    CommandLine line(session);
    api::ConformQuestion question;
    line.positional("IMPL", question.implementation, "a protocol, a machine, or machines that step together");
    line.positional("SPEC", question.specification, "what it should conform to");
    line.option("-p,--protocol", "NAME", question.specification_protocol,
                "which protocol of SPEC (default: the last)");
    line.option("--impl", "NAME", question.implementation_protocol,
                "which protocol of IMPL (default: the last)");
    if (auto done = line.parse(arguments)) return *done;
    api::ConformAnswer answer = session.ask(api::conform, question);
    return session.finish(answer, report::own_part(answer));
}

}  // namespace treaty::cli
