#include "api/check.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_check(Arguments arguments) {
    Session session("check");
    CommandLine line(session);
    api::CheckQuestion question;
    line.positionals("FILE", question.files, "any file that Treaty reads");
    line.option("-p,--protocol", "NAME", question.protocol, "only this protocol of the file");
    line.flag("--strict", question.strict,
              "report every choice that a role is not told of, even if it does no harm");
    if (auto done = line.parse(arguments)) return *done;
    api::CheckAnswer answer = session.ask(api::check, question);
    return session.finish(answer, report::own_part(answer));
}

}  // namespace treaty::cli
