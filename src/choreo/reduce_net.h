// A net with fewer silent steps and the same conversations.
//
// What holds: every sequence of events (with its data) that the given net allows, the result allows, and the
// other way round; and one ends successfully exactly where the other does. Labelled transitions are never
// removed or doubled, so coverage counted on the result is coverage of the protocol. Guards, assignments
// and interrupts are never lost: a silent step that carries one stays. Places that nothing uses any more are
// dropped; the rest keep their order.
//
// This is the removal of theta steps of Klomp 2018, with the side conditions that make it exact. Near linear.
#pragma once

#include "model/net.h"

namespace treaty::choreo {

model::Net reduce_net(const model::Net& net);

}  // namespace treaty::choreo
