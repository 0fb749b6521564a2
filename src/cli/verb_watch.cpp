#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "base/file.h"
#include "base/hash.h"
#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/verbs.h"
#include "cli/watch_report.h"
#include "cli/wire_inputs.h"
#include "model/wire_shapes.h"
#include "report/wording.h"
#include "watch/codes.h"
#include "watch/metrics.h"
#include "watch/property_check.h"
#include "watch/watcher.h"
#include "wire/codec.h"

namespace treaty::cli {
namespace {

struct Request {
    std::string file, protocol, order = "causal", session = "session", wire, verdicts, state;
    std::string idle, expire, metrics;
    std::vector<std::string> from, map;
    std::optional<std::uint64_t> sessions;
    bool no_data = false, follow = false, check = false, live = false, complete = false;
};

std::optional<watch::Order> order_of(Session& session, const std::string& name) {
    auto order = watch::order_named(name);
    if (!order) session.report(watch::codes::order_unknown, fmt::format("there is no order called {}", name));
    return order;
}

model::RoleId role_named(Session& session, const watch::Vocabulary& vocabulary, const std::string& name) {
    model::RoleId role = vocabulary.role(name);
    if (!role) session.report(watch::codes::role_unknown, fmt::format("the protocol has no role {}", name));
    return role;
}

void read_map(Session& session, const Request& request, watch::Vocabulary& vocabulary) {
    for (const std::string& entry : request.map) {
        auto equals = entry.rfind('=');
        std::string name = equals == std::string::npos ? entry : entry.substr(equals + 1);
        model::RoleId role = role_named(session, vocabulary, name);
        if (role && equals != std::string::npos) vocabulary.map_address(entry.substr(0, equals), role);
    }
}

std::int64_t duration_of(Session& session, const std::string& text) {
    if (text.empty()) return 0;
    auto duration = base::parse_duration(text);
    if (!duration) session.report(watch::codes::duration_unclear, fmt::format("{} is not a duration", text));
    return duration ? duration->count() : 0;
}

// What bytes are decoded by, where the protocol has a wire.
struct Decoding {
    std::vector<wire::MessageShape> shapes;
    std::optional<wire::Codec> codec;

