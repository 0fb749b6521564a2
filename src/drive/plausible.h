// Whether the protocol allows these messages to the component in this order, whatever the component says and
// whatever data they carry.
//
// `false` is certain: no conversation has them. So what shrinking makes up and the protocol forbids need not
// be tried. Data, and how the messages of different roles interleave, are left aside: the answer is then
// true. Bounded by the number of markings looked at; beyond it the answer is true.
#pragma once

#include <span>

#include "drive/outcome.h"
#include "drive/part.h"

namespace treaty::drive {

bool plausible(const Part& part, std::span<const Exchange> exchanges);

}  // namespace treaty::drive
