// Parser for SChorA scripts (Nguyen 2013, listings A.1 to A.3) and for Chor expressions.
//
// Beyond the listings, guards may use && || ! + - * / %, parentheses and quoted texts, and a component may be
// the composition of others: their names joined by |. A fault is reported and reading goes on with the next
// component or command. Nesting has a limit.
#pragma once

#include "formats/schora/tree.h"

namespace treaty::formats::schora {

ScriptText parse_script(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics);

// A Chor expression alone: + and | bind alike there, roles may be numbers.
ComponentText parse_chor(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics);

}  // namespace treaty::formats::schora
