#include "cli/run_schora.h"

#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/file.h"
#include "cli/graphs.h"
#include "expr/print.h"
#include "formats/codes.h"
#include "formats/schora.h"
#include "report/wording.h"
#include "symbolic/import_graph.h"
#include "symbolic/machine_graph.h"
#include "symbolic/product.h"
#include "symbolic/protocol_graph.h"
#include "symbolic/stopping.h"
#include "symbolic/verify.h"

namespace treaty::cli {
namespace {

using formats::SchoraCommand;
using formats::SchoraComponent;
using symbolic::Graph;
using symbolic::GraphResult;

symbolic::CommunicationMode mode_of(const std::string& name) {
    if (name == "ASYNC_SENDER") return symbolic::CommunicationMode::sending;
    if (name == "ASYNC_RECEIVER") return symbolic::CommunicationMode::reception;
    if (name == "ASYNC_DISJOINT") return symbolic::CommunicationMode::disjoint;
    return symbolic::CommunicationMode::sync;
}

class Runner {
public:
    Runner(Session& session, const formats::SchoraScript& script)
        : session_(session), script_(script), limits_(session.options.graph_limits()) {}

    void run() {
        session_.result.answer = base::Answer::holds;
        session_.result.extra["commands"] = report::Json::array();
        for (const SchoraCommand& command : script_.commands) {
            report::Json entry = {{"command", session_.sources.text(command.span)}};
            entry["line"] = session_.sources.begin(command.span).line;
            entry_ = &entry;
            run(command);
            session_.result.extra["commands"].push_back(std::move(entry));
            // What comes after it, and part of what it does itself, is left out.
            if (base::interrupt_flag()) {
                undecided(fmt::format("{} in line {}", symbolic::why_stopped(),
                                      session_.sources.begin(command.span).line));
                break;
            }
        }
        if (session_.result.reason.empty())
            session_.result.reason = report::counted(script_.commands.size(), "command") + " ran";
    }

private:
    std::string& text() { return session_.result.text; }

    void run(const SchoraCommand& command) {
        using Kind = SchoraCommand::Kind;
        switch (command.kind) {
            case Kind::show_time: show_time(); return;
            case Kind::conformance: conformance(command); return;
            default: break;
        }
        for (std::size_t c : command.components) {
            const SchoraComponent& component = script_.components[c];
            GraphResult made = graph_of(c);
            if (!made) {
                undecided(fmt::format("{}: {}", component.name, made.reason));
                continue;
            }
            switch (command.kind) {
                case Kind::show_stat: show_stat(*made.graph, component.name); break;
                case Kind::show_stg: show(component.name, *made.graph); break;
                case Kind::show_reachable: show_reachable(*made.graph, component.name); break;
                case Kind::show_realizable:
                case Kind::projection: repair(command, *made.graph, component.name); break;
                default: break;
            }
        }
    }

    GraphResult graph_of(std::size_t c) {
        const SchoraComponent& component = script_.components[c];
        if (component.machine)
            return {symbolic::machine_graph(*component.machine, &script_.specification), {}};
        if (component.protocol)
            return symbolic::protocol_graph(script_.specification, *component.protocol, limits_,
                                            component.role);
        symbolic::Meeting meeting = symbolic::Meeting::fresh();
        std::vector<Graph> parts;
        for (std::size_t part : component.parts) {
            GraphResult made = graph_of(part);
            if (made) made = symbolic::import_graph(*made.graph, meeting);
            if (!made) return made;
            parts.push_back(std::move(*made.graph));
        }
        for (Graph& part : parts) part.payload = meeting.payload;
        return symbolic::product(parts, limits_);
    }

    void undecided(std::string why) {
        if (session_.result.answer != base::Answer::fails) {
            session_.result.answer = base::Answer::undecided;
            session_.result.reason = why;
        }
        text() += why + "\n";
    }

    void show_time() {
        std::time_t now = std::time(nullptr);
        text() += fmt::format("time: {:%Y-%m-%d %H:%M:%S} UTC\n", fmt::gmtime(now));
    }

    void show(std::string_view title, const Graph& graph) {
        text() += fmt::format("{}: {}, {}\n", title, report::counted(graph.states.size(), "state"),
                              report::counted(graph.edge_count(), "transition"));
        text() += symbolic::to_text(graph);
    }

    void show_stat(const Graph& graph, const std::string& name) {
        std::vector<bool> used(graph.alphabet->message_count());
        std::size_t messages = 0;
        for (const auto& state : graph.states)
            for (const auto& edge : state.out) {
                if (edge.label.index == 0) continue;
                auto used_here = used[graph.alphabet->event(edge.label).message.index];
                if (!used_here) ++messages;
                used[graph.alphabet->event(edge.label).message.index] = true;
            }
        text() += fmt::format("{}: {}, {}, {}\n", name, report::counted(graph.states.size(), "state"),
                              report::counted(graph.edge_count(), "transition"),
                              report::counted(messages, "message"));
        (*entry_)["states"] = graph.states.size();
        (*entry_)["transitions"] = graph.edge_count();
        (*entry_)["messages"] = messages;
    }

    void show_reachable(const Graph& graph, const std::string& name) {
        expr::Solver solver(*graph.pool, std::chrono::seconds(2), context_);
        auto found = symbolic::reachability(graph, solver, {6, limits_.deadline});
        std::size_t cut = 0;
        for (symbolic::Place s = 0; s < graph.states.size(); ++s)
            for (std::size_t e = 0; e < graph.states[s].out.size(); ++e) {
                if (found.edges[s][e] != symbolic::Reach::unreachable) continue;
                ++cut;
                text() +=
                    fmt::format("{}: `{}` in state {} can never happen\n", name,
                                symbolic::print_edge(graph, graph.states[s].out[e]), graph.state_name(s));
            }
        (*entry_)["unreachable"] = cut;
        show(name + ", reachable part", symbolic::reachable_part(graph, found));
    }

