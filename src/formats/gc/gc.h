// .gc: g-choreographies, as ChorGram and ChorTest read and write them.
//
//     File  ::= Env Blk ( '|' File )?
//     Env   ::= ( 'let' Def ( '&' Def )* 'in' )?        Def ::= Name ( '@' Param+ )? '=' File, with holes
//     '[]'
//     Blk   ::= Atom | Blk ';' Blk
//     Atom  ::= '(o)' | P '->' P ':' M Qos? | P '=>' P+ ':' M Qos? | '{' File '}'
//             | ('sel' | 'branch') P? '{' Br ( '+' Br )+ '}'
//             | 'repeat' P? '{' File Guard '}' | '*' File '@' P
//             | 'do' Name ( '[' File ']' )? ( 'with' Arg+ )?
//
// Reading gives a specification with one protocol, named after the file; definitions are expanded, quality
// notes and guards are left out with a warning. All faults of the text are reported; one error and nothing
// comes back. Cost: linear in the text and in what it expands to.
//
// .sgg: ChorGram's older global graphs, the same without definitions. A comment is `[ ... ]`, parentheses
// group, receivers and guards are separated by commas, and `{ G + G }` is a choice without `sel`.
//
// Writing carries roles, messages without data, sequence, choice, fork and loops, and a `rec` that is a loop
// in disguise (see loops.h). Roles begin with a letter: others get one, which is reported. Everything else is
// a loss or is refused (formats/conversion.h), each with its place. Reading what was written gives the same
// tree up to flattened sequences.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/conversion.h"
#include "model/specification.h"

namespace treaty::formats {

std::optional<model::Specification> read_gc(const base::SourceMap& sources, base::FileId file,
                                            base::Diagnostics& diagnostics);

std::optional<model::Specification> read_sgg(const base::SourceMap& sources, base::FileId file,
                                             base::Diagnostics& diagnostics);

// Writes the main protocol. Nothing comes back if something was refused.
std::optional<std::string> write_gc(const model::Specification& specification, Conversion& conversion);

}  // namespace treaty::formats
