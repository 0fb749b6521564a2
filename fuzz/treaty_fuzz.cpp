// The Treaty language: no text crashes the reader; what the formatter prints it prints again; what it prints
// is read exactly when the original was; a printed specification reads back to the same print.
#include <cstdint>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "lang/format.h"
#include "lang/print.h"
#include "lang/read.h"

namespace {

using namespace treaty;

std::optional<std::string> formatted(const std::string& text) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    const base::FileId file = sources.add("input.treaty", text);
    return lang::format(sources, file, diagnostics);
}

std::optional<std::string> printed(const std::string& text) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    const base::FileId file = sources.add("input.treaty", text);
    const std::optional<model::Specification> specification = lang::read(sources, file, diagnostics);
    TREATY_CHECK(specification.has_value() == diagnostics.ok());
    if (!specification) return std::nullopt;
    return lang::print(*specification);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::optional<std::string> canonical = formatted(text);
    const std::optional<std::string> meaning = printed(text);
    if (meaning) TREATY_CHECK(canonical.has_value());
    if (canonical) {
        TREATY_CHECK(formatted(*canonical) == canonical);
        TREATY_CHECK(printed(*canonical) == meaning);
    }
    if (meaning) TREATY_CHECK(printed(*meaning) == meaning);
    return 0;
}
