// A protocol copied step by step, with some steps changed on the way.
//
// The edit is asked for every node of the original, parents first. It either answers false, and the node is
// copied with its children (for which it is asked in turn), or it adds whatever it wants in the node's place
// and answers true. Spans stay, so what is derived from the copy still points at the original's lines. Gives
// nothing where the builder refuses the result.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "model/protocol.h"

namespace treaty::testgen {

class ProtocolEdit {
public:
    using Change = std::function<bool(ProtocolEdit&, model::NodeId)>;

    ProtocolEdit(const model::Protocol& original, Change change);

    std::optional<model::Protocol> run();

    const model::Protocol& original() const { return original_; }
    model::ProtocolBuilder& builder() { return builder_; }
    void copy(model::NodeId node);            // with the changes
    void copy_inside(model::NodeId node);     // with the changes in its children, itself as it was
    void copy_unchanged(model::NodeId node);  // with everything in it as it was

private:
    void copy_as_is(model::NodeId node, bool ask);

    const model::Protocol& original_;
    Change change_;
    model::ProtocolBuilder builder_;
    std::vector<model::LoopId> loops_;
    std::vector<model::SemaphoreId> semaphores_;
};

// Whether both are the same step as it was written: a loop that was unrolled has its steps several times.
bool same_step(const model::Protocol& protocol, model::NodeId a, model::NodeId b);

}  // namespace treaty::testgen
