// File addresses as editors write them, and paths as Treaty reads them.
#pragma once

#include <string>
#include <string_view>

namespace treaty::lsp {

// "file:///a/b%20c.treaty": "/a/b c.treaty", normalised. Another scheme ("untitled:Untitled-1") names a text
// that is in no file: its address is its path, with an extension after it if it has none.
std::string path_of(std::string_view uri, std::string_view extension = "treaty");

// The inverse for absolute paths and for addresses that path_of left as they were.
std::string uri_of(std::string_view path);

}  // namespace treaty::lsp
