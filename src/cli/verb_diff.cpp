#include "api/diff.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_diff(Arguments arguments) {
    Session session("diff");
    CommandLine line(session);
    api::DiffQuestion question;
    std::string output;
    line.positional("OLD", question.before, "a protocol");
    line.positional("NEW", question.after, "a later version of it");
    line.option("-r,--role", "ROLE", question.role, "only ask whether the change concerns this role");
    line.option("-o,--output", "FILE", output,
                "draw the run of the first role that is concerned: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    api::DiffAnswer answer = session.ask(api::diff, question);
    report::Own own = report::own_part(answer);
    session.draw_witness(answer, own, output);
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
