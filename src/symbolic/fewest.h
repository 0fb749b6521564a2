// The search for the fewest additions that make a draft realizable, which misses no set of them: for one
// problem at a time, all that can have a part in repairing it are tried (relevance.h).
//
// A draft without problems is judged: what is worth nothing counts as one more problem, in which everything
// has a part; of the others the best one is kept, and the search goes on for a while if there may be a better
// one. Sets that were tried in one order are not tried in another. What is left undone at the limits is
// `cut`; `none` means that there is no set of that size.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/limits.h"
#include "symbolic/additions.h"

namespace treaty::symbolic {

// How good a draft without problems is: 0 if the roles, composed, do not do what it says.
using Judge = std::function<std::uint8_t(const Draft&, const std::vector<Addition>&)>;
constexpr std::uint8_t best_worth = 5;

class Fewest {
public:
    enum class Tried : std::uint8_t { found, none, cut };

    // work: edges of the drafts that are checked, in all searches together; named_before: the number of the
    // addition before the first.
    Fewest(const Draft& start, const GuardFacts& facts, CommunicationMode mode, std::size_t named_before,
           const Judge& judge, std::size_t work, base::Deadline deadline)
        : start_(start),
          facts_(facts),
          mode_(mode),
          named_before_(named_before),
          judge_(judge),
          work_(work),
          work_left_(work),
          deadline_(deadline) {}

    // A set of at most so many that is worth more than that. To be asked for one, then two, and so on: what
    // was found out stays known.
    Tried search(std::size_t count, std::uint8_t more_than = 0);
    // Of the last search, if it found one.
    const std::vector<Addition>& additions() const { return additions_; }
    Draft& draft() { return found_; }

private:
    struct Key {
        std::uint64_t first = 0, second = 0;
        friend bool operator==(const Key&, const Key&) = default;
        template <class H>
        friend H AbslHashValue(H h, const Key& k) {
            return H::combine(std::move(h), k.first, k.second);
        }
    };

    Tried go_on(const Draft& draft, std::size_t left);
    Tried judged(const Draft& draft, std::size_t left);
    void look_for_better();
    Tried try_all(const Draft& draft, const std::vector<Problem>& problems, std::size_t left);
    static Key key_of(const SymbolicGraph& graph);

    const Draft& start_;
    const GuardFacts& facts_;
    CommunicationMode mode_;
    std::size_t named_before_;
    const Judge& judge_;
    std::size_t work_, work_left_;
    base::Deadline deadline_;
    std::vector<Addition> chosen_;
    // The best of a search, and how many were judged worth something.
    Draft found_{SymbolicGraph{}};
    std::vector<Addition> additions_;
    std::uint8_t worth_ = 0;
    std::size_t judged_ = 0;
    // Drafts of which it is known that so many more additions do not repair them.
    absl::flat_hash_map<Key, std::size_t> hopeless_;
};

}  // namespace treaty::symbolic
