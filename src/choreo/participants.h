// Which roles take part where: for every subtree of a protocol and every role, whether and where it occurs.
//
// Kept as one sorted list of interactions a role, so it is linear in the protocol, and every question about a
// subtree is a binary search. Views the protocol, which must outlive it. Reading from many threads is safe.
#pragma once

#include <vector>

#include "model/protocol.h"

namespace treaty::choreo {

class Participants {
public:
    explicit Participants(const model::Protocol& protocol);

    bool takes_part(model::RoleId role, model::NodeId subtree) const {
        return next(role, subtree).index < protocol_->operator[](subtree).subtree_end;
    }
    // The first interaction of the role at `from` or after it in the text, if there is one.
    model::NodeId next(model::RoleId role, model::NodeId from) const;
    // The roles of a subtree, ascending.
    std::vector<model::RoleId> of(model::NodeId subtree) const;

    // The first jump at `from` or after it, if there is one.
    model::NodeId next_jump(model::NodeId from) const;
    bool has_jump(model::NodeId subtree) const {
        return next_jump(subtree).index < protocol_->operator[](subtree).subtree_end;
    }

private:
    const model::Protocol* protocol_;
    std::vector<std::vector<model::NodeId>> interactions_;  // by role, ascending
    std::vector<model::NodeId> jumps_;                      // ascending
};

}  // namespace treaty::choreo
