#include "lsp/uri.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/hex.h"

namespace treaty::lsp {
namespace {

constexpr std::string_view file_scheme = "file://";

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~/").find(c) != std::string_view::npos;
}

std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && is_hex(text[i + 1]) && is_hex(text[i + 2])) {
            out += static_cast<char>(base::hex_digit(text[i + 1]) * 16 + base::hex_digit(text[i + 2]));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

}  // namespace

std::string path_of(std::string_view uri, std::string_view extension) {
    if (!uri.starts_with(file_scheme)) {
        std::string path(uri);
        bool has_extension = !std::filesystem::path(path).extension().empty();
        return has_extension ? path : fmt::format("{}.{}", path, extension);
    }
    std::string_view rest = uri.substr(file_scheme.size());
    rest.remove_prefix(std::min(rest.find('/'), rest.size()));  // a host, which is this one
    return std::filesystem::path(decoded(rest)).lexically_normal().string();
}

std::string uri_of(std::string_view path) {
    if (!path.starts_with('/')) return std::string(path);
    std::string out(file_scheme);
    for (char c : path) {
        if (is_plain(c))
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

}  // namespace treaty::lsp
