// Two partitions are refined against each other: blocks of states, and bunches of edges with the same symbol
// that lead into the same block. A bunch splits the blocks into states that have such an edge and states
// that have none; a block that was split off splits the bunches into edges that lead to it and edges that
// do not. The split-off part is always the smaller one, so each state and edge is looked at a logarithmic
// number of times. (The scheme is Hopcroft's, in the form for partial functions: no sink state is needed.)
// Leaving the larger part alone is right only because a state has one edge a symbol; other machines are
// refined in rounds, by what each state offers.
#include "choreo/minimise.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/check.h"
#include "choreo/edge_symbols.h"

namespace treaty::choreo {
namespace {

using model::Machine;
using model::StateId;

// A partition of 0..n-1 into sets, each a contiguous stretch of `items`; marked members come first.
class Partition {
public:
    explicit Partition(std::size_t n) : items_(n), place_(n), set_(n, 0), begin_{0}, end_{n}, marked_{0} {
        std::iota(items_.begin(), items_.end(), 0u);
        std::iota(place_.begin(), place_.end(), 0u);
        if (n == 0) begin_.clear(), end_.clear(), marked_.clear();
    }

    std::size_t count() const { return begin_.size(); }
    std::uint32_t set_of(std::uint32_t item) const { return set_[item]; }
    std::span<const std::uint32_t> members(std::size_t set) const {
        return std::span(items_).subspan(begin_[set], end_[set] - begin_[set]);
    }

    void mark(std::uint32_t item) {
        std::uint32_t s = set_[item];
        std::size_t at = place_[item], border = begin_[s] + marked_[s];
        if (at < border) return;
        std::uint32_t other = items_[border];
        items_[at] = other;
        place_[other] = static_cast<std::uint32_t>(at);
        items_[border] = item;
        place_[item] = static_cast<std::uint32_t>(border);
        if (marked_[s]++ == 0) touched_.push_back(s);
    }

    // Every set with marked and unmarked members becomes two; the smaller part is the new set.
    void split() {
        for (std::uint32_t s : touched_) {
            std::size_t border = begin_[s] + marked_[s];
            marked_[s] = 0;
            if (border == end_[s]) continue;
            auto fresh = static_cast<std::uint32_t>(count());
            if (border - begin_[s] <= end_[s] - border) {
                begin_.push_back(begin_[s]);
                end_.push_back(border);
                begin_[s] = border;
            } else {
                begin_.push_back(border);
                end_.push_back(end_[s]);
                end_[s] = border;
            }
            marked_.push_back(0);
            for (std::uint32_t item : members(fresh)) set_[item] = fresh;
        }
        touched_.clear();
    }

private:
    std::vector<std::uint32_t> items_, place_, set_;
    std::vector<std::size_t> begin_, end_, marked_;
    std::vector<std::uint32_t> touched_;
};

struct FlatEdge {
    std::uint32_t source, symbol, target;
};

std::vector<FlatEdge> flatten(const Machine& machine, const EdgeSymbols& symbols) {
    std::vector<FlatEdge> edges;
    edges.reserve(machine.edge_count());
    for (std::uint32_t s = 0; s < machine.state_count(); ++s) {
        auto out = machine.out(StateId(s));
        for (std::size_t i = 0; i < out.size(); ++i)
            edges.push_back({s, symbols.at(StateId(s), i), out[i].target.index});
    }
    return edges;
}

Partition refine(const Machine& machine, const std::vector<FlatEdge>& edges) {
    Partition blocks(machine.state_count());
    for (std::uint32_t s = 0; s < machine.state_count(); ++s)
        if (machine.final(StateId(s))) blocks.mark(s);
    blocks.split();

    std::vector<std::uint32_t> by_symbol(edges.size());
    std::iota(by_symbol.begin(), by_symbol.end(), 0u);
    std::stable_sort(by_symbol.begin(), by_symbol.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return edges[a].symbol < edges[b].symbol; });
    Partition bunches(edges.size());
    for (std::size_t i = 0; i < by_symbol.size();) {
        std::uint32_t symbol = edges[by_symbol[i]].symbol;
        for (; i < by_symbol.size() && edges[by_symbol[i]].symbol == symbol; ++i) bunches.mark(by_symbol[i]);
        bunches.split();
    }

    std::vector<std::uint32_t> rows(machine.state_count() + 1, 0), into(edges.size());
    for (const FlatEdge& e : edges) ++rows[e.target + 1];
    for (std::size_t s = 0; s < machine.state_count(); ++s) rows[s + 1] += rows[s];
    std::vector<std::uint32_t> next(rows.begin(), rows.end() - 1);
    for (std::uint32_t e = 0; e < edges.size(); ++e) into[next[edges[e].target]++] = e;

