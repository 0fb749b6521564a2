#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/verbs.h"
#include "cli/wire_inputs.h"
#include "report/wording.h"
#include "watch/codes.h"
#include "watch/merge.h"
#include "watch/monitor.h"

namespace treaty::cli {
namespace {

struct Request {
    std::string file, protocol, order = "causal";
    std::vector<std::string> from, map;
    bool no_data = false;
};

std::optional<watch::Order> order_of(Session& session, const std::string& name) {
    if (name == "causal") return watch::Order::causal;
    if (name == "sending") return watch::Order::sending;
    if (name == "reception") return watch::Order::reception;
    if (name == "disjoint") return watch::Order::disjoint;
    session.report(watch::codes::order_unknown, fmt::format("there is no order called {}", name));
    return std::nullopt;
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

// Opens FILE or ROLE=FILE, each.
std::vector<std::unique_ptr<watch::Source>> open_sources(Session& session, const Request& request,
                                                         const watch::Vocabulary& vocabulary,
                                                         std::vector<std::string>& names) {
    std::vector<std::unique_ptr<watch::Source>> sources;
    for (const std::string& entry : request.from) {
        auto equals = entry.find('=');
        std::string path = equals == std::string::npos ? entry : entry.substr(equals + 1);
        model::RoleId owner;
        if (equals != std::string::npos) owner = role_named(session, vocabulary, entry.substr(0, equals));
        std::string fault;
        auto source = watch::open_source(path, vocabulary, owner, fault);
        if (!source) {
            session.report(watch::codes::log_unreadable, fmt::format("{}: {}", path, fault));
            continue;
        }
        sources.push_back(std::move(source));
        names.push_back(path);
    }
    return sources;
}

// What all sessions come to, role by role.
struct Totals {
    std::vector<watch::RoleState> roles;
    std::uint64_t sessions = 0, failed = 0, incomplete = 0;
    bool lost = false;
    std::vector<watch::VerdictCounts> properties;
    std::vector<watch::Deviation> deviations;
    std::vector<watch::Record> history;  // of the first session that failed

    void add(const watch::SessionReport& report) {
        roles.resize(report.roles.size());
        properties.resize(report.properties.size());
        ++sessions;
        failed += report.failed;
        incomplete += report.incomplete;
        lost = lost || report.lost;
        for (std::size_t i = 0; i < roles.size(); ++i) {
            roles[i].failed = roles[i].failed || report.roles[i].failed;
            roles[i].incomplete = roles[i].incomplete || report.roles[i].incomplete;
            roles[i].lost = roles[i].lost || report.roles[i].lost;
            roles[i].messages += report.roles[i].messages;
        }
        for (std::size_t i = 0; i < properties.size(); ++i) {
            const watch::VerdictCounts& local = report.local_properties[i];
            if (local.pass + local.fail + local.inconclusive == 0) {
                properties[i].add(report.properties[i]);
                continue;
            }
            properties[i].pass += local.pass;
            properties[i].fail += local.fail;
            properties[i].inconclusive += local.inconclusive;
        }
        if (report.failed && history.empty()) history = report.history;
        for (const watch::Deviation& d : report.deviations)
            if (deviations.size() < 100) deviations.push_back(d);
    }
};

std::string verdict_text(bool failed, bool lost, bool incomplete) {
    return std::string(lost ? "undecided" : failed ? "fail" : "pass") + (incomplete ? ", incomplete" : "");
}

report::Json verdict_json(bool failed, bool lost, bool incomplete) {
    return {{"verdict", lost ? "undecided" : failed ? "fail" : "pass"}, {"incomplete", incomplete}};
}

report::Json to_json(const watch::Deviation& d, const model::Alphabet& alphabet,
                     const std::vector<std::string>& names) {
    report::Json result = {{"session", d.session},  {"role", nullptr},  {"source", names[d.source]},
                           {"line", d.line},        {"event", d.event}, {"reason", d.reason},
                           {"expected", d.expected}};
    if (d.role) result["role"] = alphabet.name(d.role);
    return result;
}

std::string print(const watch::Deviation& d, const model::Alphabet& alphabet,
                  const std::vector<std::string>& names) {
    std::string text =
        fmt::format("{}:{}: {}{}: {}", names[d.source], d.line,
                    d.role ? fmt::format("{}: ", alphabet.name(d.role)) : "", d.event, d.reason);
    if (!d.session.empty()) text += fmt::format(" (session {})", d.session);
    text += '\n';
    for (std::size_t i = 0; i < d.expected.size(); ++i)
        text += fmt::format("{} {}\n", i == 0 ? "  expected:" : "        or:", d.expected[i]);
    return text;
}

constexpr std::string_view assumption(watch::Order order) {
    switch (order) {
        case watch::Order::causal:
            return "causality alone: each role's own order, sendings before receptions";
        case watch::Order::sending: return "a common clock: the order of sendings";
        case watch::Order::reception: return "a common clock: the order of receptions";
        case watch::Order::disjoint: return "a common clock: interactions last from sending to reception";
    }
    return "";
}

// The last messages of the session that failed first, the wrong one at the end.
report::Run run_of(const ProtocolInput& input, const Totals& totals) {
    const model::Specification& spec = input.specification;
    report::Run run;
    for (model::RoleId role : input.protocol->roles()) run.roles.emplace_back(spec.alphabet->name(role));
    for (const watch::Record& r : totals.history) {
        report::RunEvent event;
        event.from = spec.alphabet->name(r.from);
        event.to = spec.alphabet->name(r.to);
        event.message = r.name;
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
    if (!run.events.empty() && totals.history.back().line == first.line &&
        totals.history.back().source == first.source)
        run.failing = run.events.size() - 1;
    run.ending = first.reason;
    return run;
}

void fill_result(Session& session, const ProtocolInput& input, const Totals& totals, watch::Order order,
                 const std::vector<std::string>& names) {
    report::Result& result = session.result;
    const model::Specification& spec = input.specification;
    const model::Alphabet& alphabet = *spec.alphabet;
    bool property_failed = false;
    result.extra["roles"] = report::Json::array();
    for (std::size_t i = 0; i < totals.roles.size(); ++i) {
        const watch::RoleState& r = totals.roles[i];
        auto row = verdict_json(r.failed, r.lost, r.incomplete);
        row["role"] = alphabet.name(input.protocol->roles()[i]);
        row["messages"] = r.messages;
        result.extra["roles"].push_back(row);
        result.text += fmt::format("{}: {}\n", alphabet.name(input.protocol->roles()[i]),
                                   verdict_text(r.failed, r.lost, r.incomplete));
    }
    result.extra["global"] = verdict_json(totals.failed > 0, totals.lost, totals.incomplete > 0);
    result.extra["global"]["assumption"] = assumption(order);
    result.text +=
        fmt::format("global: {} (by {})\n",
                    verdict_text(totals.failed > 0, totals.lost, totals.incomplete > 0), assumption(order));
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
    result.extra["first_deviation"] = nullptr;
    if (!totals.deviations.empty()) {
        result.extra["first_deviation"] = to_json(totals.deviations[0], alphabet, names);
        result.text += print(totals.deviations[0], alphabet, names);
        result.witness = run_of(input, totals);
    }
    result.extra["deviations"] = report::Json::array();
    for (const watch::Deviation& d : totals.deviations)
        result.extra["deviations"].push_back(to_json(d, alphabet, names));
    bool failed = totals.failed > 0 || property_failed;
    result.answer = failed        ? base::Answer::fails
                    : totals.lost ? base::Answer::undecided
                                  : base::Answer::holds;
    result.reason =
        totals.failed > 0
            ? fmt::format("{} of {} not as {} says", totals.failed, report::counted(totals.sessions, "session"),
                          input.protocol->name())
        : property_failed       ? "a property does not hold"
        : totals.lost           ? "too many configurations are possible (--limit-states)"
        : totals.incomplete > 0 ? fmt::format("as {} says so far, {} incomplete", input.protocol->name(),
                                              report::counted(totals.incomplete, "session"))
                                : fmt::format("as {} says", input.protocol->name());
}

void report_faults(Session& session, const watch::Merge& merge, const std::vector<std::string>& names) {
    for (const watch::Fault& f : merge.faults())
        session.report(watch::codes::record_garbled,
                       fmt::format("{}:{}: {}", names[f.source], f.line, f.reason));
    if (merge.clock_missing())
        session.report(watch::codes::clock_missing,
                       "a record has no time, and the order asks for a common clock");
}

void observe(Session& session, const Request& request, const ProtocolInput& input, watch::Order order) {
    watch::Vocabulary vocabulary(input.specification, *input.protocol);
    read_map(session, request, vocabulary);
    std::vector<std::string> names;
    auto sources = open_sources(session, request, vocabulary, names);
    watch::MonitorOptions options;
    options.order = order;
    options.data = !request.no_data;
    for (const auto& source : sources) options.data = options.data && source->has_data();
    if (session.options.states) options.tracking.limit = *session.options.states;
    if (!session.diagnostics.ok()) return;
    auto monitor = watch::Monitor::make(input.specification, *input.protocol, options);
    if (!monitor) {
        session.report(watch::codes::log_unreadable, "the protocol has no net");
        return;
    }
    watch::Merge merge(std::move(sources), order != watch::Order::causal);
    watch::Record record;
    std::uint64_t read = 0;
    bool stopped = false;
    while (!stopped && merge.next(record)) {
        monitor->feed(record);
        stopped = (++read & 1023) == 0 && base::interrupt_flag();
    }
    report_faults(session, merge, names);
    if (!session.diagnostics.ok()) return;
    Totals totals;
    totals.roles.resize(input.protocol->roles().size());
    totals.properties.resize(input.specification.properties.size());
    for (const watch::SessionReport& r : monitor->finish()) totals.add(r);
    report::Result& result = session.result;
    result.text =
        fmt::format("{} in {}, {} filtered out{}{}\n", report::counted(monitor->messages(), "message"),
                    report::counted(totals.sessions, "session"), monitor->filtered(),
                    merge.garbled() ? fmt::format(", {} not understood", merge.garbled()) : "",
                    options.data ? "" : ", without data");
    result.extra["messages"] = monitor->messages();
    result.extra["sessions"] = totals.sessions;
    result.extra["filtered"] = monitor->filtered();
    result.extra["garbled"] = merge.garbled();
    result.extra["late"] = merge.late();
    fill_result(session, input, totals, order, names);
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
                "of the whole: causal (default), or by a common clock: sending, reception, disjoint");
    line.flag("--no-data", request.no_data, "look at the messages only, not at their data");
    line.option("-p,--protocol", "NAME", request.protocol, "which protocol of the file (default: the last)");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.file};
    session.result.inputs.insert(session.result.inputs.end(), request.from.begin(), request.from.end());
    auto order = order_of(session, request.order);
    auto input = load_protocol(session, request.file, request.protocol);
    if (request.from.empty()) session.report(watch::codes::log_unreadable, "no log is given: --from LOG");
    if (!order || !input || !session.diagnostics.ok()) return session.finish();
    observe(session, request, *input, *order);
    return session.finish();
}

}  // namespace treaty::cli
