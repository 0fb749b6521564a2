#include "cli/project_smart.h"

#include <set>

#include <fmt/format.h>

#include "cli/codes.h"
#include "formats/language_rules.h"
#include "report/wording.h"
#include "symbolic/smart_protocol.h"
#include "symbolic/stopping.h"
#include "symbolic/verify.h"

namespace treaty::cli {
namespace {

using symbolic::Graph;

struct Found {
    Graph graph, part;  // all of it, and what can be reached
    symbolic::Repair repair;
    expr::SolverContext context;  // of all that is asked about it
};

std::string print(const Graph& graph, const symbolic::Addition& a) {
    std::string_view value =
        a.variable ? graph.pool->names().text(graph.pool->variable(a.variable).name) : std::string_view();
    return fmt::format("{} -> {}: {}{}", graph.alphabet->name(a.from), graph.alphabet->name(a.to), a.message,
                       a.variable ? fmt::format("({})", value) : "");
}

void undecided(Session& session, std::string why) {
    session.result.answer = base::Answer::undecided;
    session.result.reason = std::move(why);
}

// The protocol as it would be written; nothing if the additions have no place in the text, or mean something
// else there (a step of a loop is one line, whichever round it is in). Declares the added messages.
std::optional<model::Protocol> written(model::Specification& specification, const model::Protocol& protocol,
                                       const Graph& graph, const std::vector<symbolic::Addition>& additions,
                                       symbolic::CommunicationMode mode, const symbolic::GraphLimits& limits,
                                       const expr::SolverContext& context) {
    auto mended = symbolic::with_additions(specification, protocol, additions);
    if (!mended) return std::nullopt;
    auto made = symbolic::protocol_graph(specification, *mended, limits);
    if (!made) return std::nullopt;
    expr::Solver solver(*made.graph->pool, std::chrono::seconds(2), context);
    if (!symbolic::realizable(*made.graph, mode, solver, limits.deadline)) return std::nullopt;
    auto verified = symbolic::verify(graph, *made.graph, limits, context).verified;
    if (verified != symbolic::Verified::yes && verified != symbolic::Verified::with_additions)
        return std::nullopt;
    return mended;
}

// Whether the text with the additions is one that the language allows and that means what it should.
bool can_be_written(const ProtocolInput& input, const Graph& graph,
                    const std::vector<symbolic::Addition>& additions, symbolic::CommunicationMode mode,
                    const symbolic::GraphLimits& limits, const expr::SolverContext& context) {
    model::Specification trial;
    trial.names = input.specification.names;
    trial.types = input.specification.types;
    trial.pool = input.specification.pool;
    trial.alphabet = input.specification.alphabet;
    trial.messages = input.specification.messages;
    trial.named_types = input.specification.named_types;
    auto mended = symbolic::with_additions(trial, *input.protocol, additions);
    if (!mended) return false;
    trial.protocols.push_back(std::move(*mended));
    return formats::treaty_text(trial).text &&
           written(trial, *input.protocol, graph, additions, mode, limits, context);
}

std::optional<Found> find(Session& session, const ProtocolInput& input, symbolic::CommunicationMode mode) {
    symbolic::GraphLimits limits = session.options.graph_limits();
    auto made = symbolic::protocol_graph(input.specification, *input.protocol, limits);
    if (!made) {
        undecided(session, made.reason);
        return std::nullopt;
    }
    Found found{std::move(*made.graph), {}, {}, {}};
    expr::Solver solver(*found.graph.pool, std::chrono::seconds(2), found.context);
    found.part = symbolic::reachable_part(found.graph,
                                          symbolic::reachability(found.graph, solver, {6, limits.deadline}));
    auto reach = symbolic::reachability(found.part, solver, {6, limits.deadline});
    symbolic::RepairLimits bounds;
    bounds.deadline = limits.deadline;
    found.repair = symbolic::repair(found.part, reach, mode, solver, bounds, [&](const auto& additions) {
        return can_be_written(input, found.part, additions, mode, limits, found.context);
    });
    return found;
}

// Of the interactions that the problem is about, in the order of the text.
std::vector<std::uint32_t> lines_of(const Session& session, const model::Protocol& protocol,
                                    const Graph& graph, const symbolic::Problem& p) {
    std::set<std::uint32_t> lines;
    auto add = [&](symbolic::Place state, std::size_t edge) {
        if (edge == symbolic::the_end) return;
        model::NodeId node = graph.states[state].out[edge].node;
        if (node && protocol[node].span.valid())
            lines.insert(session.sources.begin(protocol[node].span).line);
    };
    add(p.state, p.edge);
    if (p.kind == symbolic::Problem::Kind::order) add(p.before, p.before_edge);
    if (p.kind == symbolic::Problem::Kind::deciders || p.kind == symbolic::Problem::Kind::untold)
        add(p.state, p.other);
    return {lines.begin(), lines.end()};
}

void tell(Session& session, const ProtocolInput& input, const Found& found,
          symbolic::CommunicationMode mode) {
    const symbolic::Repair& repair = found.repair;
    std::string& text = session.result.text;
    text += fmt::format("{}: {} in {} mode\n", input.protocol->name(),
                        repair.problems.empty() ? "realizable" : "not realizable", symbolic::to_string(mode));
    report::Json problems = report::Json::array();
    std::set<std::pair<std::vector<std::uint32_t>, std::string>> told;
    for (const symbolic::Problem& p : repair.problems) {
        std::string said = symbolic::describe(found.part, p);
        std::vector<std::uint32_t> lines = lines_of(session, *input.protocol, found.part, p);
        // One step of the text may be several of the graph.
        if (!told.insert({lines, said}).second) continue;
        std::string place;
        if (!lines.empty())
            place = fmt::format("{} {}: ", lines.size() == 1 ? "line" : "lines", fmt::join(lines, ", "));
        text += fmt::format("    {}{}\n", place, said);
        problems.push_back({{"problem", said}, {"lines", lines}, {"line", lines.empty() ? 0 : lines.back()}});
        if (p.role) problems.back()["role"] = found.part.alphabet->name(p.role);
    }
    session.result.extra["problems"] = std::move(problems);
    report::Json added = report::Json::array();
    for (const symbolic::Addition& a : repair.additions) {
        std::uint32_t line = a.node ? session.sources.begin((*input.protocol)[a.node].span).line : 0;
        std::string place;
        if (!a.neighbour.empty())
            place = fmt::format("    {} {}", a.behind ? "after" : "before", a.neighbour);
        else if (a.behind && a.node == input.protocol->root())
            place = "    at the end";
        else if (line)
            place = fmt::format("    {} line {}{}", a.behind ? "after" : "before", line,
                                symbolic::in_each_round(*input.protocol, a) ? ", and after each round" : "");
        text += fmt::format("  + {}{}\n", print(found.part, a), place);
        added.push_back({{"interaction", print(found.part, a)},
                         {"line", line},
                         {"position", a.behind ? "after" : "before"}});
    }
    session.result.extra["added"] = std::move(added);
    session.result.extra["minimal"] = repair.minimal;
    if (!repair.additions.empty())
        text += fmt::format("{} added{}\n", report::counted(repair.additions.size(), "interaction"),
                            repair.minimal ? ", fewest possible" : "");
}

// The roles of the mended graph, each for itself, must do what the protocol says.
bool verify(Session& session, const Found& found) {
    symbolic::Verification made =
        symbolic::verify(found.graph, found.repair.graph, session.options.graph_limits(), found.context);
    session.result.extra["verified"] = made.verified == symbolic::Verified::yes ? "holds"
                                       : made.verified == symbolic::Verified::with_additions
                                           ? "with additions"
                                       : made.verified == symbolic::Verified::no ? "fails"
                                                                                 : "undecided";
    session.result.text += fmt::format("{}\n", symbolic::describe(made.verified));
    if (made.verified == symbolic::Verified::undecided) undecided(session, made.reason);
    if (made.verified == symbolic::Verified::no) undecided(session, "the mended roles do not conform");
    return made.verified == symbolic::Verified::yes || made.verified == symbolic::Verified::with_additions;
}

}  // namespace

std::optional<Mended> add_interactions(Session& session, ProtocolInput& input, const std::string& name) {
    auto mode = symbolic::parse_communication_mode(name);
    if (!mode) {
        session.report(codes::bad_usage, fmt::format("{} is no mode", name))
            .help("the modes are sync, sending, reception and disjoint");
        return std::nullopt;
    }
    auto found = find(session, input, *mode);
    if (!found) return std::nullopt;
    tell(session, input, *found, *mode);
    if (!found->repair.realizable) {
        undecided(session, base::interrupt_flag() ? symbolic::why_stopped()
                                                  : "no additions were found that make it realizable");
        return std::nullopt;
    }
    if (!verify(session, *found)) return std::nullopt;
    if (found->repair.additions.empty()) return Mended{};
    auto mended = written(input.specification, *input.protocol, found->part, found->repair.additions, *mode,
                          session.options.graph_limits(), found->context);
    if (!mended) {
        session.result.text +=
            "the additions have no single place in the text\n" + symbolic::to_text(found->repair.graph);
        return Mended{std::move(found->repair.graph)};
    }
    std::size_t position = static_cast<std::size_t>(input.protocol - input.specification.protocols.data());
    input.specification.protocols[position] = std::move(*mended);
    input.protocol = &input.specification.protocols[position];
    return Mended{};
}

std::optional<model::Machine> project_mended(Session& session, const Mended& mended,
                                             std::span<const model::RoleId> roles) {
    if (roles.size() == 1)
        if (auto machine = symbolic::to_machine(symbolic::local_graph(*mended.graph, roles[0]), roles[0]))
            return machine;
    undecided(session, "a group of roles cannot be projected from a graph");
    return std::nullopt;
}

}  // namespace treaty::cli
