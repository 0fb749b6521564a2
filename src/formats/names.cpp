#include "formats/names.h"

namespace treaty::formats {
namespace {

std::string_view file_of(std::string_view path) {
    std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string_view stem_of(std::string_view path) {
    std::string_view file = file_of(path);
    std::size_t dot = file.rfind('.');
    return dot == std::string_view::npos || dot == 0 ? file : file.substr(0, dot);
}

std::string extension_of(std::string_view path) {
    std::string_view file = file_of(path);
    std::size_t dot = file.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return {};
    std::string extension(file.substr(dot + 1));
    for (char& c : extension)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return extension;
}

std::string identifier_of(std::string_view text) {
    std::string name;
    for (char c : text) {
        bool digit = c >= '0' && c <= '9';
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (digit && name.empty()) name += 'P';
        name += digit || letter ? c : '_';
    }
    if (name.empty()) return "Protocol";
    if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name;
}

}  // namespace treaty::formats
