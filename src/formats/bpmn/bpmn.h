// BPMN 2.0 choreography diagrams (.bpmn), as chor-js writes them: tasks between two participants, exclusive,
// event-based and parallel gateways, loops, sub-choreographies.
//
// Reading: the flows are a graph, and a protocol is nested. Where the branches of a gateway meet again is the
// first node that all ways from it must pass; a flow that leads back is a loop. Branches that do not meet are
// written to their ends, so what follows them may be written several times. The reader makes a .treaty text
// with the conditions of the diagram as comments, and reads that. What has no counterpart is refused by name
// (T0871). The layout is ignored. Bounded: 500 nodes, 20,000 lines.
//
// Writing: protocols without data, with a layout from left to right. What is read back is the same protocol.
#pragma once

#include <optional>
#include <string>

#include "formats/notation.h"

namespace treaty::formats {

Loaded load_bpmn(const Loading& loading);
std::optional<std::string> write_bpmn(const model::Specification& specification, Conversion& conversion);

}  // namespace treaty::formats
