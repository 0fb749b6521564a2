#include "cli/project_smart.h"

#include <fmt/format.h>

#include "cli/codes.h"
#include "report/wording.h"
#include "symbolic/conform.h"
#include "symbolic/smart_protocol.h"

namespace treaty::cli {
namespace {

using symbolic::Graph;

struct Found {
    Graph graph, part;  // all of it, and what can be reached
    symbolic::Repair repair;
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

std::optional<Found> find(Session& session, const ProtocolInput& input, symbolic::CommunicationMode mode) {
    symbolic::GraphLimits limits;
    if (session.options.time) limits.deadline = base::Deadline::after(*session.options.time);
    auto made = symbolic::protocol_graph(input.specification, *input.protocol, limits);
    if (!made) {
        undecided(session, made.reason);
        return std::nullopt;
    }
    Found found{std::move(*made.graph), {}, {}};
    expr::Solver solver(*found.graph.pool, std::chrono::seconds(2));
    found.part = symbolic::reachable_part(found.graph,
                                          symbolic::reachability(found.graph, solver, {6, limits.deadline}));
    auto reach = symbolic::reachability(found.part, solver, {6, limits.deadline});
    symbolic::RepairLimits bounds;
    bounds.deadline = limits.deadline;
    found.repair = symbolic::repair(found.part, reach, mode, solver, bounds);
    return found;
}

void tell(Session& session, const ProtocolInput& input, const Found& found,
          symbolic::CommunicationMode mode) {
    const symbolic::Repair& repair = found.repair;
    std::string& text = session.result.text;
    text += fmt::format("{}: {} in {} mode\n", input.protocol->name(),
                        repair.problems.empty() ? "realizable" : "not realizable", symbolic::to_string(mode));
    report::Json problems = report::Json::array();
    for (const symbolic::Problem& p : repair.problems) {
        std::string said = symbolic::describe(found.part, p);
        model::NodeId node;
        if (p.edge != symbolic::the_end) node = found.part.states[p.state].out[p.edge].node;
        std::uint32_t line = node ? session.sources.begin((*input.protocol)[node].span).line : 0;
        text += fmt::format("    {}{}\n", line ? fmt::format("line {}: ", line) : "", said);
        problems.push_back({{"problem", said}, {"line", line}});
    }
    session.result.extra["problems"] = std::move(problems);
    report::Json added = report::Json::array();
    for (const symbolic::Addition& a : repair.additions) {
        std::uint32_t line = a.node ? session.sources.begin((*input.protocol)[a.node].span).line : 0;
        text += fmt::format("  + {}{}\n", print(found.part, a),
                            line ? fmt::format("    before line {}", line) : "");
        added.push_back({{"interaction", print(found.part, a)}, {"line", line}});
    }
    session.result.extra["added"] = std::move(added);
    session.result.extra["minimal"] = repair.minimal;
    if (!repair.additions.empty())
        text += fmt::format("{} added{}\n", report::counted(repair.additions.size(), "interaction"),
                            repair.minimal ? ", fewest possible" : "");
}

// The roles of the mended graph, each for itself, must do what the protocol says.
bool verify(Session& session, const Found& found) {
    auto together = symbolic::composed(found.repair.graph);
    if (!together) {
        undecided(session, together.reason);
        return false;
    }
    symbolic::ConformanceLimits limits;
    if (session.options.time) limits.deadline = base::Deadline::after(*session.options.time);
    auto report = symbolic::conform(*together.graph, found.graph, limits);
    session.result.extra["verified"] = base::to_string(report.conformance.answer);
    session.result.text += fmt::format("the roles together conform: {}\n",
                                       report.conformance.answer == base::Answer::holds       ? "yes"
                                       : report.conformance.answer == base::Answer::undecided ? "undecided"
                                                                                              : "no");
    return true;
}

}  // namespace

bool add_interactions(Session& session, ProtocolInput& input, const std::string& name) {
    auto mode = symbolic::parse_communication_mode(name);
    if (!mode) {
        session.report(codes::bad_usage, fmt::format("{} is no mode", name))
            .help("the modes are sync, sending, reception and disjoint");
        return false;
    }
    auto found = find(session, input, *mode);
    if (!found) return false;
    tell(session, input, *found, *mode);
    if (!found->repair.realizable) {
        undecided(session, "no additions were found that make it realizable");
        return false;
    }
    if (!verify(session, *found)) return false;
    if (found->repair.additions.empty()) return true;
    auto mended = symbolic::with_additions(input.specification, *input.protocol, found->repair.additions);
    if (!mended) {
        session.result.text +=
            "the additions have no single place in the text\n" + symbolic::to_text(found->repair.graph);
        return true;
    }
    std::size_t position = static_cast<std::size_t>(input.protocol - input.specification.protocols.data());
    input.specification.protocols[position] = std::move(*mended);
    input.protocol = &input.specification.protocols[position];
    return true;
}

}  // namespace treaty::cli
