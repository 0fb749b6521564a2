#include "formats/gc/gc.h"
#include "formats/gc/expand.h"
#include "formats/gc/parser.h"
#include "formats/names.h"

namespace treaty::formats {

std::optional<model::Specification> read_gc(const base::SourceMap& sources, base::FileId file,
                                            base::Diagnostics& diagnostics) {
    std::size_t before = diagnostics.errors();
    gc::Tree tree = gc::parse(sources, file, diagnostics);
    if (tree.cut_off) return std::nullopt;
    base::Span whole{file, 0, static_cast<std::uint32_t>(sources.text(file).size())};
    auto specification = gc::expand(tree, identifier_of(stem_of(sources.path(file))), whole, diagnostics);
    if (diagnostics.errors() > before) return std::nullopt;
    return specification;
}

}  // namespace treaty::formats
