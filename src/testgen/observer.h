// What the other roles saw and did, together: is it still part of one run of the protocol?
//
// The tester plays every role but one, so it knows the order of all their events; of the role that is tested
// it sees nothing but what arrives. An observer keeps all configurations of the protocol's own machines, over
// the same channels, that agree with what was seen, and refuses an event after which there is none left. What
// a correct component does with the tester is a run of those machines, so it is never refused; and where no
// order of the component's own events could be told from another by anyone else, no order is refused.
//
// Sets of configurations are remembered and numbered, so a step taken before costs one lookup. They are
// bounded: beyond max_positions, or the deadline, everything is allowed and exhausted() says that nothing may
// be concluded from it. Not safe for concurrent use: one observer a thread.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/limits.h"
#include "explore/configuration.h"
#include "testgen/projections.h"

namespace treaty::testgen {

class Observer {
public:
    static constexpr std::uint32_t refused = UINT32_MAX;
    static constexpr std::size_t max_positions = 2'000'000;

    Observer(const Projections& projections, model::RoleId cut, model::Channels channels,
             base::Deadline deadline = {}, std::size_t most_positions = max_positions);

    std::uint32_t start() const { return 0; }
    // After one more event of the tester; in sync mode an event is its send.
    std::uint32_t next(std::uint32_t state, model::LabelId label);
    // Whether what was seen may be all there is to see: a run that has ended well.
    bool complete(std::uint32_t state) const { return complete_[state]; }
    // What the tester could see next, ascending.
    std::vector<model::LabelId> expected(std::uint32_t state) const;
    bool exhausted() const { return exhausted_; }

    // Whether the tester sees an event of that label.
    bool sees(model::LabelId label) const;

private:
    using Set = std::vector<std::uint32_t>;  // of positions, ascending
    std::uint32_t number(Set set);
    std::uint32_t intern(explore::Configuration position);
    Set close(Set set);

    explore::Stepping stepping_;
    const model::Alphabet* alphabet_;
    model::RoleId cut_;
    bool sync_;
    base::Deadline deadline_;
    std::size_t most_positions_;
    bool exhausted_ = false;
    std::vector<explore::Configuration> positions_;
    absl::flat_hash_map<explore::Configuration, std::uint32_t> position_ids_;
    std::vector<Set> sets_;
    std::vector<bool> complete_;
    absl::flat_hash_map<Set, std::uint32_t> set_ids_;
    absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> steps_;
};

}  // namespace treaty::testgen
