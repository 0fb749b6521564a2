#include "cli/watch_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/wire_inputs.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

std::string verdict_text(bool failed, bool lost, bool incomplete) {
    return std::string(failed ? "fail" : lost ? "undecided" : "pass") + (incomplete ? ", incomplete" : "");
}

report::Json verdict_json(bool failed, bool lost, bool incomplete) {
    return {{"verdict", failed ? "fail" : lost ? "undecided" : "pass"}, {"incomplete", incomplete}};
}

report::Json to_json(const watch::Deviation& d, const model::Alphabet& alphabet,
                     const std::vector<std::string>& names) {
    report::Json result = {{"session", d.session},  {"role", nullptr},  {"source", names[d.at.source]},
                           {"line", d.at.line},     {"event", d.event}, {"reason", d.reason},
                           {"expected", d.expected}};
    if (d.role) result["role"] = alphabet.name(d.role);
    return result;
}

std::string print(const watch::Deviation& d, const model::Alphabet& alphabet,
                  const std::vector<std::string>& names) {
    std::string text =
        fmt::format("{}:{}: {}{}: {}", names[d.at.source], d.at.line,
                    d.role ? fmt::format("{}: ", alphabet.name(d.role)) : "", d.event, d.reason);
    if (!d.session.empty()) text += fmt::format(" (session {})", d.session);
    text += '\n';
    for (std::size_t i = 0; i < d.expected.size(); ++i)
        text += fmt::format("{} {}\n", i == 0 ? "  expected:" : "        or:", d.expected[i]);
    return text;
}

// The last messages of the session that failed first, the wrong one at the end.
report::Run run_of(const ProtocolInput& input, const watch::Totals& totals) {
    const model::Specification& spec = input.specification;
    report::Run run;
    for (model::RoleId role : input.protocol->roles()) run.roles.emplace_back(spec.alphabet->name(role));
    for (const watch::Seen& r : totals.history) {
        report::RunEvent event;
        event.from = spec.alphabet->name(r.from);
        event.to = spec.alphabet->name(r.to);
        event.message = r.message ? std::string(spec.alphabet->name(r.message)) : r.name;
        event.direction = r.side == watch::Side::both   ? report::Direction::both
                          : r.side == watch::Side::sent ? report::Direction::sent
                                                        : report::Direction::received;
        for (std::size_t i = 0; i < r.values.size(); ++i) {
            const expr::Field& field = spec.message(r.message).fields[i];
            event.data[std::string(spec.names->text(field.name))] =
                cli::to_json(spec, field.type, r.values[i]);
        }
        run.events.push_back(std::move(event));
    }
    const watch::Deviation& first = totals.deviations[0];
    if (!run.events.empty() && !first.missing && totals.history.back().at == first.at) run.failing = run.events.size() - 1;
    run.ending = first.reason;
    return run;
}

// On what the verdict on the whole rests.
std::string assumption(const watch::Monitor& monitor, watch::Order order) {
    std::string text(watch::assumption(order));
    if (order == watch::Order::causal && !monitor.branches_told())
        text += "; and that all roles take the same branches, which this protocol does not see to";
    if (order != watch::Order::causal && monitor.clock_broken()) text += ", which is seen not to be common";
    return text;
}

// How much of the protocol the traffic has shown: interactions, by their lines.
void fill_coverage(Session& session, const ProtocolInput& input, const watch::Monitor& monitor) {
    report::Result& result = session.result;
    const model::Protocol& protocol = *input.protocol;
    std::size_t total = 0, covered = 0;
    report::Json missing = report::Json::array();
    std::string lines;
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        const model::Node& node = protocol[model::NodeId(i)];
        if (node.kind != model::NodeKind::interaction) continue;
        ++total;
        if (monitor.covered()[i]) {
            ++covered;
            continue;
        }
        const model::Alphabet& alphabet = *input.specification.alphabet;
        std::string step = fmt::format("{} -> {}: {}", alphabet.name(node.role), alphabet.name(node.to),
                                       alphabet.name(node.message));
        std::uint32_t line = session.sources.line_number(node.span.file, node.span.begin);
        missing.push_back({{"event", step}, {"line", line}});
        if (missing.size() <= 10) lines += fmt::format("  not seen: {} (line {})\n", step, line);
    }
    result.extra["coverage"] = {{"covered", covered}, {"total", total}, {"missing", missing}};
    result.text +=
        fmt::format("coverage: {} of {}\n{}", covered, report::counted(total, "interaction"), lines);
}

