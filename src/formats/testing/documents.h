// For tests: documents that are loaded from texts in memory, and the .treaty text that was made of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "formats/load.h"
#include "formats/testing/reading.h"
#include "lang/format.h"

namespace treaty::formats::testing {

struct LoadedDocument : LoadResult {
    std::string told() { return listing(sources, diagnostics); }
    // The text that was made, as `treaty convert` writes it.
    std::string treaty() {
        base::Diagnostics ignored;
        for (std::uint32_t i = 0; i < sources.size(); ++i)
            if (sources.path(base::FileId(i)).ends_with(" as .treaty"))
                return lang::format(sources, base::FileId(i), ignored).value_or("");
        return "";
    }
    bool tells(std::string_view text) { return told().find(text) != std::string::npos; }
    bool writes(std::string_view text) { return treaty().find(text) != std::string::npos; }
};

inline std::unique_ptr<LoadedDocument> load_document(const std::map<std::string, std::string>& files,
                                                     const std::string& path) {
    auto result = std::make_unique<LoadedDocument>();
    result->loaded = formats::load(path, result->sources, result->diagnostics, lang::Knowing::demanded,
                                   [&](const std::string& name) -> base::Result<std::string> {
                                       auto found = files.find(name);
                                       if (found == files.end()) return base::Fault{name + " is not there"};
                                       return found->second;
                                   });
    return result;
}

// Ten to the power of ten values in a few lines of aliases.
inline std::string alias_bomb() {
    std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
    for (char c = 'b'; c < 'k'; ++c)
        bomb += fmt::format("{0}: &{0} [*{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}]\n", c,
                            static_cast<char>(c - 1));
    return bomb;
}

}  // namespace treaty::formats::testing
