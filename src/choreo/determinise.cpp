// The subset construction. A subset keeps only the states that matter: final ones and those with an edge
// that is not plain silent; so subsets that differ in mere passing places are one.
#include "choreo/determinise.h"

#include <algorithm>

#include <absl/container/node_hash_map.h>

#include "base/check.h"
#include "choreo/edge_symbols.h"

namespace treaty::choreo {
namespace {

using model::Machine;
using model::NodeId;
using model::StateId;

using Subset = std::vector<std::uint32_t>;

class Subsets {
public:
    Subsets(const Machine& machine, const MachineLimits& limits)
        : machine_(machine),
          limits_(limits),
          watch_(limits),
          symbols_(machine),
          seen_(machine.state_count(), 0),
          builder_(machine.name(), machine.alphabet_ptr(), machine.role(), machine.pool()) {}

    MachineResult run() {
        add({machine_.initial().index});
        for (std::size_t s = 0; s < subsets_.size(); ++s) {
            auto stop = watch_.ask(subsets_.size(), bytes_);
            if (stop != base::StopReason::none) return MachineResult::stop(stop, describe(stop, limits_));
            expand(s);
        }
        auto result = builder_.finish();
        TREATY_CHECK(result.has_value());
        return MachineResult::of(std::move(*result));
    }

private:
    struct Move {
        std::uint32_t symbol;
        std::uint32_t target;
        NodeId node;
    };

    void expand(std::size_t s) {
        moves_.clear();
        for (std::uint32_t q : *subsets_[s]) {
            StateId state(q);
            auto edges = machine_.out(state);
            for (std::size_t i = 0; i < edges.size(); ++i)
                if (std::uint32_t symbol = symbols_.at(state, i); symbol != 0)
                    moves_.push_back({symbol, edges[i].target.index, machine_.node(state, i)});
        }
        std::stable_sort(moves_.begin(), moves_.end(),
                         [](const Move& a, const Move& b) { return a.symbol < b.symbol; });
        for (std::size_t i = 0; i < moves_.size();) {
            std::uint32_t symbol = moves_[i].symbol;
            NodeId node;
            Subset targets;
            for (; i < moves_.size() && moves_[i].symbol == symbol; ++i) {
                targets.push_back(moves_[i].target);
                node = std::min(node, moves_[i].node);  // none is the greatest
            }
            StateId target = add(std::move(targets));
            builder_.edge(StateId(s), symbols_.symbols[symbol].label, target, node, symbols_.data(symbol));
            bytes_ += 48;
        }
    }

    // The state that represents these and all they reach silently.
    StateId add(Subset stack) {
        ++epoch_;
        Subset subset;
        bool final = false;
        for (std::uint32_t q : stack) seen_[q] = epoch_;
        while (!stack.empty()) {
            StateId q(stack.back());
            stack.pop_back();
            bool matters = machine_.final(q);
            final = final || matters;
            auto edges = machine_.out(q);
            for (std::size_t i = 0; i < edges.size(); ++i) {
                if (symbols_.at(q, i) != 0) {
                    matters = true;
                } else if (seen_[edges[i].target.index] != epoch_) {
                    seen_[edges[i].target.index] = epoch_;
                    stack.push_back(edges[i].target.index);
                }
            }
            if (matters) subset.push_back(q.index);
        }
        std::sort(subset.begin(), subset.end());
        subset.erase(std::unique(subset.begin(), subset.end()), subset.end());
        auto [known, added] =
            ids_.try_emplace(std::move(subset), static_cast<std::uint32_t>(subsets_.size()));
        if (added) {
            subsets_.push_back(&known->first);
            builder_.state(final);
            bytes_ += 96 + known->first.size() * sizeof(std::uint32_t);
        }
        return StateId(known->second);
    }

    const Machine& machine_;
    const MachineLimits& limits_;
    LimitWatch watch_;
    EdgeSymbols symbols_;
    std::vector<std::uint32_t> seen_;  // by state: the epoch of the closure that saw it last
    std::uint32_t epoch_ = 0;
    absl::node_hash_map<Subset, std::uint32_t> ids_;
    std::vector<const Subset*> subsets_;
    std::vector<Move> moves_;
    std::size_t bytes_ = 0;
    model::MachineBuilder builder_;
};

}  // namespace

MachineResult determinise(const Machine& machine, const MachineLimits& limits) {
    return Subsets(machine, limits).run();
}

}  // namespace treaty::choreo
