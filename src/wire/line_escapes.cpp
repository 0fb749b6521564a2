#include "wire/line_escapes.h"

#include <algorithm>

#include <fmt/format.h>

namespace treaty::wire {

// The escape whose text (or written text) is at this position; one for the start of the line goes first.
const Escape* LineEscapes::at(std::string_view text, std::size_t place, bool written) const {
    for (bool start : {true, false})
        for (const Escape& e : escapes_)
            if (e.at_start == start && (!start || place == 0) &&
                text.substr(place).starts_with(written ? e.written : e.text))
                return &e;
    return nullptr;
}

std::string LineEscapes::escape(std::string_view content) const {
    std::string line;
    for (std::size_t i = 0; i < content.size();) {
        const Escape* e = at(content, i, false);
        if (e)
            line += e->written;
        else
            line += content[i];
        i += e ? e->text.size() : 1;
    }
    return line;
}

std::optional<std::size_t> LineEscapes::unescape(std::string_view line, std::string& content,
                                                 std::vector<std::size_t>& places) const {
    content.clear();
    places.clear();
    for (std::size_t i = 0; i < line.size();) {
        const Escape* e = at(line, i, true);
        if (!e) {
            if (const Escape* bare = at(line, i, false)) return i + (bare->at_start ? bare->text.size() : 0);
            places.push_back(i);
            content += line[i++];
            continue;
        }
        content += e->text;
        places.resize(content.size(), i);
        i += e->written.size();
    }
    places.push_back(line.size());
    return std::nullopt;
}

base::Result<void> check_escapes(const std::vector<Escape>& escapes, std::string_view terminator) {
    auto escaped = [&](char c) {
        return std::any_of(escapes.begin(), escapes.end(), [&](const Escape& e) {
            return !e.at_start && e.text.size() == 1 && e.text[0] == c;
        });
    };
    for (const Escape& e : escapes) {
        if (e.text.empty() || e.written.empty() || e.text == e.written)
            return base::Fault{"an escape must differ from the text it replaces, and neither may be empty"};
        if (e.written.find(terminator) != std::string::npos)
            return base::Fault{"an escape must not contain the line terminator"};
        if (e.at_start ? !e.written.starts_with(e.text) : !escaped(e.written[0]))
            return base::Fault{
                e.at_start ? "at the start of a line, the escape must begin with the text that it replaces"
                           : "the first byte of an escape must have an escape of its own"};
        for (const Escape& other : escapes)
            if (&e != &other && e.at_start == other.at_start &&
                (other.written.starts_with(e.written) || other.text.starts_with(e.text)))
                return base::Fault{"no escape may begin with another one"};
    }
    return {};
}

}  // namespace treaty::wire
