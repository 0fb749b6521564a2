// The modules that a Scribble file imports, directly or not, each read once.
//
// Module a.b.C is a/b/C.scr below the folder where the importing module's own packages begin, or below the
// importing file's folder, or C.scr beside it. Modules may import each other in a circle. At most max_modules
// files are read.
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "base/file.h"
#include "base/source.h"
#include "formats/scribble/tree.h"

namespace treaty::formats::scribble {

constexpr std::size_t max_modules = 200;

// The modules, that of `file` first. `into` is where further files go: without it every import is a fault.
// `files`: gets all that was added.
std::vector<Module> read_modules(const base::SourceMap& sources, base::FileId file, base::SourceMap* into,
                                 const base::ReadFile& read_file, std::vector<base::FileId>* files,
                                 base::Names& names, lang::Syntax& out, base::Diagnostics& diagnostics);

}  // namespace treaty::formats::scribble
