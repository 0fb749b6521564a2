#include "formats/gc/expand.h"
#include "formats/gc/gc.h"
#include "formats/gc/parser.h"
#include "formats/names.h"

namespace treaty::formats {
namespace {

std::optional<model::Specification> read_as(gc::Dialect dialect, const base::SourceMap& sources,
                                            base::FileId file, base::Diagnostics& diagnostics) {
    std::size_t before = diagnostics.errors();
    gc::Tree tree = gc::parse(sources, file, dialect, diagnostics);
    if (tree.cut_off) return std::nullopt;
    base::Span whole{file, 0, static_cast<std::uint32_t>(sources.text(file).size())};
    auto specification = gc::expand(tree, identifier_of(stem_of(sources.path(file))), whole, diagnostics);
    if (diagnostics.errors() > before) return std::nullopt;
    return specification;
}

}  // namespace

std::optional<model::Specification> read_gc(const base::SourceMap& sources, base::FileId file,
                                            base::Diagnostics& diagnostics) {
    return read_as(gc::Dialect::gc, sources, file, diagnostics);
}

std::optional<model::Specification> read_sgg(const base::SourceMap& sources, base::FileId file,
                                             base::Diagnostics& diagnostics) {
    return read_as(gc::Dialect::sgg, sources, file, diagnostics);
}

}  // namespace treaty::formats
