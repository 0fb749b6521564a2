// The escapes inside the lines of a wire. Internal to wire/.
//
// escape() and unescape() are inverses: a text that must be escaped and is not, and an invalid escape, are
// faults, so each content has exactly one line. That holds for escapes that check_escapes() accepts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/wire.h"

namespace treaty::wire {

using model::Escape;

class LineEscapes {
public:
    explicit LineEscapes(std::vector<Escape> escapes) : escapes_(std::move(escapes)) {}

    bool empty() const { return escapes_.empty(); }
    std::string escape(std::string_view content) const;
    // Leaves the content, and for each byte of it (and its end) the place in the line; returns where the line
    // cannot be read, if so.
    std::optional<std::size_t> unescape(std::string_view line, std::string& content,
                                        std::vector<std::size_t>& places) const;

private:
    const Escape* at(std::string_view text, std::size_t place, bool written) const;

    std::vector<Escape> escapes_;
};

// A fault where two contents could look the same as lines: each escape begins with a byte that is
// itself escaped, none begins another one, and none holds the line's end.
base::Result<void> check_escapes(const std::vector<Escape>& escapes, std::string_view terminator);

}  // namespace treaty::wire
