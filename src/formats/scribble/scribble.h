// .scr and .nuscr: global protocols of Scribble and nuScr, the part they have in common.
//
//     module a.b.C;
//     type <java> "java.lang.Integer" from "rt.jar" as Int;     data <...> "..." as Int;     typedef <...> ... as Int;
//     global protocol Name(role A, role B) {
//       label(Int, name: Int) from A to B, C;     choice at A { ... } or { ... }
//       rec X { ... continue X; }     do Other(A, B);     par { ... } and { ... }
//     }
//
// A file is read into the syntax tree of the Treaty language and resolved like any .treaty file, so it is
// checked by the same rules and answered in the same diagnostics, at the places of the .scr text. Payload types
// that are known by name (int, Int, Integer, string, String, bool, Boolean, real, Double ...) become ours; any
// other declared one becomes an opaque type of its own name. A payload is data that nobody names, so no role is
// asked whether it knows it. nuScr pragmas are passed over. What has no counterpart (aux and explicit protocols,
// connect and disconnect, delegation, interruptible blocks, refinements, imports) is refused by name.
//
// Writing carries roles, messages with their payload types, sequence, choice with a decider, rec and continue,
// par; repeat becomes a rec whose decider is not told apart from its exit and is therefore refused, as is
// everything with conditions, computed data, interruption or semaphores. Cost: linear.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "model/specification.h"

namespace treaty::formats {

std::optional<model::Specification> read_scribble(const base::SourceMap& sources, base::FileId file,
                                                  base::Diagnostics& diagnostics);

std::optional<std::string> write_scribble(const model::Specification& specification, Conversion& conversion);

}  // namespace treaty::formats
