#include "lang/read.h"

#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/lexer.h"
#include "lang/parser.h"
#include "lang/resolve.h"

namespace treaty::lang {

std::vector<Import> imports_of(const base::SourceMap& sources, base::FileId file) {
    base::Names names;
    base::Diagnostics unheard;
    std::vector<Import> found;
    // Most files import nothing, and need not be parsed to know it.
    if (sources.text(file).find("import") == std::string_view::npos) return found;
    Syntax syntax = parse(sources, file, names, unheard);
    for (const ImportSyntax& i : syntax.imports)
        found.push_back({string_value(sources.text(i.path)), i.path});
    return found;
}

std::optional<model::Specification> read_with(const base::SourceMap& sources,
                                              std::span<const base::FileId> imported, base::FileId file,
                                              base::Diagnostics& diagnostics, Knowing knowing) {
    model::Specification spec;
    base::Diagnostics found;
    Syntax syntax;
    for (base::FileId other : imported)
        syntax = parse_into(std::move(syntax), sources, other, *spec.names, found);
    syntax = parse_into(std::move(syntax), sources, file, *spec.names, found);
    std::optional<model::Specification> resolved = resolve(sources, syntax, std::move(spec), found, knowing);
    bool ok = found.ok();
    found.sort_by_place();
    diagnostics.append(std::move(found));
    if (!ok) return std::nullopt;
    return resolved;
}

std::optional<model::Specification> read(const base::SourceMap& sources, base::FileId file,
                                         base::Diagnostics& diagnostics) {
    std::vector<Import> imports = imports_of(sources, file);
    for (const Import& i : imports)
        diagnostics.report(codes::cannot_import, i.span,
                           fmt::format("`{}` cannot be imported here: this text is not a file", i.path));
    if (!imports.empty()) return std::nullopt;
    return read_with(sources, {}, file, diagnostics);
}

}  // namespace treaty::lang
