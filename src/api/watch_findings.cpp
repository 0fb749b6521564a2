#include "api/watch_findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/wording.h"
#include "watch/codes.h"

namespace treaty::api {
namespace {

WatchCounts counts_of(const WatchEnd& end) {
    const watch::MonitorCounts& seen = end.monitor.counts();
    WatchCounts counts;
    counts.records = seen.records;
    counts.messages = seen.messages;
    counts.sessions = end.totals.sessions;
    counts.filtered = seen.filtered;
    counts.untimed = seen.untimed;
    counts.garbled = end.merge.garbled();
    counts.left_out = end.merge.left_out();
    counts.late = end.merge.late();
    counts.jumps = end.watcher.clock().jumps();
    counts.duplicated = seen.duplicated;
    counts.orphaned = seen.orphaned;
    counts.sessionless = end.merge.sessionless();
    counts.expired = seen.expired;
    counts.crowded_out = seen.crowded;
    counts.restarted = end.merge.restarts();
    counts.unread = end.merge.unread();
    return counts;
}

// Whether any record was held against the protocol or decided a property.
bool anything_judged(const watch::Totals& totals) {
    return totals.failed > 0 ||
           std::any_of(totals.roles.begin(), totals.roles.end(),
                       [](const watch::RoleState& r) { return r.messages > 0; }) ||
           std::any_of(totals.properties.begin(), totals.properties.end(),
                       [](const watch::VerdictCounts& c) { return c.pass > 0 || c.fail > 0; });
}

// On what the verdict on the whole rests.
std::string assumption(const watch::Monitor& monitor) {
    watch::Order order = monitor.options().order;
    std::string text(watch::assumption(order));
    if (order == watch::Order::causal && !monitor.branches_told())
        text += "; not checked: that all roles chose the same branches";
    if (order == watch::Order::causal && monitor.timed()) text += "; `within`: by the times of each log";
    if (order != watch::Order::causal && monitor.clock_broken())
        text += ", but the logs have no common clock";
    return text;
}

void tell_coverage(const Inquiry& inquiry, const WatchEnd& end, WatchAnswer& answer) {
    const model::Protocol& protocol = *end.input.protocol;
    const model::Alphabet& alphabet = *end.input.specification.alphabet;
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        const model::Node& node = protocol[model::NodeId(i)];
        if (node.kind != model::NodeKind::interaction) continue;
        ++answer.interactions;
        if (end.monitor.covered()[i]) continue;
        answer.missing.push_back({fmt::format("{} -> {}: {}", alphabet.name(node.role),
                                              alphabet.name(node.to), alphabet.name(node.message)),
                                  inquiry.sources().line_number(node.span.file, node.span.begin)});
    }
}

WatchDeviation deviation_of(const watch::Deviation& d, const WatchEnd& end) {
    std::string role = d.role ? std::string(end.input.specification.alphabet->name(d.role)) : std::string();
    return {d.session,  std::move(role), end.logs[d.at.source], d.at.line, d.event, d.reason, d.expected,
            d.limit_ns, d.took_ns};
}

model::RunEvent event_of(const model::Specification& spec, const watch::Seen& seen) {
    model::RunEvent event;
    event.from = spec.alphabet->name(seen.from);
    event.to = spec.alphabet->name(seen.to);
    event.message = seen.message ? std::string(spec.alphabet->name(seen.message)) : seen.name;
    event.direction = seen.side == watch::Side::both   ? model::Direction::both
                      : seen.side == watch::Side::sent ? model::Direction::sent
                                                       : model::Direction::received;
    if (seen.message) model::add_values(event, spec, seen.message, seen.values);
    return event;
}

// The last messages of the session that failed first, the wrong one at the end.
model::Run run_of(const WatchEnd& end) {
    const model::Specification& spec = end.input.specification;
    model::Run run;
    for (model::RoleId role : end.input.protocol->roles()) run.roles.emplace_back(spec.alphabet->name(role));
    for (const watch::Seen& seen : end.totals.history) run.events.push_back(event_of(spec, seen));
    const watch::Deviation& first = end.totals.deviations[0];
    if (!run.events.empty() && !first.missing && end.totals.history.back().at == first.at)
        run.failing = run.events.size() - 1;
    run.ending = first.reason;
    return run;
}

// A log that is not one, or of something else, must not pass for a right one: nothing is claimed about
// anyone.
void nothing_judged(const Inquiry& inquiry, const WatchEnd& end, WatchAnswer& answer) {
    for (const watch::Fault& f : end.merge.faults()) {
        bool known = std::any_of(answer.skipped.begin(), answer.skipped.end(),
                                 [&](const SkippedRecord& one) { return one.reason == f.reason; });
        if (!known) answer.skipped.push_back({end.logs[f.source], f.line, f.reason});
    }
    const WatchCounts& counts = answer.counts;
    std::string others;
    auto add = [&](std::uint64_t n, std::string_view words) {
        if (n > 0) others += fmt::format("{}{} {}", others.empty() ? "" : ", ", n, words);
    };
    add(counts.records - counts.orphaned - counts.duplicated,
        fmt::format("ignored (not in {})", end.input.protocol->name()));
    add(counts.orphaned, "of sessions that had ended");
    add(counts.duplicated, "recorded twice");
    if (!others.empty()) add(counts.garbled, "not understood");
    inquiry.undecided(!others.empty() ? fmt::format("no record was judged: {}", others)
                      : counts.garbled > 0
                          ? fmt::format("no record of the log was understood ({} skipped)", counts.garbled)
                          : "the logs have no records");
}

// Without a field of their own for it, records belong to the session of their connection. A conversation of
// several roles may use several connections, and each of them then seems to be a failing session.
bool split_by_connection(const WatchEnd& end) {
    const watch::Totals& totals = end.totals;
    bool all_heard = std::all_of(totals.roles.begin(), totals.roles.end(),
                                 [](const watch::RoleState& r) { return r.messages > 0; });
    return end.session == "session" && totals.sessions > 1 && !totals.all_in_one && all_heard;
}

std::string session_advice(const model::Specification& specification) {
    std::vector<std::string> fields = watch::SessionRule::fields(specification);
    if (fields.empty()) return "give the records of one conversation the same `session`";
    return fmt::format(
        "if messages carry what tells conversations apart, name that field: --session "
        "field:NAME, with one of {}",
        fmt::join(fields, ", "));
}

void conclude(const Inquiry& inquiry, const WatchEnd& end) {
    const watch::Totals& totals = end.totals;
    std::string_view protocol = end.input.protocol->name();
    bool property_failed = std::any_of(totals.properties.begin(), totals.properties.end(),
                                       [](const watch::VerdictCounts& c) { return c.fail > 0; });
    if (totals.failed > 0) {
        if (split_by_connection(end))
            inquiry
                .report(watch::codes::session_split,
                        "no session has records of all roles, so one conversation may be in several sessions")
                .help(session_advice(end.input.specification));
        return inquiry.fails(fmt::format("{} of {} violate{} {}", totals.failed,
                                         base::counted(totals.sessions, "session"),
                                         totals.failed == 1 ? "s" : "", protocol));
    }
    if (property_failed) return inquiry.fails("a property does not hold");
    if (totals.lost)
        return inquiry.undecided(
            end.monitor.clock_broken() ? "the times of the logs do not come from one clock"
            : end.monitor.counts().holes > 0
                ? "bytes of a stream are missing, or cannot be decoded from where it begins"
                : "too many configurations are possible (--limit-states)");
    if (end.monitor.options().complete && totals.sessions > 0 && totals.incomplete == totals.sessions)
        return inquiry.undecided("no session reached an end of the protocol");
    if (totals.incomplete > 0)
        return inquiry.holds(fmt::format("conforms to {} so far, {} incomplete", protocol,
                                         base::counted(totals.incomplete, "session")));
    inquiry.holds(fmt::format("conforms to {}", protocol));
}

}  // namespace

