#include "formats/xml.h"

#include <algorithm>

#include "base/utf8.h"
#include "formats/codes.h"

namespace treaty::formats::xml {

std::string_view local_name(const pugi::xml_node& node) {
    std::string_view name = node.name();
    std::size_t colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

pugi::xml_node child(const pugi::xml_node& node, std::string_view name) {
    for (pugi::xml_node c : node.children())
        if (local_name(c) == name) return c;
    return {};
}

std::string_view trimmed(std::string_view text) {
    auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

base::Span span_of(const pugi::xml_node& node, base::FileId file) {
    std::ptrdiff_t offset = node ? node.offset_debug() : -1;
    if (offset < 0) return {file, 0, 0};
    auto begin = static_cast<std::uint32_t>(offset);
    return {file, begin, begin + static_cast<std::uint32_t>(std::string_view(node.name()).size())};
}

bool read(const base::SourceMap& sources, base::FileId file, pugi::xml_document& document,
          base::Diagnostics& diagnostics) {
    std::string_view text = sources.text(file);
    pugi::xml_parse_result parsed =
        document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (parsed) return true;
    auto at = static_cast<std::uint32_t>(
        std::min<std::size_t>(static_cast<std::size_t>(parsed.offset), text.size()));
    diagnostics.report(codes::xml_syntax, {file, at, at}, parsed.description());
    return false;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

bool writable(std::string_view text) {
    return base::is_utf8(text) && std::none_of(text.begin(), text.end(),
                                               [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

}  // namespace treaty::formats::xml
