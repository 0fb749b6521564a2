// Where a component takes more rounds of a loop than the tests do.
//
// Follows the component's own events on its machine with the loops unrolled and on the one with the loops in
// it. As long as both have them, all is as tested; the first event that only the second has belongs to a
// later round. What neither has is a deviation: from then on nothing is known here, and whether a run that is
// refused would be accepted with more rounds is searched for with the machines of all roles that have the
// loops in them. Without projections, or without loops in them, nothing is ever later and nothing is
// accepted.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/configuration.h"
#include "model/system.h"
#include "testgen/projections.h"

namespace treaty::testgen {

class Rounds {
public:
    static constexpr std::uint32_t later = UINT32_MAX;

    Rounds(const Projections* projections, model::RoleId role, model::Channels channels);

    bool apply() const { return narrow_ != nullptr; }
    std::uint32_t start() const { return apply() ? encode(0, 0) : gone; }
    std::uint32_t next(std::uint32_t at, model::LabelId label) const;
    bool follows(std::uint32_t at) const { return at != gone; }
    // Whether the machine with the bound on rounds may end here and the other may go on: a component need not
    // end for the tests' sake.
    bool may_end(std::uint32_t at) const;
    // Whether what the tester saw in the run is part of a run with any number of rounds, or this is not known
    // within the limit. Machine 0 is the component.
    bool accepts(const explore::Run& run) const;

private:
    static constexpr std::uint32_t gone = UINT32_MAX - 1;
    std::uint32_t encode(std::uint32_t narrow, std::uint32_t wide) const {
        return narrow * wide_states_ + wide;
    }

    const model::Machine* narrow_ = nullptr;
    const model::Machine* wide_ = nullptr;
    std::uint32_t wide_states_ = 0;
    const std::vector<model::Machine>* looped_ = nullptr;
    model::RoleId role_;
    model::Channels channels_;
    mutable std::size_t budget_ = 1'000'000;  // configurations that accepts() may look at, in all
};

}  // namespace treaty::testgen
