#include "api/run_schora.h"

#include <chrono>
#include <ctime>

#include <fmt/format.h>

#include "api/models/graphs.h"
#include "api/repair_graph.h"
#include "base/wording.h"
#include "expr/print.h"
#include "formats/codes.h"
#include "formats/schora/schora.h"
#include "symbolic/import_graph.h"
#include "symbolic/local_graph.h"
#include "symbolic/machine_graph.h"
#include "symbolic/product.h"
#include "symbolic/protocol_graph.h"
#include "symbolic/stopping.h"

namespace treaty::api {
namespace {

using formats::SchoraCommand;
using formats::SchoraComponent;
using model::SymbolicGraph;
using symbolic::GraphResult;

symbolic::CommunicationMode mode_of(const std::string& name) {
    if (name == "ASYNC_SENDER") return symbolic::CommunicationMode::sending;
    if (name == "ASYNC_RECEIVER") return symbolic::CommunicationMode::reception;
    if (name == "ASYNC_DISJOINT") return symbolic::CommunicationMode::disjoint;
    return symbolic::CommunicationMode::sync;
}

GraphCounted count(const SymbolicGraph& graph, const std::string& component) {
    std::vector<bool> used(graph.alphabet->message_count());
    std::size_t messages = 0;
    for (const auto& state : graph.states)
        for (const auto& edge : state.out) {
            if (edge.label.index == 0) continue;
            auto used_here = used[graph.alphabet->event(edge.label).message.index];
            if (!used_here) ++messages;
            used_here = true;
        }
    return {component, graph.states.size(), graph.edge_count(), messages};
}

class Runner {
public:
    Runner(const Inquiry& inquiry, const formats::SchoraScript& script, RunAnswer& answer)
        : inquiry_(inquiry),
          script_(script),
          answer_(answer),
          commands_(answer.ran.emplace<std::vector<CommandRun>>()),
          limits_(inquiry.context.graph_limits()) {}

    void run() {
        answer_.verdict = Verdict::holds;
        for (const SchoraCommand& command : script_.commands) {
            std::uint32_t line = inquiry_.sources().begin(command.span).line;
            commands_.push_back({std::string(inquiry_.sources().text(command.span)), line, {}});
            report_count(command);
            run(command);
            // What comes after it, and part of what it does itself, is left out.
            if (limits_.deadline.interrupted()) {
                undecided(fmt::format("{} in line {}", symbolic::why_stopped(limits_.deadline), line));
                break;
            }
        }
        if (answer_.reason.empty())
            answer_.reason = base::counted(script_.commands.size(), "command") + " ran";
    }

private:
    void add(CommandFinding finding) { commands_.back().findings.push_back(std::move(finding)); }

    void report_count(const SchoraCommand& command) const {
        if (inquiry_.context.progress)
            inquiry_.context.progress(CountProgress{"running commands", commands_.size() - 1,
                                                    script_.commands.size(),
                                                    std::string(inquiry_.sources().text(command.span))});
    }

    void undecided(std::string why) {
        if (answer_.verdict != Verdict::fails) inquiry_.undecided(why);
        add(LeftOpen{std::move(why)});
    }

    void run(const SchoraCommand& command) {
        using Kind = SchoraCommand::Kind;
        if (command.kind == Kind::show_time) return add(TimeShown{std::time(nullptr)});
        if (command.kind == Kind::conformance) return compare(command);
        for (std::size_t c : command.components) {
            const std::string& name = script_.components[c].name;
            GraphResult made = graph_of(c);
            if (!made) {
                undecided(fmt::format("{}: {}", name, made.error()));
                continue;
            }
            switch (command.kind) {
                case Kind::show_stat: add(count(*made, name)); break;
                case Kind::show_stg: add(GraphShown{name, std::move(*made)}); break;
                case Kind::show_reachable: show_reachable(*made, name); break;
                case Kind::show_realizable:
                case Kind::projection: repair(command, *made, name); break;
                default: break;
            }
        }
    }

    GraphResult graph_of(std::size_t c) const {
        const SchoraComponent& component = script_.components[c];
        if (component.machine) return symbolic::machine_graph(*component.machine, &script_.specification);
        if (component.protocol)
            return symbolic::protocol_graph(script_.specification, *component.protocol, limits_,
                                            component.role);
        symbolic::Meeting meeting = symbolic::Meeting::fresh();
        std::vector<SymbolicGraph> parts;
        for (std::size_t part : component.parts) {
            GraphResult made = graph_of(part);
            if (made) made = symbolic::import_graph(*made, meeting);
            if (!made) return made;
            parts.push_back(std::move(*made));
        }
        for (SymbolicGraph& part : parts) part.payload = meeting.payload;
        return symbolic::product(parts, limits_);
    }

