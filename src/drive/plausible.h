// Whether the protocol allows these messages to the component in this order, whatever the component says.
//
// `false` is certain: no conversation has them. So what shrinking makes up and the protocol forbids need not
// be tried. First by the messages alone, then with their data: what the component says is not known before it
// has said it, so a condition that needs it counts as true, and so does one that needs what another role of
// the tester says, since how messages of different roles interleave is left aside. Both are bounded by the
// number of places looked at; beyond that the answer is true.
#pragma once

#include <span>

#include "drive/outcome.h"
#include "drive/part.h"

namespace treaty::drive {

bool plausible(const Part& part, std::span<const Exchange> exchanges);

}  // namespace treaty::drive
