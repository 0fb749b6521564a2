// Which parts of a protocol end, and which roles get past those that do not.
//
// A sequence orders the steps of each role, and nothing else. So a part that never ends, such as a loop
// without an exit, holds up only the roles that take part in it: the others go on with what follows. Facts by
// node:
//
//   ends     some way through the part reaches its end
//   leaves   a jump inside goes to a recursion outside
//   held     the roles that never get past the part, whatever way is taken; all roles if it leaves
//
// held() is exact for each role alone. Two roles may get past in different branches only; then neither is
// held. Cost: O(nodes * roles / 64) at most, and linear where everything ends.
#pragma once

#include <optional>
#include <vector>

#include "model/protocol.h"

namespace treaty::model {

// Roles, by index.
class RoleSet {
public:
    void add(RoleId role);
    void add(const RoleSet& other);
    void keep(const RoleSet& other);
    bool has(RoleId role) const { return role.index < bits_.size() && bits_[role.index]; }
    bool empty() const;
    bool meets(const RoleSet& other) const;
    bool exceeds(const RoleSet& other) const;  // has a role that is not in the other

private:
    std::vector<bool> bits_;
};

// The roles that send or receive in a part of the protocol, and who decides in it.
RoleSet roles_in(const Protocol& protocol, NodeId part);

class Endings {
public:
    // holes: nodes of which nothing is known; they are taken to end.
    explicit Endings(const Protocol& protocol, const std::vector<bool>& holes = {});

    bool ends(NodeId id) const { return ends_[id.index]; }
    bool leaves(NodeId id) const { return leaves_[id.index]; }
    RoleSet held(NodeId id) const;

private:
    RoleSet find_held(NodeId id) const;

    const Protocol& protocol_;
    std::vector<bool> ends_, leaves_;
};

// The same protocol in which what goes on beside an endless part is parallel to it: `loop; rest`, where the
// roles of the rest are not held by the loop, becomes `par { loop } and { rest }`. What comes from here on,
// above all the net, then need not know that a sequence orders single roles only. Where nothing follows an
// endless part, nothing comes back; neither does it where the rest shares a role with it in a way that no
// tree can say.
struct Rewritten {
    Protocol protocol;
    std::vector<NodeId> source;  // by node: the node of the original that it is, or represents
};
std::optional<Rewritten> beside_endless(const Protocol& protocol);

}  // namespace treaty::model
