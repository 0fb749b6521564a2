// A .treaty text that a reader makes of a document in another notation, and reads like any other.
//
// So what comes back obeys the rules of the language, `treaty convert` writes the text with its comments, and
// what the document leaves open can be a comment at its place. Steps and declarations point at the lines of
// the document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/notation.h"

namespace treaty::formats {

class MadeText {
public:
    // start: what a line points at that is made from no place of the document.
    explicit MadeText(base::Span start) : start_(start) {}

    void line(int indent, std::string_view text, base::Span span = {});
    // Each line of the text as a comment.
    void comment(int indent, std::string_view text);
    void blank() { line(0, ""); }

    // One alternative as it is, several as a choice of the role. branch(indent, number) writes one.
    template <class Branch>
    void choose(int indent, std::string_view role, std::size_t count, Branch branch, base::Span span = {}) {
        if (count == 1) return branch(indent, std::size_t{0});
        line(indent, "choice at " + std::string(role) + " {", span);
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) line(indent, "} or {");
            branch(indent + 1, i);
        }
        line(indent, "}");
    }

    void append(const MadeText& other);

    // Adds the text to the sources as path_of_made_text() and reads it.
    Loaded read(const Loading& loading) const;

    std::size_t lines() const { return spans_.size(); }

private:
    base::Span span_of(std::size_t line) const { return line < spans_.size() ? spans_[line] : start_; }

    base::Span start_;
    std::string text_;
    std::vector<base::Span> spans_;  // by line
};

// A name for a protocol near to a title: "pet store" becomes "PetStore".
std::string protocol_name(std::string_view title);

}  // namespace treaty::formats
