// Whether every decision of a protocol can be made by one role and understood by the others.
//
// Coto 2023, definition 2.1, for every choice, conditional and loop. At a decision each participant has
// a set of first actions for each branch (initial_actions.h). Exactly one role is active: its sets are
// disjoint sets of sends. Every other role is passive: its sets are disjoint sets of receives, none of them
// empty, or it does not take part. On top of the definition:
//
//   Loops.  A loop decides, before every round, between another round and its end. The sets are the first
//           actions in a round and the first actions in whatever follows the loop. The role that decides may
//           do anything afterwards that a round does not begin with. Any other role of the rounds that acts
//           afterwards must do so by receiving something that no round begins with. A role that occurs only
//           in the rounds need not know the end: it ends silently. A role that occurs only afterwards is not
//           concerned. A `choice` with branches that all `continue` is a loop in this sense, and its
//           other branches are the ways out of it.
//   Continue.  A branch that leads back to the same choice before a role acts leaves the role where it was;
//           it need not learn of it. Otherwise what it does first after the jump counts.
//   Inner loops.  Where a role may have nothing to do in a branch because an inner loop has no rounds, what
//   it
//           does first after the whole choice must differ from its first actions in the branches, too.
//   Data.   A role that knows all values of the condition of an `if` or `while` needs no message.
//   Races.  A role that learns by different senders must not find the message of one branch while another is
//           taken (available_messages.h). The definition forgets this: with D deciding,
//           `A -> C: a  B -> C: b` against `B -> C: b  A -> C: a` satisfies it, yet C may take b first in
//           both.
//   Interruption is not judged here: whether a protocol survives crossing messages is a question to explore.
//
// What then holds over FIFO channels, where in addition no two parallel branches use the same channel: the
// projections together are safe (no deadlock, orphan or unexpected message) and have exactly the words of
// the pomset language. If parallel branches share a channel, but no message on it, they still have only words
// of the language, but may miss some, and may deadlock: two senders that each fill a shared channel in
// another order can block each other. If they share a message as well, its receiver may mistake one branch
// for the other.
//
// Every fault is reported with the role, the branches, and the actions involved at their places, and with
// what would repair it. Cost: the sum over decisions of branches times roles that take part, times a
// logarithm.
#pragma once

#include "base/diagnostic.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo {

struct Branching {
    bool well_branched = true;
    bool separate_channels = true;  // no two parallel branches use the same ordered pair of roles
    bool separate_messages = true;  // no two parallel branches send the same message on one channel
    // Every role that sends first in or after something that depends on data knows the values it depends on.
    bool conditions_known = true;
};

Branching check_branching(const model::Specification& specification, const model::Protocol& protocol,
                          base::Diagnostics& diagnostics);

}  // namespace treaty::choreo
