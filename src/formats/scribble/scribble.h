// .scr and .nuscr: global protocols of Scribble and nuScr.
//
//     module a.b.C;     import a.b.D as E;     from a.b.D import P as Q;
//     type <java> "java.lang.Integer" from "rt.jar" as Int;     data ...     typedef ...     sig <java> "..."
//     from "..." as S; aux global protocol Name<type T, sig M>(role A, role B) {
//       label(Int, name: Int) from A to B, C;     M from A to B;     x(n: int{n > 0}) from A to B;
//       @"annotation" choice at A { ... } or { ... }     rec X [n<A>: int = 0] { ... continue X [n + 1]; } do
//       E.P<T, M>(A, B as C);     A calls P(A, B);     par { ... } and { ... }
//     }
//     nested protocol P(role A, role B; new role C) { ... }
//
// A file is read into the syntax tree of the Treaty language and resolved like any .treaty file, so it is
// checked by the same rules and answered in the same diagnostics, at the places of the .scr text. Payload
// types that are known by name (int, Int, Integer, string, String, bool, Boolean, real, Double ...) become
// ours; any other one becomes an opaque type of its own name. Data is named only where a condition uses it,
// so no role is asked whether it knows the rest. Pragmas and annotations are passed over. What has no
// counterpart is refused by name: docs/notations.md has the list.
//
// Writing carries roles, messages with their payload types, sequence, choice with a decider, rec and
// continue, par; repeat becomes a rec whose decider is not told apart from its exit and is therefore refused,
// as is everything with conditions, computed data, interruption or semaphores. Cost: linear in the text,
// times the instances of protocols with parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/file.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "model/specification.h"

namespace treaty::formats {

// A text that imports nothing.
std::optional<model::Specification> read_scribble(const base::SourceMap& sources, base::FileId file,
                                                  base::Diagnostics& diagnostics);

// With the modules it imports, which are added to `sources` and, if given, to `files`.
std::optional<model::Specification> load_scribble(base::SourceMap& sources, base::FileId file,
                                                  base::Diagnostics& diagnostics,
                                                  const base::ReadFile& read_file,
                                                  std::vector<base::FileId>* files = nullptr);

std::optional<std::string> write_scribble(const model::Specification& specification, Conversion& conversion);

}  // namespace treaty::formats
