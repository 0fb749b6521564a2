#include "api/repair.h"

#include <chrono>
#include <set>

#include "api/input/inputs.h"
#include "api/models/derive.h"
#include "api/projection_texts.h"
#include "api/repair_graph.h"
#include "formats/language_rules.h"
#include "repair/write.h"
#include "symbolic/local_graph.h"

namespace treaty::api {
namespace {

using model::SymbolicGraph;
using repair::Addition;
using symbolic::Problem;

// A specification over the same tables that holds no protocol yet: for trying how additions look as a text.
model::Specification without_protocols(const model::Specification& specification) {
    model::Specification trial;
    trial.names = specification.names;
    trial.types = specification.types;
    trial.pool = specification.pool;
    trial.alphabet = specification.alphabet;
    trial.messages = specification.messages;
    trial.named_types = specification.named_types;
    return trial;
}

bool conforms(symbolic::Verified verified) {
    return verified == symbolic::Verified::yes || verified == symbolic::Verified::with_additions;
}

class Repairer {
public:
    Repairer(const Inquiry& inquiry, ProtocolInput& input, RepairAnswer& answer)
        : inquiry_(inquiry), input_(input), answer_(answer), limits_(inquiry.context.graph_limits()) {}

    // Puts the mended protocol in the place of the one it mends, or its graph into the answer. False if there
    // is missing: the answer has the reason.
    bool run() {
        auto made = symbolic::protocol_graph(input_.specification, *input_.protocol, limits_);
        if (!made) return give_up(made.error());
        RepairedGraph found =
            repair_graph(*made, answer_.mode, limits_, solvers_,
                         [this](const SymbolicGraph& part, const std::vector<Addition>& additions) {
                             return can_be_written(part, additions);
                         });
        describe(found);
        if (!found.result.found) return give_up(not_repaired(limits_.deadline));
        answer_.verified = found.result.verification.verified;
        if (!found.result.worth.conforms) return give_up(found.result.verification.reason);
        if (!found.result.additions.empty()) mend(std::move(found));
        return true;
    }

private:
    bool give_up(std::string why) const {
        inquiry_.undecided(std::move(why));
        return false;
    }

    // The protocol as it would be written; nothing if the additions have no place in the text, or mean
    // something else there (a step of a loop is one line, whichever round it is in). Declares the added
    // messages.
    std::optional<model::Protocol> written(model::Specification& specification, const SymbolicGraph& part,
                                           const std::vector<Addition>& additions) const {
        auto mended = repair::with_additions(specification, *input_.protocol, additions);
        if (!mended) return std::nullopt;
        auto made = symbolic::protocol_graph(specification, *mended, limits_);
        if (!made) return std::nullopt;
        solve::Solver solver(*made->pool, std::chrono::seconds(2), solvers_);
        if (!symbolic::realizable(*made, answer_.mode, solver, limits_.deadline)) return std::nullopt;
        if (!conforms(symbolic::verify(part, *made, limits_, solvers_).verified)) return std::nullopt;
        return mended;
    }

    // Whether the text with the additions is one that the language allows and that means what it should.
    bool can_be_written(const SymbolicGraph& part, const std::vector<Addition>& additions) const {
        model::Specification trial = without_protocols(input_.specification);
        auto mended = repair::with_additions(trial, *input_.protocol, additions);
        if (!mended) return false;
        trial.protocols.push_back(std::move(*mended));
        return formats::treaty_text(trial).text && written(trial, part, additions);
    }

    // Of the interactions that the problem is about, in the order of the text.
    std::vector<std::uint32_t> lines_of(const SymbolicGraph& graph, const Problem& problem) const {
        std::set<std::uint32_t> lines;
        auto add = [&](model::GraphStateId state, model::GraphEdgeId edge) {
            if (edge == symbolic::the_end) return;
            std::uint32_t line =
                model::line_of(input_.protocol, graph.states[state].out[edge].node, inquiry_.sources());
            if (line > 0) lines.insert(line);
        };
        add(problem.state, problem.edge);
        if (problem.kind == Problem::Kind::order) add(problem.before, problem.before_edge);
        if (problem.kind == Problem::Kind::deciders || problem.kind == Problem::Kind::untold)
            add(problem.state, problem.other);
        return {lines.begin(), lines.end()};
    }

