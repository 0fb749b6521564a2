// JSON of every model: no text crashes the reader; what is written reads back to the same bytes.
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "base/check.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/json/json.h"

namespace {

using namespace treaty;

std::optional<std::string> rewritten(std::string text) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    const base::FileId file = sources.add("input.json", std::move(text));
    const formats::Loaded loaded = formats::read_json(sources, file, diagnostics);
    std::optional<std::string> written = std::visit(
        [](const auto& model) -> std::optional<std::string> {
            if constexpr (std::is_same_v<std::decay_t<decltype(model)>, std::monostate>)
                return std::nullopt;
            else
                return formats::write_json(model);
        },
        loaded.model);
    TREATY_CHECK(written.has_value() == diagnostics.ok());
    return written;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::optional<std::string> once = rewritten({reinterpret_cast<const char*>(data), size});
    if (once) TREATY_CHECK(rewritten(*once) == once);
    return 0;
}