void tell_findings(const Inquiry& inquiry, const WatchEnd& end, WatchAnswer& answer) {
    const watch::Totals& totals = end.totals;
    const model::Specification& spec = end.input.specification;
    answer.counts = counts_of(end);
    answer.unknown = unknown_kinds(end.merge, end.logs);
    answer.with_data = end.monitor.options().data;
    answer.judged = anything_judged(totals);
    for (std::size_t i = 0; i < totals.roles.size(); ++i) {
        const watch::RoleState& r = totals.roles[i];
        answer.roles.push_back({std::string(spec.alphabet->name(end.input.protocol->roles()[i])),
                                r.messages,
                                {r.failed || r.late, r.lost || !answer.judged, r.incomplete}});
    }
    answer.whole = {totals.failed > 0, totals.lost || !answer.judged, totals.incomplete > 0};
    answer.assumption = assumption(end.monitor);
    for (std::size_t i = 0; i < totals.properties.size(); ++i)
        answer.properties.push_back(
            {std::string(spec.names->text(spec.properties[i].name)), totals.properties[i]});
    tell_coverage(inquiry, end, answer);
    for (const watch::Deviation& d : totals.deviations) answer.deviations.push_back(deviation_of(d, end));
    if (!totals.deviations.empty()) answer.witness = run_of(end);
    if (!answer.judged) return nothing_judged(inquiry, end, answer);
    conclude(inquiry, end);
}

}  // namespace treaty::api
