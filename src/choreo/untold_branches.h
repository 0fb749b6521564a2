// The part of a role with branches that it cannot tell apart made one, for as long as it cannot.
//
// Another role decides, and the role sends or receives the same in both branches before it learns which one
// was taken:
//
//     choice at A { A -> C: x  B -> C: yes  C -> B: go } or { A -> C: y  B -> C: yes  C -> B: stop }
//
// In B's projection `yes` leads to two states, one that takes `go` and one that takes `stop`. B is in
// neither: it has to be ready for both. Here both steps lead to one place, from which a silent step leads to
// each of the two states; the steps themselves stay apart, because each is a step of the text. What the role
// decides without showing it keeps its two states.
//
// The runs are the same as before. Steps with data are merged if no value can tell them apart: every field
// has the same known value or is bound in each, and their conditions are equal. Cost: linear in the net for
// each step that is the same in several branches one after the other; at most 64 of them are merged.
#pragma once

#include "model/net.h"
#include "model/protocol.h"

namespace treaty::choreo {

// net: of project_net(protocol, role).
model::Net merge_untold_branches(model::Net net, const model::Protocol& protocol, model::RoleId role);

}  // namespace treaty::choreo
