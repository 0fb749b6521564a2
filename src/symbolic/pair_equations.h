// The equations of conformance: for a pair of states, the condition under which it conforms, in terms of the
// conditions of the pairs it leads to (the cases of Nguyen 2013, definition 4).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/symbolic_graph.h"
#include "symbolic/logic.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphState;
using model::GraphStateId;
using model::LabelId;
using model::SymbolicGraph;

struct StatePair {
    GraphStateId implementation = SymbolicGraph::initial, specification = SymbolicGraph::initial;
    friend auto operator<=>(const StatePair&, const StatePair&) = default;
    template <typename H>
    friend H AbslHashValue(H h, StatePair p) {
        return H::combine(std::move(h), p.implementation, p.specification);
    }
};

// A way through silent steps of the implementation.
struct SilentPath {
    GraphStateId end;
    ExprId condition;                           // over the variables at its start
    absl::flat_hash_map<VarId, ExprId> values;  // at its end, in terms of those at its start
    std::vector<VarId> chosen;
};

class PairEquations {
public:
    PairEquations(const SymbolicGraph& implementation, const SymbolicGraph& specification, Logic& logic);

    using Known = std::function<ExprId(StatePair)>;
    // Nothing if a quantifier cannot be eliminated; problem() names it.
    std::optional<ExprId> evaluate(StatePair pair, const Known& known);
    const std::string& problem() const { return problem_; }

    // The pairs that the equation of this one reads; itself among them where it leads back to itself.
    std::vector<StatePair> successors(StatePair pair) const;
    const std::vector<SilentPath>& silent_paths(GraphStateId s) const { return paths_[s]; }
    // Whether some silent paths were left out, so that a "no" may be wrong.
    bool paths_cut() const { return paths_cut_; }

    // The parts of the equation, for finding what is wrong.
    ExprId guard(const SymbolicGraph& graph, const GraphEdge& edge) const { return graph.guard(edge); }
    ExprId data(const GraphEdge& edge) { return edge.condition ? edge.condition : logic_.yes(); }
    // The condition of the pair after the two edges, in terms of the values before and the payload.
    ExprId after(ExprId condition, const GraphEdge* implementation, const GraphEdge* specification);
    const SymbolicGraph& implementation() const { return implementation_; }
    const SymbolicGraph& specification() const { return specification_; }

private:
    void find_paths(GraphStateId s);
    std::optional<ExprId> for_all_payload(LabelId label, ExprId e);
    std::optional<ExprId> silent_steps(StatePair pair, const Known& known);
    std::optional<ExprId> ends(StatePair pair, const Known& known);
    std::optional<ExprId> implementation_events(StatePair pair, const Known& known);
    std::optional<ExprId> specification_events(StatePair pair, const Known& known);
    // That the implementation can take the silent path, and that at its end these hold and the pair is
    // related.
    std::optional<ExprId> along(const SilentPath& path, StatePair pair, std::vector<ExprId> at_end,
                                const Known& known);
    // When each event of the implementation that may match this one does, in terms of the payload.
    std::optional<std::vector<ExprId>> counterparts(StatePair pair, const GraphEdge& wanted,
                                                    const Known& known);
    bool fail() {
        problem_ = logic_.problem();
        return false;
    }

    const SymbolicGraph& implementation_;
    const SymbolicGraph& specification_;
    Logic& logic_;
    model::ByGraphState<std::vector<SilentPath>>
        paths_;  // by state of the implementation; the empty one first
    bool paths_cut_ = false;
    std::string problem_;
};

}  // namespace treaty::symbolic
