#include "api/notations.h"

#include <algorithm>

#include "formats/notation.h"

namespace treaty::api {
namespace {

// The address of a heading in a page, as Markdown viewers make it: ".gc and .sgg" is gc-and-sgg.
std::string anchor_of(std::string_view heading) {
    std::string anchor;
    for (char c : heading) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_') anchor += c;
        if (c == ' ') anchor += '-';
    }
    return anchor;
}

std::vector<NotationInfo> collect() {
    std::vector<NotationInfo> all;
    for (const formats::Notation& one : formats::notations()) {
        NotationInfo info;
        info.title = one.title;
        info.extensions.assign(one.extensions.begin(), one.extensions.end());
        info.read = one.is_read();
        info.written = one.is_written();
        info.read_by = one.read_by;
        info.carries = one.carries;
        info.page = "docs/notations.md#" + anchor_of(one.section);
        all.push_back(std::move(info));
    }
    return all;
}

}  // namespace

std::span<const NotationInfo> notations() {
    static const std::vector<NotationInfo> all = collect();
    return all;
}

std::vector<NotationInfo> notations_of(std::string_view extension) {
    if (extension.starts_with('.')) extension.remove_prefix(1);
    std::vector<NotationInfo> found;
    for (const NotationInfo& one : notations())
        if (std::ranges::find(one.extensions, extension) != one.extensions.end()) found.push_back(one);
    return found;
}

}  // namespace treaty::api
