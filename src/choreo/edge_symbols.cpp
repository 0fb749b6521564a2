#include "choreo/edge_symbols.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace treaty::choreo {
namespace {

using model::EdgeData;
using model::LabelId;

struct SymbolBefore {
    bool operator()(const EdgeSymbols::Symbol& a, const EdgeSymbols::Symbol& b) const {
        if (a.label != b.label) return a.label < b.label;
        if (!a.data || !b.data) return !a.data && b.data;
        return data_before(*a.data, *b.data);
    }
};

}  // namespace

bool data_before(const EdgeData& a, const EdgeData& b) {
    auto fixed = [](const EdgeData& d) {
        return std::tuple(d.guard, d.where, d.data.size(), d.assignments.size());
    };
    if (fixed(a) != fixed(b)) return fixed(a) < fixed(b);
    auto argument = [](const model::Argument& x) { return std::tuple(x.bind, x.value); };
    for (std::size_t i = 0; i < a.data.size(); ++i)
        if (argument(a.data[i]) != argument(b.data[i])) return argument(a.data[i]) < argument(b.data[i]);
    auto assignment = [](const model::Assignment& x) { return std::tuple(x.variable, x.value); };
    for (std::size_t i = 0; i < a.assignments.size(); ++i)
        if (assignment(a.assignments[i]) != assignment(b.assignments[i]))
            return assignment(a.assignments[i]) < assignment(b.assignments[i]);
    return false;
}

EdgeSymbols::EdgeSymbols(const model::Machine& machine) {
    std::map<Symbol, std::uint32_t, SymbolBefore> known;
    known[{LabelId(0u), nullptr}] = 0;
    auto symbol_of = [&](model::StateId s, std::size_t i) {
        Symbol symbol{machine.out(s)[i].label, nullptr};
        if (machine.has_data() && !machine.data(s, i).empty()) symbol.data = &machine.data(s, i);
        return symbol;
    };
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (std::size_t i = 0; i < machine.out(model::StateId(s)).size(); ++i)
            known[symbol_of(model::StateId(s), i)] = 0;
    for (auto& [symbol, index] : known) {
        index = static_cast<std::uint32_t>(symbols.size());
        symbols.push_back(symbol);
    }
    first_edge.push_back(0);
    of_edge.reserve(machine.edge_count());
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        for (std::size_t i = 0; i < machine.out(model::StateId(s)).size(); ++i)
            of_edge.push_back(known.at(symbol_of(model::StateId(s), i)));
        first_edge.push_back(static_cast<std::uint32_t>(of_edge.size()));
    }
}

}  // namespace treaty::choreo
