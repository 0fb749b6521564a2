// Reading Scribble and nuScr: modules to trees (parser.h, modules.h), trees to one syntax tree of the Treaty
// language (expand.h), and that to a specification as any .treaty file.
#include <algorithm>

#include "formats/scribble/expand.h"
#include "formats/scribble/modules.h"
#include "formats/scribble/scribble.h"
#include "lang/codes.h"
#include "lang/resolve.h"

namespace treaty::formats {
namespace {

std::optional<model::Specification> read_all(const base::SourceMap& sources, base::FileId file,
                                             base::SourceMap* into, const base::ReadFile& read_file,
                                             std::vector<base::FileId>* files,
                                             base::Diagnostics& diagnostics) {
    model::Specification spec;
    base::Names& names = *spec.names;
    base::Diagnostics found;
    lang::Syntax syntax;
    syntax.file = file;
    std::vector<scribble::Module> modules =
        scribble::read_modules(sources, file, into, read_file, files, names, syntax, found);
    std::vector<base::NameId> only_called = scribble::expand(modules, names, syntax, found);
    std::optional<model::Specification> resolved = lang::resolve(sources, syntax, std::move(spec), found);
    bool ok = found.ok();
    // Labels are declared by their use, so one that looks like another is not misspelt.
    base::Diagnostics told;
    for (const base::Diagnostic& d : found.all()) {
        if (d.code == &lang::codes::misspelt_message) continue;
        base::Diagnostic& copy = told.report(*d.code, d.severity, d.span, d.message);
        copy.labels = d.labels;
        copy.hint = d.hint;
    }
    told.sort_by_place();
    diagnostics.append(std::move(told));
    if (!ok || !resolved) return std::nullopt;
    std::erase_if(resolved->protocols, [&](const model::Protocol& p) {
        base::NameId name = resolved->names->find(p.name());
        return std::find(only_called.begin(), only_called.end(), name) != only_called.end();
    });
    return resolved;
}

}  // namespace

std::optional<model::Specification> read_scribble(const base::SourceMap& sources, base::FileId file,
                                                  base::Diagnostics& diagnostics) {
    return read_all(sources, file, nullptr, base::read_from_disk, nullptr, diagnostics);
}

std::optional<model::Specification> load_scribble(base::SourceMap& sources, base::FileId file,
                                                  base::Diagnostics& diagnostics,
                                                  const base::ReadFile& read_file,
                                                  std::vector<base::FileId>* files) {
    return read_all(sources, file, &sources, read_file, files, diagnostics);
}

}  // namespace treaty::formats
