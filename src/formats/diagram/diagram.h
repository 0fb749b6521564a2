// .mmd and .puml: sequence diagrams as Mermaid and PlantUML have them.
//
//     A->>B: place order          A -> B : place order
//     alt / else, opt, loop, par / and, critical / option, break ... end
//
// Reading gives a specification with one protocol, named after the file. An arrow is a message, named by its
// text up to a parenthesis, with underscores for what is not a letter or a digit. `alt` is a choice, `opt` an
// optional part, `loop` a repeat, `par` parallel parts, `critical` with options a choice, `break` the
// alternative to the rest of the block around it. A diagram does not state who decides: it is the role that
// sends first, and a note (T0853) gives the text that stood there. Notes, activations, numbers, colours and
// titles are passed over; a message from a role to itself is left out with a warning. What has no counterpart
// is refused by name. At most 400 levels of blocks.
//
// Writing carries roles, messages without data, sequence, choice, parallel parts and repeat. Reading what was
// written gives the same protocol.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "model/specification.h"

namespace treaty::formats {

std::optional<model::Specification> read_mermaid(const base::SourceMap& sources, base::FileId file,
                                                 base::Diagnostics& diagnostics);
std::optional<model::Specification> read_plantuml(const base::SourceMap& sources, base::FileId file,
                                                  base::Diagnostics& diagnostics);

// Writes the main protocol. Nothing comes back if something was refused.
std::optional<std::string> write_mermaid(const model::Specification& specification, Conversion& conversion);
std::optional<std::string> write_plantuml(const model::Specification& specification, Conversion& conversion);

}  // namespace treaty::formats