    Decoding(Session& session, const model::Specification& specification, const std::string& name) {
        if (specification.wires.empty() && name.empty()) return;
        const wire::Wire* wire = choose_wire(session, specification, name);
        shapes = model::wire_shapes(specification);
        if (wire) codec.emplace(*specification.pool, *wire, shapes);
    }
};

// Opens FILE or ROLE=FILE, each.
std::vector<std::unique_ptr<watch::Source>> open_sources(Session& session, const Request& request,
                                                         const watch::Vocabulary& vocabulary,
                                                         const Decoding& decoding,
                                                         std::vector<std::string>& names) {
    std::vector<std::unique_ptr<watch::Source>> sources;
    for (const std::string& entry : request.from) {
        auto equals = entry.find('=');
        std::string path = equals == std::string::npos ? entry : entry.substr(equals + 1);
        watch::SourceOptions options;
        options.follow = request.follow;
        options.codec = decoding.codec ? &*decoding.codec : nullptr;
        if (equals != std::string::npos)
            options.owner = role_named(session, vocabulary, entry.substr(0, equals));
        std::string fault;
        auto source = watch::open_source(path, vocabulary, options, fault);
        if (!source) {
            session.report(watch::codes::log_unreadable, fmt::format("{}: {}", path, fault));
            continue;
        }
        if (!request.state.empty() && !source->can_resume())
            session.report(watch::codes::state_unusable,
                           fmt::format("{}: what it gives cannot be read again after a restart", path));
        sources.push_back(std::move(source));
        names.push_back(path);
    }
    return sources;
}

// What a state belongs to: the protocol's text, imports included, and everything that changes verdicts.
std::string identity_of(const Session& session, const Request& request, const ProtocolInput& input) {
    std::string text = input.digest;
    for (const std::string* part : {&request.protocol, &request.order, &request.session, &request.wire,
                                    &request.expire, &request.verdicts})
        text += fmt::format("\n{}", *part);
    for (const auto* list : {&request.from, &request.map})
        for (const std::string& entry : *list) text += fmt::format("\n{}", entry);
    text += fmt::format("\n{} {} {}", request.no_data, request.sessions.value_or(0),
                        session.options.states.value_or(0));
    return fmt::format("{:016x}", base::hash_bytes(text));
}

void report_faults(Session& session, const watch::Merge& merge, const std::vector<std::string>& names) {
    for (const watch::Fault& f : merge.faults())
        session.report(watch::codes::record_garbled,
                       fmt::format("{}:{}: {}", names[f.source], f.line, f.reason));
    if (merge.clock_missing())
        session.report(watch::codes::clock_missing,
                       "a record has no time, and the order asks for a common clock");
}

// Everything that did not go straight, counted.
void fill_counts(Session& session, const watch::Watcher& watcher, const watch::Monitor& monitor,
                 const watch::Merge& merge, const watch::Totals& totals, bool data) {
    report::Result& result = session.result;
    const watch::MonitorCounts& counts = monitor.counts();
    result.text = fmt::format("{} in {}, {} filtered out", report::counted(counts.messages, "message"),
                              report::counted(totals.sessions, "session"), counts.filtered);
    auto note = [&](const char* field, std::uint64_t n, std::string_view words) {
        result.extra[field] = n;
        if (n > 0 && !words.empty()) result.text += fmt::format(", {} {}", n, words);
    };
    result.extra["messages"] = counts.messages;
    result.extra["sessions"] = totals.sessions;
    result.extra["filtered"] = counts.filtered;
    note("garbled", merge.garbled(), "not understood");
    note("late", merge.late(), "with a time before the last");
    note("jumps", watcher.clock().jumps(), "with a time far ahead");
    note("duplicated", counts.duplicated, "recorded twice");
    note("orphaned", counts.orphaned, "of sessions that had ended");
    note("sessionless", merge.sessionless(), "without what tells sessions apart");
    note("expired", counts.expired, "");
    note("crowded_out", counts.crowded, "");
    note("restarted", merge.restarts(), "");
    note("behind", merge.behind(), "bytes not read");
    if (!data) result.text += ", without data";
    result.text += '\n';
}

// One line on standard error that says how it goes, a few times a second.
class LiveView {
public:
    explicit LiveView(bool on) : on_(on) {}
    void show(const watch::Watcher& watcher, const watch::Monitor& monitor, const watch::Merge& merge,
              bool last = false) {
        auto now = std::chrono::steady_clock::now();
        if (!on_ || (!last && now - shown_ < std::chrono::milliseconds(250))) return;
        double seconds = std::chrono::duration<double>(now - shown_).count();
        double rate = shown_.time_since_epoch().count() == 0
                          ? 0
                          : static_cast<double>(monitor.counts().messages - messages_) / seconds;
        shown_ = now;
        messages_ = monitor.counts().messages;
        fmt::print(stderr,
                   "\r\x1b[K{} messages, {:.0f}/s, {} live, {} ended, {} failed, {} garbled, {} bytes behind",
                   messages_, rate, monitor.sessions(), watcher.totals().sessions, watcher.totals().failed + monitor.failing(),
                   merge.garbled(), merge.behind());
        if (last) fmt::print(stderr, "\n");
        std::fflush(stderr);
    }

private:
    bool on_;
    std::chrono::steady_clock::time_point shown_{};
    std::uint64_t messages_ = 0;
};

struct Prepared {
    watch::MonitorOptions monitoring;
    watch::WatcherOptions watching;
    watch::SessionRule rule;
};

Prepared prepare(Session& session, const Request& request, const ProtocolInput& input, watch::Order order) {
    Prepared p;
    p.monitoring.order = order;
    p.monitoring.data = !request.no_data;
    p.monitoring.complete = request.complete;
    p.monitoring.session_limit = request.sessions.value_or(0);
    p.monitoring.expire_ns = duration_of(session, request.expire);
    if (session.options.states) p.monitoring.tracking.limit = *session.options.states;
    p.watching.follow = request.follow;
    p.watching.idle_ns = duration_of(session, request.idle);
    p.watching.verdicts = request.verdicts;
    p.watching.state = request.state;
    p.watching.identity = identity_of(session, request, input);
    if (auto rule = watch::SessionRule::parse(request.session))
        p.rule = *rule;
    else
        session.report(watch::codes::rule_unknown,
                       fmt::format("sessions cannot be told apart by {}", request.session));
    return p;
}

void observe(Session& session, const Request& request, const ProtocolInput& input, watch::Order order) {
    watch::Vocabulary vocabulary(input.specification, *input.protocol);
    read_map(session, request, vocabulary);
    Decoding decoding(session, input.specification, request.wire);
    std::vector<std::string> names;
    auto sources = open_sources(session, request, vocabulary, decoding, names);
    Prepared p = prepare(session, request, input, order);
    for (const auto& source : sources) p.monitoring.data = p.monitoring.data && source->has_data();
    if (!session.diagnostics.ok()) return;
    auto monitor = watch::Monitor::make(input.specification, *input.protocol, p.monitoring);
    if (!monitor) {
        session.report(watch::codes::log_unreadable, "the protocol has no net");
        return;
    }
    watch::Merge merge(std::move(sources), order != watch::Order::causal, input.specification, p.rule);
    watch::Watcher watcher(input.specification, *input.protocol, *monitor, merge, names, p.monitoring,
                           p.watching);
    std::string fault;
    if (!watcher.begin(fault)) {
        session.report(watch::codes::state_unusable, fault);
        return;
    }
    const base::Deadline& deadline = session.options.deadline;
    std::unique_ptr<watch::MetricsServer> metrics;
    if (!request.metrics.empty()) {
        metrics = watch::MetricsServer::open(request.metrics, fault);
        if (!metrics) {
            session.report(watch::codes::metrics_unserved, fault);
            session.result.world_failed = true;
            return;
        }
        fmt::print(stderr, "metrics at port {}\n", metrics->port());
    }
    LiveView view(request.live);
    watcher.run([&] {
        if (metrics && metrics->asked())
            metrics->answer(
                watch::metrics_text(watcher, *monitor, merge, input.specification, *input.protocol));
        view.show(watcher, *monitor, merge);
        return !base::interrupt_flag() && !deadline.passed();
    });
    bool written = watcher.fault().empty() && watcher.commit(fault);
    if (!written) {
        session.report(watch::codes::state_unusable, watcher.fault().empty() ? fault : watcher.fault());
        session.result.world_failed = true;
        return;
    }
    report_faults(session, merge, names);
    if (!session.diagnostics.ok()) return;
    const watch::Totals& totals = watcher.finish();
    view.show(watcher, *monitor, merge, true);  // with the sessions that ended just now
    fill_counts(session, watcher, *monitor, merge, totals, p.monitoring.data);
    fill_watch_result(session, input, *monitor, merge, totals, order, names);
}

// Algorithm 9 of 001: what the protocol says of its properties, without any log.
void check_properties(Session& session, const ProtocolInput& input) {
    const model::Specification& spec = input.specification;
    report::Result& result = session.result;
    watch::PropertyCheckLimits limits;
    if (session.options.states) limits.paths = *session.options.states;
    limits.deadline = session.options.deadline;
    std::size_t wrong = 0, unknown = 0;
    result.extra["properties"] = report::Json::array();
    for (std::uint32_t i = 0; i < spec.properties.size(); ++i) {
        std::string_view name = spec.names->text(spec.properties[i].name);
        watch::PropertyStanding standing = watch::check_property(spec, *input.protocol, i, limits);
        wrong +=
            standing.standing == watch::Standing::violated || standing.standing == watch::Standing::vacuous;
        unknown += standing.standing == watch::Standing::undecided;
        result.text +=
            fmt::format("property {}: {}: {}\n", name, to_string(standing.standing), standing.reason);
        report::Run run = run_of(input, standing);
        result.extra["properties"].push_back({{"name", name},
                                              {"standing", to_string(standing.standing)},
                                              {"reason", standing.reason},
                                              {"run", report::to_json(run)}});
        if (standing.standing == watch::Standing::violated && !result.witness) {
            run.ending = fmt::format("here {} is broken", name);
            result.witness = std::move(run);
        }
    }
    if (spec.properties.empty()) session.report(watch::codes::log_unreadable, "the file has no property");
    result.answer = wrong > 0     ? base::Answer::fails
                    : unknown > 0 ? base::Answer::undecided
                                  : base::Answer::holds;
    result.reason = wrong > 0 ? fmt::format("{} of {} properties not correct", wrong, spec.properties.size())
                    : unknown > 0
                        ? fmt::format("{} of {} properties not decided", unknown, spec.properties.size())
                        : "every property is correct";
}

}  // namespace

int verb_watch(Arguments arguments) {
    Session session("watch");
    CommandLine line(session);
    Request request;
    line.positional("FILE", request.file, "a protocol");
    line.option("--from", "LOG", request.from,
                "a log, or ROLE=LOG for the log of one role; - is standard input. Repeat it for each log");
    line.option("--map", "ADDRESS=ROLE", request.map, "which role an address in the logs belongs to");
    line.option("--order", "ORDER", request.order,
                "of the whole: causal (default), or by a common clock: sending, reception, both, disjoint, "
                "overlap");
    line.option("--session", "RULE", request.session,
                "what tells sessions apart: session (default; else the connection), id, or field:NAME");
    line.option("--wire", "NAME", request.wire, "which wire bytes are decoded by (default: the last)");
    line.flag("--no-data", request.no_data, "look at the messages only, not at their data");
    line.flag("--check-properties", request.check,
              "no logs: whether the protocol allows, breaks or never decides each property");
    line.flag("--complete", request.complete,
              "the logs hold whole sessions: a message that is due at the end never came");
    line.flag("--follow", request.follow, "go on as the logs grow");
    line.option("--idle", "TIME", request.idle, "end following after so long without a record");
    line.option("--verdicts", "FILE", request.verdicts,
                "write each verdict as it falls, a JSON line each; - is standard output");
    line.option("--state", "FILE", request.state, "keep what was judged, to go on after a restart");
    line.flag("--live", request.live, "show how it goes on standard error");
    line.option("--metrics", "ADDRESS", request.metrics,
                "serve counters in Prometheus text format at this local HOST:PORT");
    line.option("--expire", "TIME", request.expire, "end sessions that were silent for so long");
    line.option("--limit-sessions", "N", request.sessions,
                "live sessions at most; the one that was silent for longest ends first");
    line.option("-p,--protocol", "NAME", request.protocol, "which protocol of the file (default: the last)");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.file};
    session.result.inputs.insert(session.result.inputs.end(), request.from.begin(), request.from.end());
    auto order = order_of(session, request.order);
    auto input = load_protocol(session, request.file, request.protocol);
    if (input && request.check && request.from.empty()) {
        check_properties(session, *input);
        return session.finish();
    }
    if (request.from.empty()) session.report(watch::codes::log_unreadable, "no log is given: --from LOG");
    if (!order || !input || !session.diagnostics.ok()) return session.finish();
    observe(session, request, *input, *order);
    return session.finish();
}

}  // namespace treaty::cli
