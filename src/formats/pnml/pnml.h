// .pnml: place/transition nets in the Petri Net Markup Language.
//
// Reading takes the one net of a file, with its pages (nested ones, too) and reference nodes. A transition's
// event is its name as a plain event, or its id if it has no name; a transition with an empty name, or one
// that ProM marks invisible, is silent. A place has its name, or its id. What Treaty noted when it wrote the
// file (the event with its roles, final places, semaphores) is understood again, as are ProM's final
// markings. Markings and arcs may have up to a million tokens each; several arcs between the same two add up.
// Inhibitor, reset and read arcs, capacities, colours and time are reported. No entity but the five of XML is
// ever expanded. Cost: linear in the file and in the number of tokens.
//
// Writing carries everything but data and `clears`, which are refused.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "model/net.h"

namespace treaty::formats {

std::optional<model::Net> read_pnml(const base::SourceMap& sources, base::FileId file,
                                    base::Diagnostics& diagnostics);

std::optional<std::string> write_pnml(const model::Net& net, Conversion& conversion);

}  // namespace treaty::formats
