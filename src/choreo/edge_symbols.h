// Edges of a machine as numbers: two edges have the same symbol exactly if label and data are equal.
//
// Symbols are numbered in a fixed order (by label, then by data), so what is derived from them comes out
// the same however the machine was built. Symbol 0 is the plain silent step, whether it occurs or not.
// Internal to this folder. Views the machine, which must outlive it.
#pragma once

#include <cstdint>
#include <vector>

#include "model/machine.h"

namespace treaty::choreo {

struct EdgeSymbols {
    struct Symbol {
        model::LabelId label;
        const model::EdgeData* data = nullptr;  // null: none
    };
    std::vector<Symbol> symbols;
    std::vector<std::uint32_t> of_edge;     // by position in the machine's rows, state after state
    std::vector<std::uint32_t> first_edge;  // by state, and one more

    explicit EdgeSymbols(const model::Machine& machine);
    std::uint32_t at(model::StateId s, std::size_t i) const { return of_edge[first_edge[s.index] + i]; }
    model::EdgeData data(std::uint32_t symbol) const {
        return symbols[symbol].data ? *symbols[symbol].data : model::EdgeData{};
    }
};

// A fixed total order of edge data.
bool data_before(const model::EdgeData& a, const model::EdgeData& b);

}  // namespace treaty::choreo
