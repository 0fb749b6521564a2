// Each place a diagnostic speaks of is a mark: on one line, from a column to a column, with a text or
// without. Marks are grouped by file and line; a group prints as the source line and one or more rows of
// marks under it. The last mark of a line has its text next to it; the texts of the others hang below, right
// to left, so that no text crosses a mark. On a line too long to show, every mark gets a window of its own.
#include "report/render_diagnostics.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"

namespace treaty::report {
namespace {

constexpr std::size_t tab_columns = 4;
constexpr std::string_view dots = "...";

struct Mark {
    base::FileId file;
    std::uint32_t line = 0;
    std::size_t begin = 0;  // bytes from the start of the line
    std::size_t end = 0;
    bool primary = false;
    std::string text;
};

struct Group {
    base::FileId file;
    std::uint32_t line = 0;
    std::vector<Mark> marks;  // by column
};

// A source line ready to print, and the column of each of its bytes.
struct ShownLine {
    std::string text;
    std::vector<std::size_t> column_of;  // by byte from first_byte, one more than bytes
    std::size_t first_byte = 0;

    std::size_t column(std::size_t byte) const {
        std::size_t i = byte < first_byte ? 0 : byte - first_byte;
        return column_of[std::min(i, column_of.size() - 1)];
    }
};

Mark mark_at(const base::SourceMap& sources, base::Span span, bool primary, std::string text) {
    base::Position position = sources.begin(span);
    std::string_view line = sources.line(span.file, position.line);
    auto start = static_cast<std::size_t>(line.data() - sources.text(span.file).data());
    if (line.data() == nullptr) start = span.begin;
    std::size_t begin =
        std::min<std::size_t>(span.begin - std::min<std::size_t>(start, span.begin), line.size());
    std::size_t end = span.end > span.begin ? begin + (span.end - span.begin) : begin;
    return {span.file, position.line, begin, std::min(end, line.size()), primary, std::move(text)};
}

std::vector<Group> group_marks(std::vector<Mark> marks, const base::SourceMap& sources, std::size_t width) {
    base::FileId home = marks.front().file;
    std::stable_sort(marks.begin(), marks.end(), [&](const Mark& a, const Mark& b) {
        auto key = [&](const Mark& m) { return std::tuple(m.file != home, m.file.index, m.line, m.begin); };
        return key(a) < key(b);
    });
    std::vector<Group> groups;
    for (Mark& mark : marks) {
        bool too_long = sources.line(mark.file, mark.line).size() > width;
        bool same = !groups.empty() && groups.back().file == mark.file && groups.back().line == mark.line;
        if (!same || too_long) groups.push_back({mark.file, mark.line, {}});
        groups.back().marks.push_back(std::move(mark));
    }
    return groups;
}

std::size_t columns_of_source(char32_t value) {
    return value == '\t' ? tab_columns : base::columns(base::shown(value));
}

// The byte from which a window of `room` columns shows `begin` with about a third of the room before it.
std::size_t window_start(std::string_view line, std::size_t begin, std::size_t room) {
    std::size_t start = begin;
    std::size_t used = 0;
    while (start > 0 && used < room / 3) {
        std::size_t before = start - 1;
        while (before > 0 && start - before < 4 && base::is_continuation(line[before])) --before;
        used += columns_of_source(base::decode(line.substr(before, start - before)).value);
        start = before;
    }
    return start;
}

ShownLine show_line(std::string_view line, std::size_t focus, std::size_t room) {
    ShownLine out;
    bool windowed =
        line.size() > room && base::columns(line.substr(0, std::min(line.size(), room * 4))) > room;
    if (windowed) out.first_byte = window_start(line, focus, room);
    std::size_t column = 0;
    if (out.first_byte > 0) {
        out.text = dots;
        column = dots.size();
    }
    std::string_view rest = line.substr(out.first_byte);
    while (!rest.empty()) {
        base::CodePoint point = base::decode(rest);
        std::size_t step = columns_of_source(point.value);
        if (windowed && column + step + dots.size() > room) break;
        out.column_of.insert(out.column_of.end(), point.bytes, column);
        if (point.value == '\t')
            out.text.append(tab_columns, ' ');
        else
            base::append_utf8(out.text, base::shown(point.value));
        column += step;
        rest.remove_prefix(point.bytes);
    }
    out.column_of.push_back(column);
    if (!rest.empty()) out.text += dots;
    return out;
}

// A row of characters that is painted in pieces.
class Row {
public:
    void put(std::size_t column, std::string_view text, draw::Ink ink) {
        if (column > used_) out_.append(column - used_, ' '), used_ = column;
        out_ += draw::paint(style_, ink, text);
        used_ += base::columns(text);
    }
    explicit Row(const draw::Style& style) : style_(style) {}
    const std::string& text() const { return out_; }

private:
    const draw::Style& style_;
    std::string out_;
    std::size_t used_ = 0;
};

struct Placed {
    std::size_t begin, end;
    const Mark* mark;
};

draw::Ink ink_of(base::Severity severity) {
    switch (severity) {
        case base::Severity::note: return draw::Ink::note;
        case base::Severity::warning: return draw::Ink::warning;
        case base::Severity::error: return draw::Ink::error;
    }
    return draw::Ink::plain;
}

// The row of carets and dashes: where marks overlap, the primary one wins.
std::string marker_row(const std::vector<Placed>& placed, const draw::Style& style, draw::Ink ink) {
    std::size_t width = 0;
    for (const Placed& p : placed) width = std::max(width, p.end);
    std::string cells(width, ' ');
    for (bool primary : {false, true})
        for (const Placed& p : placed)
            if (p.mark->primary == primary)
                std::fill(cells.begin() + static_cast<std::ptrdiff_t>(p.begin),
                          cells.begin() + static_cast<std::ptrdiff_t>(p.end), primary ? '^' : '-');
    Row row(style);
    for (std::size_t i = 0; i < cells.size();) {
        std::size_t j = i;
        while (j < cells.size() && cells[j] == cells[i]) ++j;
        if (cells[i] != ' ')
            row.put(i, std::string_view(cells).substr(i, j - i), cells[i] == '^' ? ink : draw::Ink::place);
        i = j;
    }
    return row.text();
}

std::vector<std::string> mark_rows(std::vector<Placed> placed, const draw::Style& style, draw::Ink ink) {
    std::vector<std::string> rows = {marker_row(placed, style, ink)};
    auto ink_for = [&](const Placed& p) { return p.mark->primary ? ink : draw::Ink::place; };
    auto last = std::max_element(placed.begin(), placed.end(),
                                 [](const Placed& a, const Placed& b) { return a.end < b.end; });
    bool hidden = std::any_of(placed.begin(), placed.end(), [&](const Placed& p) {
        return &p != &*last && p.mark->primary && p.begin <= last->begin && p.end >= last->end;
    });
    if (!hidden && !last->mark->text.empty()) {
        rows.front() += ' ' + draw::paint(style, ink_for(*last), base::printable(last->mark->text));
        placed.erase(last);
    }
    std::erase_if(placed, [](const Placed& p) { return p.mark->text.empty(); });
    while (!placed.empty()) {
        Placed now = placed.back();
        placed.pop_back();
        Row row(style);
        for (std::size_t i = 0; i < placed.size(); ++i) {
            bool again = i > 0 && placed[i].begin == placed[i - 1].begin;
            if (!again && placed[i].begin < now.begin) row.put(placed[i].begin, "|", ink_for(placed[i]));
        }
        row.put(now.begin, base::printable(now.mark->text), ink_for(now));
        rows.push_back(row.text());
    }
    return rows;
}

void render_group(std::string& out, const Group& group, const base::SourceMap& sources, std::size_t gutter,
                  const draw::Style& style, draw::Ink ink) {
    std::size_t room = style.width > gutter + 23 ? style.width - gutter - 3 : 20;
    ShownLine line = show_line(sources.line(group.file, group.line), group.marks.front().begin, room);
    std::vector<Placed> placed;
    for (const Mark& mark : group.marks) {
        std::size_t begin = line.column(mark.begin);
        placed.push_back({begin, std::max(line.column(mark.end), begin + 1), &mark});
    }
    std::string bar = draw::paint(style, draw::Ink::place, fmt::format("{:>{}} |", "", gutter));
    out += draw::paint(style, draw::Ink::place, fmt::format("{:>{}} |", group.line, gutter));
    if (!line.text.empty()) out += ' ' + line.text;
    out += '\n';
    for (const std::string& row : mark_rows(std::move(placed), style, ink)) out += bar + ' ' + row + '\n';
}

std::string place_of(const base::SourceMap& sources, base::Span span) {
    base::Position position = sources.begin(span);
    return fmt::format("{}:{}:{}", base::printable(sources.path(span.file)), position.line, position.column);
}

// The source lines of a diagnostic, between the line that names the place and the hint.
void render_places(std::string& out, const base::Diagnostic& diagnostic, const base::SourceMap& sources,
                   std::size_t gutter, std::vector<Group> groups, const draw::Style& style) {
    std::string bar = draw::paint(style, draw::Ink::place, fmt::format("{:>{}} |", "", gutter));
    draw::Ink ink = ink_of(diagnostic.severity);
    out += fmt::format("{:>{}}{} {}\n", "", gutter, draw::paint(style, draw::Ink::place, "-->"),
                       place_of(sources, diagnostic.span));
    out += bar + '\n';
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (i > 0 && groups[i].file != groups[i - 1].file) {
            const Mark& mark = groups[i].marks.front();
            out += fmt::format("{:>{}}{} {}:{}\n", "", gutter, draw::paint(style, draw::Ink::place, ":::"),
                               base::printable(sources.path(groups[i].file)), mark.line);
        } else if (i > 0 && groups[i].line > groups[i - 1].line + 1) {
            out += draw::paint(style, draw::Ink::place, dots) + '\n';
        }
        render_group(out, groups[i], sources, gutter, style, ink);
    }
}

}  // namespace

