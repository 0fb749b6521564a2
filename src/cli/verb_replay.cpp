#include <cstdio>

#include <fmt/format.h>

#include "api/replay.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"
#include "report/answers/test_report.h"

namespace treaty::cli {

int verb_replay(Arguments arguments) {
    Session session("replay");
    CommandLine line(session);
    api::ReplayQuestion question;
    std::string output;
    line.positional(
        "RUN", question.run,
        "the number of a kept failure, or a file that treaty test --save has written (default: all "
        "kept failures)",
        Needed::no);
    line.option("--store", "FILE", question.store, "where failures are kept (default: treaty-failures.db)");
    line.option("--run", "COMMAND", question.command, "start the component with this command instead");
    line.option("--env", "NAME=VALUE", question.surroundings.variables,
                "an environment variable of the component; repeatable");
    line.option("--dir", "FOLDER", question.surroundings.directory, "the working directory of the component");
    line.option("--forget", "N", question.forget, "drop failure N");
    line.option("-o,--output", "FILE", output, "draw the run: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    question.component.waiting = [](const std::string& where, std::chrono::milliseconds at_most) {
        fmt::print(stderr, "treaty: {}\n", report::waiting_line(where, at_most));
    };
    api::ReplayAnswer answer = session.ask(api::replay, question);
    report::Own own = report::own_part(answer);
    if (answer.witness) session.draw_witness(answer, own, output);
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