// Whether any record was held against the protocol or decided a property.
bool anything_judged(const watch::Totals& totals) {
    return totals.failed > 0 ||
           std::any_of(totals.roles.begin(), totals.roles.end(),
                       [](const watch::RoleState& r) { return r.messages > 0; }) ||
           std::any_of(totals.properties.begin(), totals.properties.end(),
                       [](const watch::VerdictCounts& c) { return c.pass > 0 || c.fail > 0; });
}

// A log that is none, or of something else, must not pass for a right one: nothing is claimed about anyone.
void fill_nothing_judged(Session& session, const ProtocolInput& input, const watch::Monitor& monitor,
                         const watch::Merge& merge, const std::vector<std::string>& names) {
    report::Result& result = session.result;
    result.text.clear();
    result.extra["skipped"] = report::Json::array();
    std::vector<std::string> told;
    for (const watch::Fault& f : merge.faults()) {
        if (std::find(told.begin(), told.end(), f.reason) != told.end()) continue;
        told.push_back(f.reason);
        result.extra["skipped"].push_back(
            {{"source", names[f.source]}, {"line", f.line}, {"reason", f.reason}});
        result.text += fmt::format("skipped: {}:{}: {}\n", names[f.source], f.line, f.reason);
    }
    const watch::MonitorCounts& counts = monitor.counts();
    std::string others;
    auto add = [&](std::uint64_t n, std::string_view words) {
        if (n > 0) others += fmt::format("{}{} {}", others.empty() ? "" : ", ", n, words);
    };
    add(counts.messages - counts.orphaned - counts.duplicated,
        fmt::format("ignored (not in {})", input.protocol->name()));
    add(counts.orphaned, "of sessions that had ended");
    add(counts.duplicated, "recorded twice");
    if (!others.empty()) add(merge.garbled(), "not understood");
    result.answer = base::Answer::undecided;
    result.reason = !others.empty() ? fmt::format("no record was judged: {}", others)
                    : merge.garbled() > 0
                        ? fmt::format("no record of the log was understood ({} skipped)", merge.garbled())
                        : "the logs have no records";
}

void fill_roles(Session& session, const ProtocolInput& input, const watch::Totals& totals, bool judged) {
    report::Result& result = session.result;
    const model::Alphabet& alphabet = *input.specification.alphabet;
    result.extra["roles"] = report::Json::array();
    for (std::size_t i = 0; i < totals.roles.size(); ++i) {
        const watch::RoleState& r = totals.roles[i];
        auto row = verdict_json(r.failed, r.lost || !judged, r.incomplete);
        row["role"] = alphabet.name(input.protocol->roles()[i]);
        row["messages"] = r.messages;
        result.extra["roles"].push_back(row);
        result.text += fmt::format("{}: {}\n", alphabet.name(input.protocol->roles()[i]),
                                   verdict_text(r.failed, r.lost, r.incomplete));
    }
}

bool fill_properties(Session& session, const ProtocolInput& input, const watch::Totals& totals) {
    report::Result& result = session.result;
    const model::Specification& spec = input.specification;
    bool property_failed = false;
    result.extra["properties"] = report::Json::array();
    for (std::size_t i = 0; i < totals.properties.size(); ++i) {
        const watch::VerdictCounts& c = totals.properties[i];
        std::string_view name = spec.names->text(spec.properties[i].name);
        property_failed = property_failed || c.fail > 0;
        result.extra["properties"].push_back({{"name", name},
                                              {"verdict", to_string(c.overall())},
                                              {"pass", c.pass},
                                              {"fail", c.fail},
                                              {"inconclusive", c.inconclusive}});
        result.text += fmt::format("property {}: {} ({} passed, {} failed, {} inconclusive)\n", name,
                                   to_string(c.overall()), c.pass, c.fail, c.inconclusive);
    }
    return property_failed;
}

}  // namespace