std::string render(const base::Diagnostic& diagnostic, const base::SourceMap& sources,
                   const draw::Style& style) {
    draw::Ink ink = ink_of(diagnostic.severity);
    std::string head =
        fmt::format("{}[{}]", base::to_string(diagnostic.severity), base::to_string(*diagnostic.code));
    std::string out = draw::paint(style, ink, head) +
                      draw::paint(style, draw::Ink::bold, ": " + base::printable(diagnostic.message)) + '\n';
    std::size_t gutter = 1;
    if (diagnostic.severity == base::Severity::note) {
        // A remark is read once: its place is enough.
        if (diagnostic.span.valid())
            out += fmt::format(" {} {}\n", draw::paint(style, draw::Ink::place, "-->"),
                               place_of(sources, diagnostic.span));
    } else if (diagnostic.span.valid()) {
        std::vector<Mark> marks = {mark_at(sources, diagnostic.span, true, "")};
        for (const base::Label& label : diagnostic.labels)
            if (label.span.valid()) marks.push_back(mark_at(sources, label.span, false, label.text));
        for (const Mark& mark : marks) gutter = std::max(gutter, fmt::formatted_size("{}", mark.line));
        render_places(out, diagnostic, sources, gutter, group_marks(std::move(marks), sources, style.width),
                      style);
        if (!diagnostic.hint.empty())
            out += draw::paint(style, draw::Ink::place, fmt::format("{:>{}} |", "", gutter)) + '\n';
    }
    if (!diagnostic.hint.empty())
        out += fmt::format("{:>{}} {} {}\n", "", gutter, draw::paint(style, draw::Ink::bold, "= help:"),
                           base::printable(diagnostic.hint));
    return out;
}

std::string summary(const base::Diagnostics& diagnostics) {
    auto count = [](std::size_t n, std::string_view what) {
        return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    std::string out;
    if (diagnostics.errors() > 0) out = count(diagnostics.errors(), "error");
    if (diagnostics.warnings() > 0)
        out += (out.empty() ? "" : ", ") + count(diagnostics.warnings(), "warning");
    if (diagnostics.dropped() > 0) out += fmt::format(" ({} not shown)", diagnostics.dropped());
    return out;
}

std::string render(const base::Diagnostics& diagnostics, const base::SourceMap& sources,
                   const draw::Style& style) {
    std::string out;
    for (const base::Diagnostic& diagnostic : diagnostics.all())
        out += render(diagnostic, sources, style) + '\n';
    std::string line = summary(diagnostics);
    if (!line.empty())
        out +=
            draw::paint(style, diagnostics.errors() > 0 ? draw::Ink::error : draw::Ink::warning, line) + '\n';
    return out;
}

std::string first_error(const base::Diagnostics& diagnostics) {
    for (const base::Diagnostic& one : diagnostics.all())
        if (one.severity == base::Severity::error) return one.message;
    return {};
}

}  // namespace treaty::report
