// A protocol copied step by step, with some steps changed on the way.
//
// copy_step() is the one place that knows how a step of each kind is added to a builder. ProtocolEdit copies
// a whole protocol with it: the edit is asked for every node of the original, parents first. It either
// answers false, and the node is copied with its children (for which it is asked in turn), or it adds
// whatever it wants in the node's place and answers true. Spans stay, so what is derived from the copy still
// points at the original's lines. Gives nothing where the builder refuses the result.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "model/protocol.h"

namespace treaty::model {

// Adds a step of another protocol as a step of kind `as`, which is its own or one that needs nothing that it
// lacks. A composite is opened only: then true is returned, and the caller adds the children and closes it.
// `loops`: by loop of the original, the loop of the copy. Semaphores keep their names.
bool copy_step(const Protocol& from, NodeId step, NodeKind as, std::span<const LoopId> loops,
               ProtocolBuilder& to);

class ProtocolEdit {
public:
    using Change = std::function<bool(ProtocolEdit&, NodeId)>;

    ProtocolEdit(const Protocol& original, Change change);

    std::optional<Protocol> run();

    const Protocol& original() const { return original_; }
    ProtocolBuilder& builder() { return builder_; }
    void copy(NodeId node);            // with the changes
    void copy_inside(NodeId node);     // with the changes in its children, itself as it was
    void copy_unchanged(NodeId node);  // with everything in it as it was

private:
    void copy_as_is(NodeId node, bool ask);

    const Protocol& original_;
    Change change_;
    ProtocolBuilder builder_;
    std::vector<LoopId> loops_;
};

// Whether both are the same step as it was written: a loop that was unrolled has its steps several times.
bool same_step(const Protocol& protocol, NodeId a, NodeId b);

}  // namespace treaty::model
