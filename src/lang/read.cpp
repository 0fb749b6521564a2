#include "lang/read.h"

#include "lang/parser.h"
#include "lang/resolve.h"

namespace treaty::lang {

std::optional<model::Specification> read(const base::SourceMap& sources, base::FileId file,
                                         base::Diagnostics& diagnostics) {
    model::Specification spec;
    base::Diagnostics found;
    Syntax syntax = parse(sources, file, *spec.names, found);
    std::optional<model::Specification> resolved = resolve(sources, syntax, std::move(spec), found);
    bool ok = found.ok();
    found.sort_by_place();
    diagnostics.append(std::move(found));
    if (!ok) return std::nullopt;
    return resolved;
}

}  // namespace treaty::lang
