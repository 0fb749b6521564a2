// Whether the protocol allows these messages to the component in this order, whatever the component says.
//
// `false` is certain: no conversation has them. So what shrinking makes up and the protocol forbids need not
// be tried. First by the messages alone, then with their data: what the component says is not known before it
// has said it, so a condition that needs it counts as true, and so does one that needs what another role of
// the tester says, since how messages of different roles interleave is left aside. Bounded by the places that
// are looked at, by the steps tried from them, by time and by the user's interrupt; beyond that the answer is
// true.
#pragma once

#include <span>

#include "base/limits.h"
#include "drive/outcome.h"
#include "drive/part.h"

namespace treaty::drive {

struct PlausibleLimits {
    base::Deadline deadline;
    std::size_t steps = 5'000'000;  // transitions tried, enabled or not: some tenths of a second
};

bool plausible(const Part& part, std::span<const Exchange> exchanges, const PlausibleLimits& limits = {});

}  // namespace treaty::drive