    void repair(const SchoraCommand& command, const Graph& graph, const std::string& name) {
        expr::Solver solver(*graph.pool, std::chrono::seconds(2), context_);
        auto found = symbolic::reachability(graph, solver, {6, limits_.deadline});
        Graph part = symbolic::reachable_part(graph, found);
        auto again = symbolic::reachability(part, solver, {6, limits_.deadline});
        symbolic::CommunicationMode mode = mode_of(command.mode);
        symbolic::RepairLimits limits;
        limits.deadline = limits_.deadline;
        symbolic::Repair repaired = symbolic::repair(part, again, mode, solver, limits);
        tell(part, repaired, name, mode);
        if (!repaired.realizable)
            return undecided(fmt::format("{}: {}", name,
                                         symbolic::must_stop(limits_.deadline)
                                             ? symbolic::why_stopped()
                                             : "no additions were found that make it realizable"));
        verify(graph, repaired, name);
        if (command.kind == SchoraCommand::Kind::show_realizable) return show(name, repaired.graph);
        for (model::RoleId role : symbolic::roles_of(repaired.graph)) {
            Graph local = symbolic::local_graph(repaired.graph, role);
            show(fmt::format("{}, role {}", name, graph.alphabet->name(role)), local);
        }
    }

    void tell(const Graph& graph, const symbolic::Repair& repaired, const std::string& name,
              symbolic::CommunicationMode mode) {
        bool realizable = repaired.problems.empty();
        (*entry_)["realizable"] = realizable;
        (*entry_)["added"] = repaired.additions.size();
        (*entry_)["minimal"] = repaired.minimal;
        text() += fmt::format("{}: {} in {} mode", name, realizable ? "realizable" : "not realizable",
                              symbolic::to_string(mode));
        if (!realizable)
            text() += fmt::format(", {} added{}", report::counted(repaired.additions.size(), "interaction"),
                                  repaired.minimal ? " (fewest possible)" : "");
        text() += "\n";
        for (const symbolic::Problem& problem : repaired.problems)
            text() += fmt::format("    {}\n", symbolic::describe(graph, problem));
        for (const symbolic::Addition& a : repaired.additions)
            text() += fmt::format(
                "  + {} -> {}: {}{}\n", graph.alphabet->name(a.from), graph.alphabet->name(a.to), a.message,
                a.variable
                    ? fmt::format("({})", graph.pool->names().text(graph.pool->variable(a.variable).name))
                    : "");
    }

    // The additions are worth something only if the roles, each for itself, do what the protocol says.
    void verify(const Graph& graph, const symbolic::Repair& repaired, const std::string& name) {
        symbolic::Verification found = symbolic::verify(graph, repaired.graph, limits_, context_);
        (*entry_)["verified"] = found.verified == symbolic::Verified::yes;
        (*entry_)["verified_with_additions"] =
            found.verified == symbolic::Verified::yes || found.verified == symbolic::Verified::with_additions;
        text() += fmt::format("{}: {}\n", name, symbolic::describe(found.verified));
        if (found.verified == symbolic::Verified::undecided) undecided(name + ": " + found.reason);
        if (found.verified == symbolic::Verified::no) undecided(name + ": the mended roles do not conform");
    }

    void conformance(const SchoraCommand& command) {
        const SchoraComponent& mine = script_.components[command.components[0]];
        const SchoraComponent& theirs = script_.components[command.components[1]];
        GraphResult implementation = graph_of(command.components[0]);
        GraphResult specification = graph_of(command.components[1]);
        if (!implementation || !specification)
            return undecided(implementation ? specification.reason : implementation.reason);
        auto report = symbolic::conform(*implementation.graph, *specification.graph,
                                        session_.options.conformance_limits(), context_);
        std::string what = fmt::format("{} against {}", mine.name, theirs.name);
        if (!report.incomparable.empty()) return undecided(what + ": " + report.incomparable);
        base::Answer answer = report.conformance.answer;
        (*entry_)["answer"] = base::to_string(answer);
        if (answer == base::Answer::undecided) return undecided(what + ": " + report.conformance.reason);
        if (answer == base::Answer::holds) {
            text() += what + ": conforms\n";
            return;
        }
        report::Run run = run_of(report, mine.protocol ? &*mine.protocol : nullptr,
                                 theirs.protocol ? &*theirs.protocol : nullptr, session_.sources);
        std::string condition;
        if (answer == base::Answer::conditional) {
            condition = expr::print(*report.specification.pool, report.conformance.condition);
            (*entry_)["condition"] = condition;
            text() += fmt::format("{}: conforms exactly when {}\n", what, condition);
        } else {
            text() += fmt::format("{}: does not conform: {}\n", what, run.ending);
        }
        if (session_.result.answer == base::Answer::fails) return;
        if (answer == base::Answer::conditional && session_.result.answer == base::Answer::undecided) return;
        session_.result.answer = answer;
        session_.result.reason = what;
        session_.result.condition = condition;
        session_.result.witness = std::move(run);
    }

    Session& session_;
    const formats::SchoraScript& script_;
    symbolic::GraphLimits limits_;
    expr::SolverContext context_;
    report::Json* entry_ = nullptr;
};

}  // namespace

void run_schora(Session& session, const std::string& path) {
    base::FileText file = base::read_file(path);
    if (!file.text) {
        session.report(formats::codes::unreadable, file.fault);
        return;
    }
    base::FileId id = session.sources.add(path, std::move(*file.text));
    auto script = formats::read_script(session.sources, id, session.diagnostics);
    if (script) Runner(session, *script).run();
}

}  // namespace treaty::cli
