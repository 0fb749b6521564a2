// The normal form of a graph: deterministic, with what may be refused written on each node. Made while it is
// asked.
//
// A node represents all states that a trace can lead to, silent steps included, so two graphs have the same
// traces and failures exactly if their normal forms, walked together, agree everywhere. steps(n) is
// sorted by label and has each label once. acceptances(n) are the least sets that the node cannot refuse as a
// whole: each is what one stable member offers, {tick} for one that can end; sorted, none inside another;
// empty if no member is stable. The label 0 means tick in them. Cost: at worst exponential in the
// states, so there is a limit; when it is reached, or the graph is broken, broken() holds and nothing new may
// be concluded.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/id.h"
#include "explore/refine/graph.h"

namespace treaty::explore {

using NormalId = base::Id<struct NormalTag>;
using Acceptance = std::vector<model::LabelId>;  // sorted; the label 0 is tick

struct NormalStep {
    model::LabelId label;
    NormalId target;
};

// Can a state go on for ever without anybody seeing it? Answers are remembered.
//
// Cost: O(silent edges) for all questions together. A broken graph gives no answer that may be relied on.
class Divergence {
public:
    explicit Divergence(Graph& graph) : graph_(graph) {}
    // Whether a cycle of silent steps can be reached from s by silent steps.
    bool operator()(model::StateId s);

private:
    enum class Mark : std::uint8_t { unknown, open, no, yes };
    Mark& mark(model::StateId s);

    Graph& graph_;
    std::vector<Mark> marks_;
};

class NormalForm {
public:
    explicit NormalForm(Graph& graph, std::uint64_t max_members = UINT64_MAX);

    Graph& graph() { return graph_; }
    NormalId initial() const { return NormalId(0u); }
    std::size_t size() const { return nodes_.size(); }  // so far
    std::span<const model::StateId> members(NormalId n) const;
    // Valid until the steps of another node are asked for.
    std::span<const NormalStep> steps(NormalId n) {
        if (!nodes_[n.index].expanded) expand(n);
        const Node& node = nodes_[n.index];
        return std::span(steps_).subspan(node.first_step, node.step_count);
    }
    NormalId after(NormalId n, model::LabelId label);  // none if the label is not offered
    bool final(NormalId n) const { return nodes_[n.index].final; }
    const std::vector<Acceptance>& acceptances(NormalId n);
    bool diverges(NormalId n);
    // Whether every member of a is one of b.
    bool within(NormalId a, NormalId b) const;

    bool broken() const { return full_ || graph_.broken(); }
    base::StopReason stopped() const { return full_ ? base::StopReason::states : graph_.stopped(); }
    std::string why() const { return full_ ? "the normal form is too large" : graph_.why(); }

private:
    struct Node {
        std::uint64_t first_member = 0;
        std::uint32_t member_count = 0;
        std::uint64_t first_step = 0;
        std::uint32_t step_count = 0;
        std::uint32_t acceptances = none;
        bool expanded = false;
        bool final = false;
    };
    static constexpr std::uint32_t none = UINT32_MAX;

    NormalId single(model::StateId s);
    NormalId node_of(std::vector<model::StateId>& states);  // closes under silent steps and sorts
    NormalId intern(std::span<const model::StateId> members);
    void expand(NormalId n);
    bool plain(model::StateId s);  // has no silent step

    Graph& graph_;
    Divergence divergence_;
    std::uint64_t max_members_;
    bool full_ = false;
    std::vector<Node> nodes_;
    std::vector<model::StateId> members_;
    std::vector<NormalStep> steps_;
    std::deque<std::vector<Acceptance>> acceptances_;  // a deque: references stay valid
    absl::flat_hash_map<std::uint64_t, std::vector<NormalId>> by_hash_;
    std::vector<NormalId> singles_;  // of a state that has no silent step: the node of it alone
    std::vector<std::uint32_t> stamp_;
    std::uint32_t now_ = 0;
};

// a within b, both sorted.
bool within(const Acceptance& a, const Acceptance& b);
// Sorted, none within another.
void keep_least(std::vector<Acceptance>& sets);

}  // namespace treaty::explore
