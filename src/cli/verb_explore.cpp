#include <fmt/format.h>

#include "cli/channel_options.h"
#include "cli/command_line.h"
#include "cli/derive.h"
#include "cli/inputs.h"
#include "cli/pictures.h"
#include "cli/replacement.h"
#include "cli/verbs.h"
#include "cli/witness.h"
#include "explore/safety.h"
#include "report/progress.h"
#include "report/sequence_chart.h"

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

Subject load_subject(Session& session, const Request& request) {
    Subject subject;
    auto channels = request.channels.read(session, {});
    if (!channels) return subject;
    auto model = load(session, request.file);
    if (!model) return subject;
    if (auto* system = std::get_if<model::System>(&*model)) {
        subject.system = over(*system, *channels);
        return subject;
    }
    subject.protocol = protocol_of(session, std::move(*model), request.file, request.protocol);
    if (subject.protocol) subject.system = derive_system(session, *subject.protocol, *channels);
    return subject;
}

explore::ExploreReport search(Session& session, const Request& request, const model::System& system) {
    report::Progress line(stderr, session.on_terminal());
    explore::ExploreOptions options;
    options.reduce = !request.no_reduction;
    options.compress = request.compress;
    options.jobs = session.options.threads();
    options.limits = session.options.search_limits();
    options.progress = [&](const explore::Progress& p) {
        line.update([&] {
            return fmt::format("{} states, {}/s, {} waiting, depth {}, {} MB",
                               report::short_count(static_cast<double>(p.states)),
                               report::short_count(p.states_per_second),
                               report::short_count(static_cast<double>(p.frontier)), p.depth, p.bytes >> 20);
        });
    };
    return explore::explore(system, options);
}

void fill_result(Session& session, const Subject& subject, const explore::ExploreReport& report) {
    report::Result& result = session.result;
    result.answer = report.answer;
    result.reason = report.reason;
    result.extra["states"] = report.states;
    result.extra["transitions"] = report.transitions;
    result.extra["complete"] = report.complete;
    result.extra["reduced"] = report.reduced;
    result.extra["unsafe"] = report::Json::array();
    result.stats["bytes"] = report.bytes;
    result.stats["depth"] = report.depth;
    result.text = fmt::format("{} states, {} transitions, depth {}{}\n", report.states, report.transitions,
                              report.depth, report.reduced ? " (reduced)" : "");
    if (report.stopped != base::StopReason::none)
        result.bound = {
            {"stopped", base::to_string(report.stopped)}, {"states", report.states}, {"depth", report.depth}};
    const model::Protocol* protocol = subject.protocol ? subject.protocol->protocol : nullptr;
    for (const explore::Unsafe& unsafe : report.unsafe) {
        report::Run run = witness_of(*subject.system, unsafe, protocol, session.sources);
        result.text += run.ending + '\n';
        result.extra["unsafe"].push_back({{"kind", explore::to_string(unsafe.kind)},
                                          {"reason", run.ending},
                                          {"shortest", unsafe.shortest},
                                          {"witness", report::to_json(run)}});
        if (!result.witness) result.witness = std::move(run);
    }
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
    if (!request.output.empty() && session.result.witness &&
        !write_chart(session, report::chart_of(*session.result.witness), request.output))
        return session.finish();
    return session.finish();
}

}  // namespace treaty::cli
