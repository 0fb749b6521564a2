#include <cstdio>

#include <fmt/format.h>

#include "api/simulate.h"
#include "cli/command_line.h"
#include "cli/time_option.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_simulate(Arguments arguments) {
    Session session("simulate");
    CommandLine line(session);
    api::SimulateQuestion question;
    std::optional<std::uint64_t> sessions;
    std::string think, silence, output;
    line.positional("FILE", question.file, "a protocol");
    line.option("--role", "ROLE", question.role, "the role to play", Needed::yes);
    line.option("--via", "[ROLE=]ADDRESS", question.via,
                "the address: tcp-listen://HOST:PORT, or any other that treaty test supports");
    line.option("--run", "COMMAND", question.command,
                "start the other side; {port} is a free port, {tmp} a temporary folder");
    line.option("--env", "NAME=VALUE", question.surroundings.variables,
                "an environment variable of the command; repeatable");
    line.option("--dir", "FOLDER", question.surroundings.directory, "the working directory of the command");
    line.option("-p,--protocol", "NAME", question.protocol, "which protocol of the file (default: the last)");
    line.option("--wire", "NAME", question.wire,
                "which wire of the file (default: the last; JSON if there is none)");
    line.option("--sessions", "N", sessions, "number of conversations; 0: until stopped (default: 1)");
    line.option("--think", "TIME", think, "how long to wait for the others before sending (default: 200ms)");
    line.option("--silence", "TIME", silence, "end after this long without a message (default: never)");
    line.option("-o,--output", "FILE", output, "draw the last conversation: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {question.file};
    std::optional<std::chrono::milliseconds> thinking, quiet;
    if (!read_time(session, "--think", think, thinking) || !read_time(session, "--silence", silence, quiet))
        return session.finish();
    question.sessions = sessions.value_or(question.sessions);
    question.think = thinking.value_or(question.think);
    question.silence = quiet.value_or(question.silence);
    question.tell = [&](const api::SimulateNews& news) {
        fmt::print(stderr, "{}: {}\n", question.role, report::line_of(news));
        std::fflush(stderr);
    };
    api::SimulateAnswer answer = session.ask(api::simulate, question);
    report::Own own = report::own_part(answer);
    if (answer.witness) session.draw_witness(answer, own, output);
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