    void show_reachable(const SymbolicGraph& graph, const std::string& name) {
        solve::Solver solver(*graph.pool, std::chrono::seconds(2), solvers_);
        auto found = symbolic::reachability(graph, solver, {6, limits_.deadline});
        NeverTaken never{name, {}};
        for (model::GraphStateId s : graph.states.ids())
            for (model::GraphEdgeId e : graph.states[s].out.ids())
                if (found.edges[s][e] == symbolic::Reach::unreachable)
                    never.transitions.push_back(
                        {model::print_edge(graph, graph.states[s].out[e]), graph.state_name(s)});
        add(std::move(never));
        add(GraphShown{name + ", reachable part", symbolic::reachable_part(graph, found)});
    }

    void repair(const SchoraCommand& command, const SymbolicGraph& graph, const std::string& name) {
        symbolic::CommunicationMode mode = mode_of(command.mode);
        RepairedGraph found = repair_graph(graph, mode, limits_, solvers_);
        repair::Repair& result = found.result;
        GraphRepaired repaired{name, mode, {}, {}, result.minimal};
        for (const symbolic::Problem& problem : result.problems)
            repaired.problems.push_back(symbolic::describe(found.part, problem));
        for (const repair::Addition& addition : result.additions)
            repaired.added.push_back(print(found.part, addition));
        add(std::move(repaired));
        if (!result.found) return undecided(fmt::format("{}: {}", name, not_repaired(limits_.deadline)));
        verified(result.verification, name);
        if (command.kind == SchoraCommand::Kind::show_realizable)
            return add(GraphShown{name, std::move(result.graph)});
        for (model::RoleId role : symbolic::roles_of(result.graph))
            add(GraphShown{fmt::format("{}, role {}", name, graph.alphabet->name(role)),
                           symbolic::local_graph(result.graph, role)});
    }

    // The additions are of use only if the roles, each for itself, conform to the protocol.
    void verified(const symbolic::Verification& found, const std::string& name) {
        add(RolesVerified{name, found.verified});
        if (found.verified == symbolic::Verified::undecided) undecided(name + ": " + found.reason);
    }

    void compare(const SchoraCommand& command) {
        const SchoraComponent& mine = script_.components[command.components[0]];
        const SchoraComponent& theirs = script_.components[command.components[1]];
        GraphResult implementation = graph_of(command.components[0]);
        GraphResult specification = graph_of(command.components[1]);
        if (!implementation || !specification)
            return undecided(implementation ? specification.error() : implementation.error());
        auto report = symbolic::conform(*implementation, *specification,
                                        inquiry_.context.conformance_limits(), solvers_);
        std::string what = fmt::format("{} against {}", mine.name, theirs.name);
        if (!report.incomparable.empty()) return undecided(what + ": " + report.incomparable);
        GraphsCompared compared{mine.name, theirs.name, report.conformance.answer, {}, {}};
        if (compared.verdict == Verdict::conditional)
            compared.condition = expr::print(*report.specification.pool, report.conformance.condition);
        if (compared.verdict == Verdict::fails || compared.verdict == Verdict::conditional) {
            model::Run run = mismatch_run(report, mine.protocol ? &*mine.protocol : nullptr,
                                          theirs.protocol ? &*theirs.protocol : nullptr, inquiry_.sources());
            compared.difference = run.ending;
            judge(compared, what, std::move(run));
        }
        Verdict verdict = compared.verdict;
        add(std::move(compared));
        if (verdict == Verdict::undecided) undecided(what + ": " + report.conformance.reason);
    }

    // The first comparison that is worse than all before it is the answer.
    void judge(const GraphsCompared& compared, const std::string& what, model::Run run) {
        if (answer_.verdict == Verdict::fails) return;
        if (compared.verdict == Verdict::conditional && answer_.verdict == Verdict::undecided) return;
        answer_.verdict = compared.verdict;
        answer_.reason = what;
        answer_.condition = compared.condition;
        answer_.witness = std::move(run);
    }

    const Inquiry& inquiry_;
    const formats::SchoraScript& script_;
    RunAnswer& answer_;
    std::vector<CommandRun>& commands_;
    symbolic::GraphLimits limits_;
    solve::SolverContext solvers_;  // of all commands
};

}  // namespace

void run_schora(const Inquiry& inquiry, const std::string& path, RunAnswer& answer) {
    base::Result<std::string> file = inquiry.workspace.read(path);
    if (!file) {
        inquiry.report(formats::codes::unreadable, file.error());
        return;
    }
    base::FileId id = inquiry.sources().add(path, std::move(*file));
    auto script = formats::read_script(inquiry.sources(), id, inquiry.diagnostics());
    if (script) Runner(inquiry, *script, answer).run();
}

}  // namespace treaty::api
