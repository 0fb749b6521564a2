// Which role knows which values, state by state (owner(s, x) of Nguyen 2013, section 3.4.2).
//
// A role knows a variable where, on every way there, it took part in the interaction that carried its value
// last, or could compute it from what it knew. All roles know what is never bound: it is there before the
// protocol begins. Cost: a few bits for each state, role and variable; time in proportion to edges times
// roles, times the rounds that loops take.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "model/symbolic_graph.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphState;
using model::GraphStateId;
using model::GuardPart;
using model::SymbolicGraph;

// These and all variables that they may be computed from, by what one role can work out alone.
std::vector<VarId> with_sources(const SymbolicGraph& graph, std::vector<VarId> variables);

class Knowledge {
public:
    Knowledge() = default;
    Knowledge(const SymbolicGraph& graph, std::span<const model::RoleId> roles);

    // The role by its position among those it was made for. False for a state that came later.
    bool knows(GraphStateId s, std::size_t role, VarId v) const;

private:
    std::uint64_t* words(GraphStateId s, std::size_t role) {
        return known_.data() + (s.index * roles_ + role) * width_;
    }
    void learn(const SymbolicGraph& graph, const GraphEdge& edge, bool party, const std::uint64_t* before,
               std::vector<std::uint64_t>& after) const;
    bool has(const std::uint64_t* set, VarId v) const;

    std::size_t roles_ = 0, width_ = 0, states_ = 0;
    absl::flat_hash_map<VarId, std::size_t> positions_;
    std::vector<std::uint64_t> known_;
};

}  // namespace treaty::symbolic
