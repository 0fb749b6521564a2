// The language itself, read by lang/ and written by lang/print.h.
#include "formats/notation.h"

#include "formats/import.h"
#include "formats/language_rules.h"
#include "lang/read.h"

namespace treaty::formats {
namespace {

Loaded load_treaty(const Loading& loading) {
    auto imported =
        follow_imports(loading.sources, loading.file, loading.diagnostics, loading.read_file, loading.files);
    if (!imported) return {};
    return loaded(
        lang::read_with(loading.sources, *imported, loading.file, loading.diagnostics, loading.knowing));
}

Loaded read_treaty(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
    return loaded(lang::read(sources, file, diagnostics));
}

std::optional<std::string> write_treaty(const model::Specification& specification, Conversion& conversion) {
    std::optional<model::Specification> renamed = with_writable_names(specification, conversion);
    TreatyText result = treaty_text(renamed ? *renamed : specification);
    if (!result.text) conversion.refuse({}, result.fault);
    return result.text;
}

}  // namespace

std::vector<Notation> treaty_notations() {
    return {{.title = "Treaty",
             .extensions = {"treaty"},
             .carries = "everything",
             .section = "Treaty",
             .read = read_treaty,
             .load = load_treaty,
             .write_specification = write_treaty}};
}

}  // namespace treaty::formats
