// The search for the fewest additions that make a draft realizable, which misses no set of them: for one
// problem at a time, all that can have a part in mending it are tried (relevance.h).
//
// Sets that were tried in one order are not tried in another. What is left undone at the limits is `cut`;
// `none` means that there is no set of that size.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/limits.h"
#include "symbolic/additions.h"

namespace treaty::symbolic {

class Fewest {
public:
    enum class Tried : std::uint8_t { found, none, cut };

    // work: edges of the drafts that are checked, in all searches together; named_before: the number of the
    // addition before the first.
    Fewest(const Draft& start, const GuardFacts& facts, CommunicationMode mode, std::size_t named_before,
           std::size_t work, base::Deadline deadline)
        : start_(start),
          facts_(facts),
          mode_(mode),
          named_before_(named_before),
          work_left_(work),
          deadline_(deadline) {}

    // A set of at most so many. To be asked for one, then two, and so on: what was found out stays known.
    Tried search(std::size_t count) {
        chosen_.clear();
        return go_on(start_, count);
    }
    // Of the last search, if it found one.
    const std::vector<Addition>& additions() const { return chosen_; }
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
    Tried try_all(const Draft& draft, const std::vector<Problem>& problems, std::size_t left);
    static Key key_of(const Graph& graph);

    const Draft& start_;
    const GuardFacts& facts_;
    CommunicationMode mode_;
    std::size_t named_before_;
    std::size_t work_left_;
    base::Deadline deadline_;
    std::vector<Addition> chosen_;
    Draft found_{Graph{}};
    // Drafts of which it is known that so many more additions do not mend them.
    absl::flat_hash_map<Key, std::size_t> hopeless_;
};

}  // namespace treaty::symbolic