    AddedInteraction added(const RepairedGraph& found, const Addition& addition) const {
        const model::Protocol& protocol = *input_.protocol;
        AddedInteraction result;
        result.interaction = print(found.part, addition);
        result.line = model::line_of(&protocol, addition.node, inquiry_.sources());
        result.after = addition.after;
        result.at_end = addition.after && addition.node == protocol.root();
        result.each_round = addition.node && repair::in_each_round(protocol, addition);
        if (addition.neighbour)
            result.neighbour =
                found.part.alphabet->name(found.result.additions[addition.neighbour.index].message);
        return result;
    }

    void describe(const RepairedGraph& found) const {
        answer_.examined = true;
        answer_.minimal = found.result.minimal;
        std::set<std::pair<std::vector<std::uint32_t>, std::string>> known;
        for (const Problem& problem : found.result.problems) {
            std::string what = symbolic::describe(found.part, problem);
            std::vector<std::uint32_t> lines = lines_of(found.part, problem);
            // One step of the text may be several of the graph.
            if (!known.insert({lines, what}).second) continue;
            std::string role(problem.role ? found.part.alphabet->name(problem.role) : std::string_view());
            answer_.problems.push_back({std::move(what), std::move(lines), std::move(role)});
        }
        for (const Addition& addition : found.result.additions)
            answer_.added.push_back(added(found, addition));
    }

    void mend(RepairedGraph found) const {
        // What the search has found to be written well is not examined again: there may be no time left.
        auto mended =
            found.result.worth.written
                ? repair::with_additions(input_.specification, *input_.protocol, found.result.additions)
                : written(input_.specification, found.part, found.result.additions);
        if (!mended) {
            answer_.graph = std::move(found.result.graph);
            return;
        }
        auto position = static_cast<std::size_t>(input_.protocol - input_.specification.protocols.data());
        input_.specification.protocols[position] = std::move(*mended);
    }

    const Inquiry& inquiry_;
    ProtocolInput& input_;
    RepairAnswer& answer_;
    symbolic::GraphLimits limits_;
    solve::SolverContext solvers_;  // of all that is asked about this protocol
};

// The part of a role in a mended protocol that is only a graph.
std::optional<model::Machine> machine_of(const Inquiry& inquiry, const SymbolicGraph& graph,
                                         const std::vector<model::RoleId>& roles) {
    if (roles.size() == 1)
        if (auto machine = model::to_machine(symbolic::local_graph(graph, roles[0]), roles[0]))
            return machine;
    inquiry.undecided("a group of roles cannot be projected from a graph");
    return std::nullopt;
}

}  // namespace

RepairAnswer repair(const Workspace& workspace, const RepairQuestion& question, const Context& context) {
    RepairAnswer answer;
    answer.inputs = {question.file};
    answer.roles = question.roles;
    answer.mode = question.mode;
    Inquiry inquiry(workspace, context, answer);
    auto input = protocol_of(inquiry, load(inquiry, question.file, lang::Knowing::left_open), question.file,
                             question.protocol);
    if (!input) return answer;
    answer.protocol = input->protocol->name();
    auto roles = choose_roles(inquiry, input->specification, *input->protocol, question.roles);
    if (!roles || !Repairer(inquiry, *input, answer).run()) return answer;
    answer.machine =
        answer.graph ? machine_of(inquiry, *answer.graph, *roles) : derive_machine(inquiry, *input, *roles);
    if (!answer.machine) return answer;
    inquiry.holds();
    write_texts(inquiry, question, *input->protocol, answer.graph ? nullptr : &input->specification, answer);
    return answer;
}

}  // namespace treaty::api
