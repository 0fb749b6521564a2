#include "api/run.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_run(Arguments arguments) {
    Session session("run");
    CommandLine line(session);
    api::RunQuestion question;
    line.positional("FILE", question.file, "a script: .schora, .csp");
    if (auto done = line.parse(arguments)) return *done;
    api::RunAnswer answer = session.ask(api::run, question);
    return session.finish(answer, report::own_part(answer));
}

}  // namespace treaty::cli
