#include <algorithm>

#include <fmt/format.h>

#include "cli/channel_options.h"
#include "cli/command_line.h"
#include "cli/derive.h"
#include "cli/inputs.h"
#include "cli/pictures.h"
#include "cli/replacement.h"
#include "cli/verbs.h"
#include "cli/witness.h"
#include "explore/judge_safety.h"
#include "report/progress.h"
#include "report/sequence_chart.h"
#include "report/wording.h"
#include "verify/protocol_safety.h"

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
        subject.system = derive_plain_system(session, *subject.protocol, *channels, machine_limits(session));
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

explore::SafetyVerdict search(Session& session, const Request& request, const model::System& system) {
    report::Progress line(stderr, session.on_terminal());
    explore::ExploreOptions options;
    options.reduce = !request.no_reduction;
    options.compress = request.compress;
    options.jobs = session.options.threads();
    options.limits = session.options.search_limits();
    options.progress = shown_on(line, "exploring");
    return explore::judge_safety(system, options);
}

// Data is not run, and messages that cross an interruption are not sorted out: where roles do either, a run that was
// found may be none.
bool contains(const model::Protocol& protocol, std::initializer_list<model::NodeKind> kinds) {
    for (std::size_t i = 0; i < protocol.size(); ++i)
        if (std::find(kinds.begin(), kinds.end(), protocol[model::NodeId(i)].kind) != kinds.end()) return true;
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
        if (result.witness) {
            result.text += "also " + run.ending + '\n';
        } else {
            result.reason = run.ending;
            result.witness = std::move(run);
        }
    }
    if (result.answer != base::Answer::fails || !protocol) return;
    if (contains(*protocol, {model::NodeKind::conditional, model::NodeKind::while_loop})) {
        result.answer = base::Answer::undecided;
        result.reason += " (unless the data, which is left aside, forbids this run)";
    } else if (contains(*protocol, {model::NodeKind::interrupt})) {
        result.answer = base::Answer::undecided;
        result.reason += " (unless the roles sort out messages that cross an interruption)";
    }
}

// A channel that can grow for ever is no fault, but people want to know.
void add_growth(Session& session, const Subject& subject, const explore::SafetyVerdict& verdict) {
    if (!verdict.growth) return;
    const model::Protocol* protocol = subject.protocol ? subject.protocol->protocol : nullptr;
    report::Run run = witness_of(*subject.system, *verdict.growth, protocol, session.sources);
    session.result.extra["growth"] = {{"reason", run.ending}, {"witness", report::to_json(run)}};
    session.result.text += run.ending;
    if (verdict.exact_bound)
        session.result.text += fmt::format("; a capacity of {} shows everything that can happen", *verdict.bound);
    session.result.text += "\nwith --bound N a channel holds at most N messages, and its sender waits\n";
}

void fill_result(Session& session, const Subject& subject, const explore::SafetyVerdict& verdict) {
    report::Result& result = session.result;
    const explore::ExploreReport& report = verdict.report;
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
    add_growth(session, subject, verdict);
}

// The second half of the question, for what is safe: does the system do only what the protocol allows?
void judge_words(Session& session, const Subject& subject, const explore::SafetyVerdict& verdict) {
    report::Result& result = session.result;
    if (!subject.protocol || result.answer != base::Answer::holds) return;
    report::Progress line(stderr, session.on_terminal());
    verify::SafetyOptions options;
    options.jobs = session.options.threads();
    options.limits = session.options.search_limits();
    options.progress = shown_on(line, "comparing");
    const model::Protocol& protocol = *subject.protocol->protocol;
    model::System system = verdict.exact_bound
                               ? explore::with_channels(*subject.system, {model::Mode::fifo, verdict.bound})
                               : *subject.system;
    auto report = verify::realizes(subject.protocol->specification, protocol, system, options);
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
    explore::SafetyVerdict verdict = search(session, request, *subject.system);
    fill_result(session, subject, verdict);
    judge_words(session, subject, verdict);
    if (!draw_witness(session, request.output)) session.result.answer.reset();
    return session.finish();
}

}  // namespace treaty::cli
