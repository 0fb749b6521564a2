// .aut: one labelled transition system in the Aldebaran format of CADP, mCRL2 and LTSmin.
//
//     des (first, number of transitions, number of states)
//     (from, "label", to)
//
// Reading is one pass over the text and gives a machine of plain events; `i` and `tau`, quoted or not, are
// the silent step. State i of the file is state i of the machine, except that `first` and 0 change places.
// The notation has no final states, so none is final: a state without transitions is a deadlock, as the tools
// of this format see it. A label goes to the last comma of its line, so quotes inside quotes do no harm.
// Cost: linear, about 24 bytes a transition at the peak besides the text.
//
// Writing prints every label as its text. Final states are a loss; data, and two labels with one text, are
// refused. Edges are written in the order of their text, so writing what was read changes nothing.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "model/machine.h"

namespace treaty::formats {

std::optional<model::Machine> read_aut(const base::SourceMap& sources, base::FileId file,
                                       base::Diagnostics& diagnostics);

std::optional<std::string> write_aut(const model::Machine& machine, Conversion& conversion);

}  // namespace treaty::formats
