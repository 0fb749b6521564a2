// The target of a notation (formats/notation.h) that has none of its own: TREATY_NOTATION is its extension.
//
// What every reader and writer must do with any bytes: never crash, state why nothing comes back, and write a
// text that it reads back and writes again unchanged. What is only read is written as JSON, and read back
// from there.
#include <cstdint>
#include <optional>
#include <string>

#include "base/check.h"
#include "formats/json/json.h"
#include "formats/load.h"
#include "formats/notation.h"

namespace {

using namespace treaty;

// Reads the text and writes it as `target`, with losses allowed; nothing if the reader or the writer refused.
template <class Read>
std::optional<std::string> rewritten(std::string text, std::string_view target, Read read) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    const base::FileId file = sources.add("input." TREATY_NOTATION, std::move(text));
    const formats::Loaded loaded = read(sources, file, diagnostics);
    TREATY_CHECK(static_cast<bool>(loaded) == diagnostics.ok());
    if (!loaded) return std::nullopt;
    std::optional<std::string> written =
        formats::write(loaded, target, diagnostics, formats::LossPolicy::allow).text;
    TREATY_CHECK(written.has_value() == diagnostics.ok());
    return written;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(reinterpret_cast<const char*>(data), size);
    const formats::Notation* notation = formats::notation_of("input." TREATY_NOTATION, text);
    TREATY_CHECK(notation != nullptr && notation->is_read_here());
    auto read = [&](base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics) {
        if (notation->read) return notation->read(sources, file, diagnostics);
        const base::ReadFile nothing = [](const std::string&) -> base::Result<std::string> {
            return base::Fault{"there are no other files"};
        };
        return notation->load({sources, file, diagnostics, lang::Knowing::demanded, nothing, nullptr});
    };
    const std::string_view target = notation->is_written() ? std::string_view(TREATY_NOTATION) : "json";
    const std::optional<std::string> once = rewritten(std::move(text), target, read);
    if (!once) return 0;
    const std::optional<std::string> twice = notation->is_written()
                                                 ? rewritten(*once, target, read)
                                                 : rewritten(*once, target, formats::read_json);
    TREATY_CHECK(twice == once);
    return 0;
}
