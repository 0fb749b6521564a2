#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/pictures.h"
#include "cli/run_file.h"
#include "cli/verbs.h"
#include "report/sequence_chart.h"

namespace treaty::cli {

int verb_replay(Arguments arguments) {
    Session session("replay");
    CommandLine line(session);
    std::string file, output, command;
    line.positional("RUN", file, "a run that treaty test has saved");
    line.option("--run", "COMMAND", command, "start the component with this instead");
    line.option("-o,--output", "FILE", output, "draw the run here: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {file};
    auto saved = read_run(session, file);
    if (!saved) return session.finish();
    if (!command.empty()) saved->request.command = command;
    auto input = load_protocol(session, saved->request.file, saved->request.protocol);
    if (!input) return session.finish();
    auto roles = choose_roles(session, input->specification, *input->protocol, saved->request.cut);
    auto exchanges = roles ? exchanges_of(session, *saved, input->specification) : std::nullopt;
    if (!exchanges) return session.finish();
    auto tester = make_tester(session, saved->request, *input, (*roles)[0]);
    if (!tester) return session.finish();
    drive::Outcome outcome = tester->replay(*exchanges);
    report::Result& result = session.result;
    result.extra["messages"] = outcome.exchanges.size();
    if (outcome.problem == drive::Problem::did_not_start) {
        session.report(codes::component_failed, outcome.reason);
        result.world_failed = true;
        return session.finish();
    }
    report::Run run = run_of(outcome, input->specification, *input->protocol, (*roles)[0], session.sources);
    if (!output.empty() && !write_chart(session, report::chart_of(run), output)) return session.finish();
    result.witness = std::move(run);
    result.extra["failure"] = outcome.verdict == drive::Verdict::fail
                                  ? report::Json{{"problem", drive::to_string(outcome.problem)}, {"reason", outcome.reason}}
                                  : report::Json();
    if (outcome.verdict == drive::Verdict::fail) return session.fails("FAILED: " + result.witness->ending);
    if (outcome.verdict == drive::Verdict::pass) return session.holds("FIXED: the component does what the protocol says");
    result.answer = base::Answer::undecided;
    result.reason = outcome.reason;
    return session.finish();
}

}  // namespace treaty::cli