void fill_watch_result(Session& session, const ProtocolInput& input, const watch::Monitor& monitor,
                       const watch::Merge& merge, const watch::Totals& totals, watch::Order order,
                       const std::vector<std::string>& names) {
    report::Result& result = session.result;
    const model::Alphabet& alphabet = *input.specification.alphabet;
    bool judged = anything_judged(totals);
    fill_roles(session, input, totals, judged);
    std::string rests_on = assumption(monitor, order);
    result.extra["global"] = verdict_json(totals.failed > 0, totals.lost || !judged, totals.incomplete > 0);
    result.extra["global"]["assumption"] = rests_on;
    result.text += fmt::format("global: {} (by {})\n",
                               verdict_text(totals.failed > 0, totals.lost, totals.incomplete > 0), rests_on);
    bool property_failed = fill_properties(session, input, totals);
    fill_coverage(session, input, monitor);
    result.extra["first_deviation"] = nullptr;
    if (!totals.deviations.empty()) {
        result.extra["first_deviation"] = to_json(totals.deviations[0], alphabet, names);
        result.text += print(totals.deviations[0], alphabet, names);
        result.witness = run_of(input, totals);
    }
    result.extra["deviations"] = report::Json::array();
    for (const watch::Deviation& d : totals.deviations)
        result.extra["deviations"].push_back(to_json(d, alphabet, names));
    if (!judged) return fill_nothing_judged(session, input, monitor, merge, names);
    bool failed = totals.failed > 0 || property_failed;
    bool unfinished = monitor.options().complete && totals.sessions > 0 && totals.incomplete == totals.sessions;
    result.answer = failed                      ? base::Answer::fails
                    : totals.lost || unfinished ? base::Answer::undecided
                                                : base::Answer::holds;
    result.reason =
        totals.failed > 0       ? fmt::format("{} of {} not as {} says", totals.failed,
                                              report::counted(totals.sessions, "session"), input.protocol->name())
        : property_failed       ? "a property does not hold"
        : totals.lost           ? monitor.clock_broken() ? "the times of the logs are not those of one clock"
                                                         : "too many configurations are possible (--limit-states)"
        : unfinished            ? "no session reached an end of the protocol"
        : totals.incomplete > 0 ? fmt::format("as {} says so far, {} incomplete", input.protocol->name(),
                                              report::counted(totals.incomplete, "session"))
                                : fmt::format("as {} says", input.protocol->name());
}

report::Run run_of(const ProtocolInput& input, const watch::PropertyStanding& standing) {
    const model::Specification& spec = input.specification;
    report::Run run;
    for (model::RoleId role : input.protocol->roles()) run.roles.emplace_back(spec.alphabet->name(role));
    for (const watch::RunStep& step : standing.run) {
        const model::Event& e = spec.alphabet->event(step.label);
        report::RunEvent event;
        event.from = spec.alphabet->name(e.from);
        event.to = spec.alphabet->name(e.to);
        event.message = spec.alphabet->name(e.message);
        event.direction = e.kind == model::EventKind::send      ? report::Direction::sent
                          : e.kind == model::EventKind::receive ? report::Direction::received
                                                                : report::Direction::both;
        const auto& fields = spec.message(e.message).fields;
        for (std::size_t i = 0; i < fields.size() && i < step.values.size(); ++i)
            event.data[std::string(spec.names->text(fields[i].name))] =
                cli::to_json(spec, fields[i].type, step.values[i]);
        run.events.push_back(std::move(event));
    }
    return run;
}

}  // namespace treaty::cli
