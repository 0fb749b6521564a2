// The first things a role does in a part of a protocol, or after it.
//
// An action is a send or a receive of the role at an interaction. The first actions of a part are those the
// role may do before any other of its own (minimal events with that subject; Coto 2023, definition 2.1), over
// all branches and any number of rounds of loops. Jumps are followed: what the role does first in the next
// round counts. A walk is made with a decision point in mind (a choice or a loop); when it comes back to that
// point before the role has acted, it stops there and reports it, since the role is where it was.
//
// Cost: a walk skips what does not concern the role by binary search, so it is far below the size of the
// part in general and linear at worst. Views the protocol, which must outlive it.
#pragma once

#include <vector>

#include "choreo/participants.h"
#include "model/endings.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::choreo {

struct InitialAction {
    model::LabelId label;
    model::NodeId node;
    bool output = false;
};

struct FirstActions {
    std::vector<InitialAction> actions;  // by node, each once
    bool passes = false;                 // the end of the part can be reached before the role acts
    bool returns = false;                // so can the decision point, again
    bool finishes = false;               // so can the end of the protocol
};

class InitialActions {
public:
    InitialActions(const model::Specification& specification, const model::Protocol& protocol,
                   const Participants& participants);

    // In the subtree of `part`, a branch or the body of `decision`.
    FirstActions inside(model::NodeId part, model::RoleId role, model::NodeId decision) const;
    // After the end of `part`; `passes` has no meaning then.
    FirstActions after(model::NodeId part, model::RoleId role, model::NodeId decision) const;

    // Whether the end of the subtree can be reached at all, by anyone.
    bool ends(model::NodeId subtree) const { return endings_.ends(subtree); }

private:
    class Walk;
    const model::Specification& specification_;
    const model::Protocol& protocol_;
    const Participants& participants_;
    model::Endings endings_;
};

}  // namespace treaty::choreo
