// Names of files and the names made of them.
#pragma once

#include <string>
#include <string_view>

namespace treaty::formats {

// "a/b/shop.v2.gc": stem "shop.v2", extension "gc" (in lower case; empty if there is none).
std::string_view stem_of(std::string_view path);
std::string extension_of(std::string_view path);

// A name for a protocol near to the text: "two-buyers" becomes "Two_buyers". Always an identifier of the
// Treaty language; with its capital it is never a keyword.
std::string identifier_of(std::string_view text);

}  // namespace treaty::formats
