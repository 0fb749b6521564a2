#include "cli/catalogue.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace treaty::cli {
namespace {

std::vector<base::Code> collect() {
    std::vector<base::Code> all = {
#define TREATY_CODE(id, number, severity, title, explanation) \
    base::Code{number, base::Severity::severity, title, explanation},
#if __has_include("choreo/codes.def")
#include "choreo/codes.def"
#endif
#if __has_include("api/codes.def")
#include "api/codes.def"
#endif
#if __has_include("complete/codes.def")
#include "complete/codes.def"
#endif
#if __has_include("csp/codes.def")
#include "csp/codes.def"
#endif
#if __has_include("explore/codes.def")
#include "explore/codes.def"
#endif
#if __has_include("formats/codes.def")
#include "formats/codes.def"
#endif
#if __has_include("lang/codes.def")
#include "lang/codes.def"
#endif
#if __has_include("symbolic/codes.def")
#include "symbolic/codes.def"
#endif
#if __has_include("testgen/codes.def")
#include "testgen/codes.def"
#endif
#if __has_include("wire/codes.def")
#include "wire/codes.def"
#endif
#if __has_include("drive/codes.def")
#include "drive/codes.def"
#endif
#if __has_include("track/codes.def")
#include "track/codes.def"
#endif
#if __has_include("watch/codes.def")
#include "watch/codes.def"
#endif
#undef TREATY_CODE
    };
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    return all;
}

}  // namespace

std::span<const base::Code> catalogue() {
    static const std::vector<base::Code> all = collect();
    return all;
}

const base::Code* find_code(std::string_view text) {
    if (!text.empty() && (text.front() == 'T' || text.front() == 't')) text.remove_prefix(1);
    unsigned number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return nullptr;
    for (const base::Code& code : catalogue())
        if (code.number == number) return &code;
    return nullptr;
}

}  // namespace treaty::cli
