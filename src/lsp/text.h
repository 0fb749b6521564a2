// The text of a document with its lines, and positions in it as the protocol counts them.
//
// A position is a line from 0 and a character from 0, in UTF-16 code units: a character outside the basic
// plane counts as two. Lines end with \n, \r\n or \r. Positions outside are moved to the nearest place: past
// the end of a line to its end, past the last line to the end of the text, inside a character to its
// beginning. Frozen, so it may be read from many threads. Cost: positions are O(log lines + line).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treaty::lsp {

struct Position {
    std::uint32_t line = 0;
    std::uint32_t character = 0;

    friend constexpr auto operator<=>(const Position&, const Position&) = default;
};

class Text {
public:
    explicit Text(std::string text);

    const std::string& all() const { return text_; }
    std::size_t line_count() const { return starts_.size(); }
    std::size_t offset(Position position) const;
    Position position(std::size_t offset) const;
    Position end() const { return position(text_.size()); }

    // With the part from begin to end replaced.
    Text replaced(Position begin, Position end, std::string_view by) const;

private:
    std::string_view line(std::size_t number) const;  // without its end

    std::string text_;
    std::vector<std::size_t> starts_;
};

}  // namespace treaty::lsp