    std::size_t done_blocks = 1;  // one block need not split bunches: it is what the others leave
    for (std::size_t done_bunches = 0; done_bunches < bunches.count() || done_blocks < blocks.count();) {
        for (; done_blocks < blocks.count(); ++done_blocks) {
            for (std::uint32_t s : blocks.members(done_blocks))
                for (std::uint32_t i = rows[s]; i < rows[s + 1]; ++i) bunches.mark(into[i]);
            bunches.split();
        }
        if (done_bunches < bunches.count()) {
            for (std::uint32_t e : bunches.members(done_bunches)) blocks.mark(edges[e].source);
            blocks.split();
            ++done_bunches;
        }
    }
    return blocks;
}

bool deterministic(const Machine& machine, const EdgeSymbols& symbols) {
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        std::vector<std::uint32_t> own(symbols.of_edge.begin() + symbols.first_edge[s],
                                       symbols.of_edge.begin() + symbols.first_edge[s + 1]);
        std::sort(own.begin(), own.end());
        if (std::adjacent_find(own.begin(), own.end()) != own.end()) return false;
    }
    return true;
}

Partition refine_in_rounds(const Machine& machine, const std::vector<FlatEdge>& edges) {
    std::size_t n = machine.state_count();
    std::vector<std::uint32_t> block(n);
    for (std::uint32_t s = 0; s < n; ++s) block[s] = machine.final(StateId(s));
    using Offer = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // symbol, block
    for (std::size_t count = 0;;) {
        std::vector<Offer> offers(n);
        for (const FlatEdge& e : edges) offers[e.source].push_back({e.symbol, block[e.target]});
        std::map<std::pair<std::uint32_t, Offer>, std::uint32_t> known;
        std::vector<std::uint32_t> finer(n);
        for (std::uint32_t s = 0; s < n; ++s) {
            std::sort(offers[s].begin(), offers[s].end());
            offers[s].erase(std::unique(offers[s].begin(), offers[s].end()), offers[s].end());
            auto key = std::pair(block[s], std::move(offers[s]));
            finer[s] =
                known.try_emplace(std::move(key), static_cast<std::uint32_t>(known.size())).first->second;
        }
        block = std::move(finer);
        if (known.size() == count) break;
        count = known.size();
    }
    Partition blocks(n);
    std::vector<std::vector<std::uint32_t>> members(n);
    for (std::uint32_t s = 0; s < n; ++s) members[block[s]].push_back(s);
    for (const auto& list : members) {
        for (std::uint32_t s : list) blocks.mark(s);
        blocks.split();
    }
    return blocks;
}

}  // namespace

Machine minimise(const Machine& machine) {
    EdgeSymbols symbols(machine);
    auto edges = flatten(machine, symbols);
    Partition blocks =
        deterministic(machine, symbols) ? refine(machine, edges) : refine_in_rounds(machine, edges);

    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role(), machine.pool());
    constexpr std::uint32_t none = ~0u;
    std::vector<std::uint32_t> new_id(blocks.count(), none);
    std::vector<std::uint32_t> order;  // blocks, breadth-first
    auto number = [&](StateId s) {
        std::uint32_t block = blocks.set_of(s.index);
        if (new_id[block] == none) {
            new_id[block] = builder.state(machine.final(s)).index;
            order.push_back(block);
        }
        return StateId(new_id[block]);
    };
    number(machine.initial());
    struct Out {
        std::uint32_t symbol;
        StateId target;
        model::NodeId node;
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::vector<Out> out;
        for (std::uint32_t member : blocks.members(order[i])) {
            auto own = machine.out(StateId(member));
            for (std::size_t k = 0; k < own.size(); ++k)
                out.push_back(
                    {symbols.at(StateId(member), k), own[k].target, machine.node(StateId(member), k)});
        }
        std::stable_sort(out.begin(), out.end(), [](const Out& a, const Out& b) {
            return std::tuple(a.symbol, a.node) < std::tuple(b.symbol, b.node);
        });
        for (const Out& o : out)
            builder.edge(StateId(i), symbols.symbols[o.symbol].label, number(o.target), o.node,
                         symbols.data(o.symbol));
    }
    auto result = builder.finish();
    TREATY_CHECK(result.has_value());
    return std::move(*result);
}

}  // namespace treaty::choreo
