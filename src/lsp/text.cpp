#include "lsp/text.h"

#include <algorithm>

#include "base/utf8.h"

namespace treaty::lsp {
namespace {

std::uint32_t units(char32_t value) {
    return value >= 0x10000 ? 2 : 1;
}

}  // namespace

Text::Text(std::string text) : text_(std::move(text)), starts_{0} {
    for (std::size_t i = 0; i < text_.size(); ++i) {
        bool pair = text_[i] == '\r' && i + 1 < text_.size() && text_[i + 1] == '\n';
        if (text_[i] == '\n' || (text_[i] == '\r' && !pair)) starts_.push_back(i + 1);
    }
}

std::string_view Text::line(std::size_t number) const {
    std::size_t begin = starts_[number];
    std::size_t end = number + 1 < starts_.size() ? starts_[number + 1] : text_.size();
    while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
    return std::string_view(text_).substr(begin, end - begin);
}

std::size_t Text::offset(Position position) const {
    if (position.line >= starts_.size()) return text_.size();
    std::string_view rest = line(position.line);
    std::size_t at = starts_[position.line];
    std::uint32_t passed = 0;
    while (!rest.empty() && passed < position.character) {
        base::CodePoint next = base::decode(rest);
        passed += units(next.value);
        if (passed > position.character) break;
        at += next.bytes;
        rest.remove_prefix(next.bytes);
    }
    return at;
}

Position Text::position(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    auto number = static_cast<std::size_t>(after - starts_.begin()) - 1;
    std::string_view rest = line(number);
    std::size_t at = starts_[number];
    Position result{static_cast<std::uint32_t>(number), 0};
    while (!rest.empty()) {
        base::CodePoint next = base::decode(rest);
        at += next.bytes;
        if (at > offset) break;
        result.character += units(next.value);
        rest.remove_prefix(next.bytes);
    }
    return result;
}

Text Text::replaced(Position begin, Position end, std::string_view by) const {
    std::size_t from = offset(begin);
    std::size_t to = std::max(from, offset(end));
    std::string changed = text_;
    changed.replace(from, to - from, by);
    return Text(std::move(changed));
}

}  // namespace treaty::lsp
