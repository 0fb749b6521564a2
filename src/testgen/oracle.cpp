// A state of a projection may represent several positions in the protocol, because projections are minimal.
// To know whether a role is done with a step in a state, the messages of the step are marked in a copy of the
// protocol and the role is projected from it again. Walking both machines along the same words says which
// states of the marked machine a state represents; it is a success state if none of them leads to a marked
// message.

#include "testgen/oracle.h"

#include <charconv>
#include <deque>
#include <set>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/check.h"
#include "choreo/project.h"
#include "model/protocol_edit.h"

namespace treaty::testgen {
namespace {

using model::NodeId;
using model::StateId;

std::optional<model::Protocol> marked(const Projections& projections, const std::vector<NodeId>& steps,
                                      absl::flat_hash_map<model::MessageId, model::MessageId>& plain) {
    const model::Protocol& protocol = *projections.protocol;
    model::Specification& specification = *projections.specification;
    auto inside = [&](NodeId id) {
        for (NodeId step : steps)
            if (step <= id && id.index < protocol[step].subtree_end) return true;
        return false;
    };
    model::ProtocolEdit edit(protocol, [&](model::ProtocolEdit& copy, NodeId id) {
        const model::Node& node = protocol[id];
        if (node.kind != model::NodeKind::interaction || !inside(id)) return false;
        // No reader gives a message a name with a line break in it.
        std::string name = fmt::format("{}\n", specification.alphabet->name(node.message));
        model::MessageId message = specification.alphabet->message(name);
        plain[message] = node.message;
        copy.builder().interaction(node.span, node.role, node.to, message);
        return true;
    });
    auto result = edit.run();
    specification.messages.resize(specification.alphabet->message_count());
    return result;
}

// Whether a marked message is on an edge at or after each state.
std::vector<bool> leads_to_marked(const model::Machine& machine,
                                  const absl::flat_hash_map<model::MessageId, model::MessageId>& plain) {
    std::vector<bool> leads(machine.state_count(), false);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t s = machine.state_count(); s-- > 0;) {
            if (leads[s]) continue;
            for (const model::Edge& edge : machine.out(StateId(s)))
                if (leads[edge.target.index] || plain.contains(machine.alphabet().event(edge.label).message))
                    leads[s] = true;
            changed = changed || leads[s];
        }
    }
    return leads;
}

}  // namespace

std::vector<NodeId> find_steps(const Projections& projections, const model::Protocol& original,
                               const base::SourceMap& sources, std::string_view name) {
    std::uint32_t line = 0, column = 0;
    const char* end = name.data() + name.size();
    auto parsed = std::from_chars(name.data(), end, line);
    bool numbers = parsed.ec == std::errc() && (parsed.ptr == end || *parsed.ptr == ':');
    if (numbers && parsed.ptr != end) {
        auto second = std::from_chars(parsed.ptr + 1, end, column);
        if (second.ec != std::errc() || second.ptr != end) return {};
    }
    std::vector<base::Span> wanted;
    for (std::uint32_t i = 1; i < original.size();) {
        const model::Node& node = original[NodeId(i)];
        bool named = false;
        if (numbers && node.span.valid()) {
            auto begin = sources.begin(node.span);
            named = begin.line == line && (column == 0 || begin.column == column);
        } else if (!numbers && node.kind == model::NodeKind::recursion) {
            named = original.loop_name(node.loop) == name;
        }
        if (named) wanted.push_back(node.span);
        i = named ? node.subtree_end : i + 1;
    }
    // Steps of an unrolled loop keep the spans of the steps they are copies of.
    std::vector<NodeId> found;
    const model::Protocol& protocol = *projections.protocol;
    for (std::uint32_t i = 0; i < protocol.size();) {
        const model::Node& node = protocol[NodeId(i)];
        bool inside = false;
        for (const base::Span& span : wanted)
            inside = inside || (node.span.valid() && node.span.file == span.file &&
                                span.begin <= node.span.begin && node.span.end <= span.end);
        if (inside) found.push_back(NodeId(i));
        i = inside ? node.subtree_end : i + 1;
    }
    return found;
}

base::Result<SuccessStates> success_states(const Projections& projections, const std::vector<NodeId>& steps) {
    absl::flat_hash_map<model::MessageId, model::MessageId> plain;
    auto protocol = marked(projections, steps, plain);
    if (!protocol) return base::Fault{"the protocol became too large"};
    model::Alphabet& alphabet = *projections.specification->alphabet;
    auto unmark = [&](model::LabelId label) {
        model::Event event = alphabet.event(label);
        if (auto found = plain.find(event.message); found != plain.end()) event.message = found->second;
        return alphabet.label(event);
    };
    SuccessStates result = final_states(projections);
    for (std::size_t r = 0; r < projections.machines.size(); ++r) {
        const model::Machine& machine = projections.machines[r];
        auto projected = choreo::project(*projections.specification, *protocol, machine.role());
        if (projected) projected = without_data(*projected);
        if (!projected) return base::Fault{projected.reason};
        std::vector<bool> leads = leads_to_marked(*projected, plain);
        std::vector<bool> open(machine.state_count(), false), met(machine.state_count(), false);
        std::set<std::pair<StateId, StateId>> seen{{machine.initial(), projected->initial()}};
        std::deque<std::pair<StateId, StateId>> waiting(seen.begin(), seen.end());
        for (; !waiting.empty(); waiting.pop_front()) {
            auto [here, there] = waiting.front();
            met[here.index] = true;
            if (leads[there.index]) open[here.index] = true;
            for (const model::Edge& edge : projected->out(there))
                for (const model::Edge& own : machine.out(here))
                    if (own.label == unmark(edge.label) && seen.insert({own.target, edge.target}).second)
                        waiting.emplace_back(own.target, edge.target);
        }
        for (std::size_t s = 0; s < machine.state_count(); ++s)
            if (met[s] && !open[s]) result[r][s] = true;
    }
    return result;
}

Compliance holds_for_all_runs(const Projections& projections, const SuccessStates& states,
                              const model::Channels& channels) {
    model::MachineBuilder nobody("nobody", projections.specification->alphabet);
    nobody.state(true);
    std::vector<TestMachine> all;
    for (std::size_t r = 0; r < projections.machines.size(); ++r)
        all.push_back({projections.machines[r], states[r]});
    ComplianceOptions options;
    options.channels = channels;
    return comply(nobody.finish().value(), all, nullptr, options);
}

}  // namespace treaty::testgen
