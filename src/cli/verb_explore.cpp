#include <fmt/format.h>

#include "cli/channel_options.h"
#include "cli/command_line.h"
#include "cli/derive.h"
#include "cli/inputs.h"
#include "cli/pictures.h"
#include "cli/realizes.h"
#include "cli/replacement.h"
#include "cli/verbs.h"
#include "cli/witness.h"
#include "explore/safety.h"
#include "report/progress.h"
#include "report/sequence_chart.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

struct Request {
    std::string file, protocol, output;
    std::vector<std::string> replace;
    ChannelOptions channels;
    bool no_reduction = false;
    bool compress = false;
};

// The system that is asked about, and the protocol that it was projected from, if any.
struct Subject {
    std::optional<ProtocolInput> protocol;
    std::optional<model::System> system;
};

// --limit-states counts configurations here, not the states of a machine.
choreo::MachineLimits machine_limits(const Session& session) {
    choreo::MachineLimits limits = session.options.machine_limits();
    limits.states = choreo::MachineLimits{}.states;
    return limits;
}

Subject load_subject(Session& session, const Request& request) {
    Subject subject;
    auto channels = request.channels.read(session, {});
    if (!channels) return subject;
    Loaded loaded = load(session, request.file);
    if (!loaded) return subject;
    if (auto* system = loaded.get<model::System>()) {
        subject.system = over(*system, *channels);
        return subject;
    }
    subject.protocol = protocol_of(session, std::move(loaded), request.file, request.protocol);
    if (subject.protocol)
        subject.system = derive_system(session, *subject.protocol, *channels, machine_limits(session));
    return subject;
}

explore::ProgressCallback shown_on(report::Progress& line, std::string_view what) {
    return [&line, what](const explore::Progress& p) {
        line.update([&] {
            return fmt::format("{}: {} states, {}/s, {} waiting, depth {}, {} MB", what,
                               report::short_count(static_cast<double>(p.states)),
                               report::short_count(p.states_per_second),
                               report::short_count(static_cast<double>(p.frontier)), p.depth, p.bytes >> 20);
        });
    };
}

explore::ExploreReport search(Session& session, const Request& request, const model::System& system) {
    report::Progress line(stderr, session.on_terminal());
    explore::ExploreOptions options;
    options.reduce = !request.no_reduction;
    options.compress = request.compress;
    options.jobs = session.options.threads();
    options.limits = session.options.search_limits();
    options.progress = shown_on(line, "exploring");
    return explore::explore(system, options);
}

// Data is not run: where roles decide by it, a run that was found may be one that the data forbids.
bool decides_by_data(const model::Protocol& protocol) {
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        model::NodeKind kind = protocol[model::NodeId(i)].kind;
        if (kind == model::NodeKind::conditional || kind == model::NodeKind::while_loop) return true;
    }
    return false;
}

void add_unsafe(Session& session, const Subject& subject, const explore::ExploreReport& report) {
    report::Result& result = session.result;
    const model::Protocol* protocol = subject.protocol ? subject.protocol->protocol : nullptr;
    result.extra["unsafe"] = report::Json::array();
    for (const explore::Unsafe& unsafe : report.unsafe) {
        report::Run run = witness_of(*subject.system, unsafe, protocol, session.sources);
        result.extra["unsafe"].push_back({{"kind", explore::to_string(unsafe.kind)},
                                          {"reason", run.ending},
                                          {"shortest", unsafe.shortest},
                                          {"witness", report::to_json(run)}});
        if (unsafe.kind == explore::UnsafeKind::unbounded_channel)
            result.text += "with --bound N a channel holds at most N messages, and its sender waits\n";
        if (result.witness) {
            result.text += "also " + run.ending + '\n';
        } else {
            result.reason = run.ending;
            result.witness = std::move(run);
        }
    }
    if (result.answer == base::Answer::fails && protocol && decides_by_data(*protocol)) {
        result.answer = base::Answer::undecided;
        result.reason += " (unless the data, which is left aside, forbids this run)";
    }
}

void fill_result(Session& session, const Subject& subject, const explore::ExploreReport& report) {
    report::Result& result = session.result;
    result.answer = report.answer;
    result.reason = report.reason;
    result.extra["states"] = report.states;
    result.extra["transitions"] = report.transitions;
    result.extra["complete"] = report.complete;
    result.extra["reduced"] = report.reduced;
    result.stats["bytes"] = report.bytes;
    result.stats["depth"] = report.depth;
    result.text = fmt::format("{}, {}, depth {}{}\n", report::counted(report.states, "state"),
                              report::counted(report.transitions, "transition"), report.depth,
                              report.reduced ? " (reduced)" : "");
    if (report.stopped != base::StopReason::none)
        result.bound = {
            {"stopped", base::to_string(report.stopped)}, {"states", report.states}, {"depth", report.depth}};
    add_unsafe(session, subject, report);
}

// The second half of the question, for what is safe: does the system do only what the protocol allows?
void judge_words(Session& session, const Subject& subject) {
    report::Result& result = session.result;
    if (!subject.protocol || result.answer != base::Answer::holds) return;
    report::Progress line(stderr, session.on_terminal());
    auto report = realizes(session, *subject.system, *subject.protocol, shown_on(line, "comparing"));
    const model::Protocol& protocol = *subject.protocol->protocol;
    if (report.answer == base::Answer::holds) {
        result.extra["realizes"] = true;
        result.reason += fmt::format(", and every run is one of {}", protocol.name());
    } else if (report.answer == base::Answer::fails) {
        result.extra["realizes"] = false;
        result.answer = base::Answer::fails;
        result.reason = fmt::format("a run that {} does not allow", protocol.name());
        result.witness = run_of(*subject.system, report.run, &protocol, session.sources);
        if (!report.run.empty()) result.witness->failing = report.run.size() - 1;
        result.witness->ending = result.reason;
    } else {
        result.extra["realizes"] = nullptr;
        result.extra["realizes_reason"] = report.reason;
        result.text += fmt::format("not compared with {}: {}\n", protocol.name(), report.reason);
    }
}

bool draw_witness(Session& session, const std::string& output) {
    if (output.empty()) return true;
    if (!session.result.witness) {
        session.result.text += fmt::format("nothing went wrong, so {} is not written\n", output);
        return true;
    }
    return write_chart(session, report::chart_of(*session.result.witness), output);
}

}  // namespace

int verb_explore(Arguments arguments) {
    Session session("explore");
    CommandLine line(session);
    Request request;
    line.positional("FILE", request.file, "a protocol, or machines");
    line.option("-p,--protocol", "NAME", request.protocol, "which protocol of the file (default: the last)");
    request.channels.add_to(line);
    line.option("--replace", "ROLE=FILE", request.replace, "use the role's machine from this file instead");
    line.flag("--no-reduction", request.no_reduction, "visit every interleaving");
    line.flag("--compress", request.compress, "slower, with a third of the memory");
    line.option("-o,--output", "FILE", request.output, "draw the run that leads to the fault: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.file};
    Subject subject = load_subject(session, request);
    if (subject.system && !request.replace.empty())
        subject.system = replace_machines(session, *subject.system, request.replace);
    if (!subject.system || !session.diagnostics.ok()) return session.finish();
    fill_result(session, subject, search(session, request, *subject.system));
    judge_words(session, subject);
    if (!draw_witness(session, request.output)) session.result.answer.reset();
    return session.finish();
}

}  // namespace treaty::cli
