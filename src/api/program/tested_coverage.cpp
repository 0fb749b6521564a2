#include "api/program/tested_coverage.h"

#include <fmt/format.h>

#include "model/run.h"
#include "symbolic/protocol_graph.h"
#include "symbolic/reach.h"

namespace treaty::api {
namespace {

using campaign::Missing;

std::string step_text(const ProtocolInput& input, model::NodeId id) {
    const model::Alphabet& alphabet = *input.specification.alphabet;
    const model::Node& node = (*input.protocol)[id];
    return fmt::format("{} -> {}: {}", alphabet.name(node.role), alphabet.name(node.to),
                       alphabet.name(node.message));
}

// The interactions that no run has, proved; of a protocol that is too large for that, none.
std::vector<bool> impossible(const ProtocolInput& input, const base::Deadline& deadline,
                             std::chrono::milliseconds patience) {
    std::vector<bool> result(input.protocol->size(), false);
    if (!input.protocol->has_data()) return result;
    symbolic::GraphLimits limits;
    limits.states = 2000;
    limits.deadline = deadline.part_of_work(patience);
    symbolic::GraphResult made = symbolic::protocol_graph(input.specification, *input.protocol, limits);
    if (!made) return result;
    solve::Solver solver(*made->pool, std::chrono::milliseconds(500));
    auto found = symbolic::reachability(*made, solver, {6, deadline.part_of_work(patience)});
    std::vector<bool> possible(input.protocol->size(), false), met = possible;
    for (model::GraphStateId s : made->states.ids())
        for (model::GraphEdgeId e : made->states[s].out.ids()) {
            model::NodeId node = made->states[s].out[e].node;
            if (!node) continue;
            met[node.index] = true;
            if (found.edges[s][e] != symbolic::Reach::unreachable) possible[node.index] = true;
        }
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = met[i] && !possible[i];
    return result;
}

UnseenStep unseen_step(const Inquiry& inquiry, const ProtocolInput& input, model::RoleId cut,
                       const Missing& m, bool reachable) {
    const model::Alphabet& names = *input.specification.alphabet;
    auto line_of = [&](model::NodeId node) {
        return model::line_of(input.protocol, node, inquiry.sources());
    };
    UnseenStep step;
    step.step = step_text(input, m.step);
    step.line = line_of(m.step);
    step.by_tester = m.to_component;
    step.reachable = reachable;
    step.up_to_component = !m.to_component && (!m.at || m.by == cut);
    step.wrong = m.wrong;
    step.unread = m.unread;
    step.cause = m.cause;
    if (m.at) step.at = line_of(m.at);
    if (m.by) step.decider = names.name(m.by);
    return step;
}

void add_unseen_steps(const Inquiry& inquiry, const ProtocolInput& input, model::RoleId cut,
                      const roles::Coverage& coverage, std::chrono::milliseconds patience,
                      TestedCoverage& result) {
    std::vector<Missing> all = campaign::missing_steps(*input.protocol, coverage);
    if (all.empty()) return;
    std::vector<bool> never = impossible(input, inquiry.context.deadline, patience);
    for (const Missing& m : all) {
        bool reachable = !never[m.step.index];
        UnseenStep& step = result.unseen.emplace_back(unseen_step(inquiry, input, cut, m, reachable));
        result.impossible += !reachable;
        // Also what the tester would have sent, had the component decided otherwise.
        result.up_to_component += reachable && (step.up_to_component || (m.at && m.by == cut));
    }
}

void add_values(const ProtocolInput& input, roles::RolePart& part, const roles::Coverage& coverage,
                TestedCoverage& result) {
    const model::Specification& spec = input.specification;
    std::size_t questions = 200;  // and not a time, so that a busy machine gives the same answer
    for (const auto& [field, classes] : coverage.values) {
        const expr::Field& declared = spec.message(field.first).fields[field.second];
        std::vector<std::string_view> of_type = roles::value_classes(*spec.types, declared.type);
        if (of_type.empty()) continue;
        auto text = [&](std::string_view one) {
            return roles::class_text(one, *spec.types, declared.type, *spec.names);
        };
        SeenField& seen = result.fields.emplace_back();
        seen.message = spec.alphabet->name(field.first);
        seen.field = spec.names->text(declared.name);
        for (const auto& [one, count] : classes) {
            seen.classes.emplace_back(text(one), count);
            result.value_classes.add(true);
        }
        for (std::string_view one : of_type) {
            if (classes.contains(one)) continue;
            bool reachable =
                part.maker->possible(field.first, field.second, one, questions) != solve::Found::no;
            seen.unseen.push_back({text(one), reachable});
            if (reachable) result.value_classes.add(false);
        }
    }
}

}  // namespace

TestedCoverage tested_coverage(const Inquiry& inquiry, const ProtocolInput& input, roles::RolePart& part,
                               const roles::Coverage& coverage, std::chrono::milliseconds patience) {
    TestedCoverage result;
    result.covered = coverage.covered();
    result.total = coverage.steps.size();
    add_unseen_steps(inquiry, input, part.cut, coverage, patience, result);
    add_values(input, part, coverage, result);
    campaign::Measures m = campaign::measures(*input.protocol, part.cut, coverage);
    result.messages = m.messages;
    result.branches = m.branches;
    result.guards = m.guards;
    for (const auto& [role, measure] : m.peers)
        result.roles.emplace_back(input.specification.alphabet->name(role), measure);
    return result;
}

}  // namespace treaty::api
