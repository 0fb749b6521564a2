// .fsa: systems of communicating machines, as ChorGram reads and writes them.
//
//     ( '.outputs' Name?  '.state graph'  Trans*  '.marking' State  '.end' )+          one per line
//     Trans ::= State Idx ('!' | '?') Msg State  |  State 'tau' State  |  State 'break' State
//
// Idx is the partner's position in the file, from 0. A machine without a name is `M` and its position.
// Lines that begin with `--` are comments.
//
// Reading gives a system with unbounded fifo channels. The initial state is state 0, the others count up in
// order of first appearance. The notation has no final states: a state without transitions is final. Silent
// steps are removed: a state does what any state it reaches silently does, and it is final if it reaches a
// final one, because it may end there without another event; so the runs and the completed runs stay the
// same. What only silent steps reached is dropped; a state that can do nothing but step silently for ever is
// not final. Cost: linear, and with silent steps linear in the result, which is bounded.
//
// Writing carries machines without data; a final state with transitions and a stuck state that is not final
// lose that, as do channels of another kind. Unreachable states are left out. The text depends only on the
// machines, not on how their states are numbered, so writing what was read from it changes nothing.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "model/system.h"

namespace treaty::formats {

std::optional<model::System> read_fsa(const base::SourceMap& sources, base::FileId file,
                                      base::Diagnostics& diagnostics);

std::optional<std::string> write_fsa(const model::System& system, Conversion& conversion);

}  // namespace treaty::formats
