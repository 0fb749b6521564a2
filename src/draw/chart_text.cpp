// Every item is one row of characters: the lifelines first, then the bars of the open frames at both sides,
// then the item itself over them. Frames deeper than max_bars share the innermost pair of bars.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/utf8.h"
#include "draw/sequence_chart.h"

namespace treaty::draw {
namespace {

constexpr std::size_t max_bars = 8;
constexpr std::size_t label_limit = 48;

constexpr std::size_t note_limit = 72;

std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) out += (out.empty() ? "" : " ") + line;
    return out;
}

// Nothing is left out: a value that decides something may be at the end.
std::vector<std::string> rows_of(const std::vector<std::string>& lines, std::size_t limit = label_limit) {
    return wrapped(joined(lines), limit);
}

std::size_t columns_of(const std::vector<std::string>& rows) {
    std::size_t most = 0;
    for (const std::string& row : rows) most = std::max(most, base::columns(row));
    return most;
}

// A row of cells; a wide character takes its cell and an empty one.
class Cells {
public:
    explicit Cells(std::size_t width) : cells_(width, U' ') {}
    void put(std::size_t column, char c) {
        if (column < cells_.size()) set(column, static_cast<unsigned char>(c));
    }
    void fill(std::size_t begin, std::size_t end, char c) {
        for (std::size_t i = begin; i < end; ++i) put(i, c);
    }
    void put(std::size_t column, std::string_view text) {
        while (!text.empty() && column < cells_.size()) {
            base::CodePoint point = base::decode(text);
            std::size_t step = base::columns(base::shown(point.value));
            if (step > 0) set(column, base::shown(point.value));
            if (step == 2 && column + 1 < cells_.size()) set(column + 1, taken);
            column += step;
            text.remove_prefix(point.bytes);
        }
    }
    std::string text() const {
        std::string out;
        for (char32_t cell : cells_)
            if (cell != taken) base::append_utf8(out, cell);
        out.erase(out.find_last_not_of(' ') + 1);
        return out;
    }

private:
    static constexpr char32_t taken = 0;  // the second half of the wide character before it

    void set(std::size_t column, char32_t value) {
        if (value != taken && cells_[column] == taken && column > 0) cells_[column - 1] = U' ';
        bool halves = value != taken && column + 1 < cells_.size() && cells_[column + 1] == taken;
        if (halves) cells_[column + 1] = U' ';
        cells_[column] = value;
    }

    std::u32string cells_;
};

class TextChart {
public:
    TextChart(const Chart& chart, const Style& style)
        : chart_(chart), style_(style), reaches_(reaches(chart)) {
        measure();
    }

    std::size_t width() const { return width_; }

    std::string write() {
        if (!chart_.title.empty()) line(paint(style_, Ink::bold, base::shorten(chart_.title, label_limit)));
        Cells names(width_);
        for (std::size_t i = 0; i < x_.size(); ++i) {
            std::string name = base::shorten(chart_.lifelines[i], label_limit);
            names.put(x_[i] - std::min(x_[i], base::columns(name) / 2), name);
        }
        line(paint(style_, Ink::bold, names.text()));
        line(blank().text());
        for (std::size_t i = 0; i < chart_.items.size(); ++i) item(i);
        if (!chart_.items.empty()) line(blank().text());
        return std::move(out_);
    }

private:
    // Everything the width depends on, and the column of each lifeline.
    void measure() {
        std::vector<Distance> bounds, selfs;
        for (std::size_t i = 1; i < chart_.lifelines.size(); ++i) {
            std::size_t names = base::columns(base::shorten(chart_.lifelines[i - 1], label_limit)) +
                                base::columns(base::shorten(chart_.lifelines[i], label_limit));
            bounds.push_back({i - 1, i, static_cast<double>(std::max<std::size_t>(names / 2 + 3, 10))});
        }
        std::size_t depth = 0, deepest = 0, notes = 0;
        for (std::size_t i = 0; i < chart_.items.size(); ++i) {
            const ChartItem& item = chart_.items[i];
            number_width_ = std::max(number_width_, item.number.size());
            bool note = item.kind == ItemKind::note;
            std::size_t label = columns_of(rows_of(item.lines, note ? note_limit : label_limit));
            Reach reach = reaches_[i];
            switch (item.kind) {
                case ItemKind::open: deepest = std::max(deepest, ++depth); [[fallthrough]];
                case ItemKind::split:
                case ItemKind::note: notes = std::max(notes, label + item.tab.size() + 10); break;
                case ItemKind::close: --depth; break;
                case ItemKind::arrow:
                case ItemKind::send:
                case ItemKind::receive:
                    if (reach.low != reach.high)
                        bounds.push_back({reach.low, reach.high, static_cast<double>(label + 7)});
                    else
                        selfs.push_back({reach.low, reach.low, static_cast<double>(label + 14)});
            }
        }
        bars_ = std::min(deepest, max_bars);
        start_ = (number_width_ > 0 ? number_width_ + 1 : 0);
        place(std::move(bounds), notes, selfs);
    }

    // selfs: how much room each message to oneself needs to the right of its lifeline.
    void place(std::vector<Distance> bounds, std::size_t notes, const std::vector<Distance>& selfs) {
        std::size_t first =
            chart_.lifelines.empty() ? 0 : base::columns(base::shorten(chart_.lifelines[0], label_limit)) / 2;
        std::size_t last = chart_.lifelines.empty()
                               ? 0
                               : (base::columns(base::shorten(chart_.lifelines.back(), label_limit)) + 1) / 2;
        std::size_t left = start_ + 2 * bars_ + first + 1;
        for (double x : place_lifelines(chart_.lifelines.size(), std::move(bounds)))
            x_.push_back(left + static_cast<std::size_t>(std::llround(x)));
        std::size_t end = (x_.empty() ? left : x_.back()) + last + 1;
        end = std::max(end, start_ + 2 * bars_ + notes);
        for (const Distance& self : selfs)
            end = std::max(end, x_[self.low] + static_cast<std::size_t>(self.at_least));
        width_ = end + 1 + 2 * bars_;
    }

    // Lifelines, and the bars of the open frames.
    Cells blank() const {
        Cells row(width_);
        for (std::size_t x : x_) row.put(x, '|');
        for (std::size_t d = 0; d < std::min(open_, bars_); ++d) {
            row.put(start_ + 2 * d, '|');
            row.put(width_ - 1 - 2 * d, '|');
        }
        return row;
    }

    void item(std::size_t i) {
        const ChartItem& item = chart_.items[i];
        switch (item.kind) {
            case ItemKind::open:
                ++open_;
                edge(item, '-');
                break;
            case ItemKind::split: edge(item, '.'); break;
            case ItemKind::close:
                edge(item, '-');
                --open_;
                break;
            case ItemKind::note: note(i); break;
            case ItemKind::arrow:
            case ItemKind::send:
            case ItemKind::receive: message(i); break;
        }
    }

    void edge(const ChartItem& item, char stroke) {
        Cells row = blank();
        std::size_t depth = std::min(open_, bars_) - 1;
        std::size_t left = start_ + 2 * depth, right = width_ - 1 - 2 * depth;
        row.fill(left, right + 1, stroke);
        row.put(left, '+');
        row.put(right, '+');
        std::string caption = item.tab;
        if (!item.lines.empty())
            caption += (caption.empty() ? "" : ": ") + base::shorten(joined(item.lines), label_limit);
        if (!caption.empty()) row.put(left + 2, " " + caption + " ");
        line(row.text());
    }

    void note(std::size_t i) {
        const ChartItem& item = chart_.items[i];
        std::vector<std::string> rows = rows_of(item.lines, note_limit);
        std::size_t taken = columns_of(rows) + 4;
        std::size_t inner = start_ + 2 * bars_;
        std::size_t middle =
            x_.empty() ? inner + taken / 2 : (x_[reaches_[i].low] + x_[reaches_[i].high]) / 2;
        std::size_t begin = std::max(inner, middle - std::min(middle, taken / 2));
        begin = std::min(begin, std::max(inner, width_ - 2 * bars_ - taken));
        for (std::size_t n = 0; n < rows.size(); ++n) {
            Cells row = blank();
            bool last = n + 1 == rows.size();
            row.put(begin, fmt::format("{} {}{}", n == 0 ? '[' : ' ', rows[n], last ? " ]" : ""));
            finish(std::move(row), item, n == 0);
        }
    }

    void message(std::size_t i) {
        const ChartItem& item = chart_.items[i];
        Cells row = blank();
        std::vector<std::string> rows = rows_of(item.lines);
        const std::string& label = rows[0];
        std::size_t low = x_[std::min(item.from, item.to)], high = x_[std::max(item.from, item.to)];
        bool right = item.to > item.from;
        if (low == high) {
            row.put(low + 1, "<-> " + label + (item.kind == ItemKind::send ? " (sent)" : ""));
            finish(std::move(row), item);
            more_rows(rows, low + 5, item);
            return;
        }
        std::size_t taken = base::columns(label), room = high - low - 1;
        std::size_t text = low + 1 + (room - taken) / 2;
        row.fill(low + 1, high, '-');
        bool waits = item.kind == ItemKind::send, arrives = item.kind == ItemKind::receive;
        if (waits || arrives) {
            // The label is at the end with the event; dots show the time on the way.
            bool at_low = waits == right;
            text = at_low ? low + 3 : high - 3 - taken;
            if (at_low)
                row.fill(text + taken, high, '.');
            else
                row.fill(low + 1, text, '.');
        }
        if (!waits) row.put(right ? high - 1 : low + 1, right ? '>' : '<');
        if (waits && item.partner == ChartItem::none) {
            if (right)
                row.fill(text + taken, high, ' '), row.put(text + taken, "-x");
            else
                row.fill(low + 1, text, ' '), row.put(text - 2, "x-");
        }
        row.put(text, label);
        finish(std::move(row), item);
        more_rows(rows, std::min(text, high - columns_of(rows)), item);
    }

    // The rest of a label, under its first row.
    void more_rows(const std::vector<std::string>& rows, std::size_t column, const ChartItem& item) {
        for (std::size_t n = 1; n < rows.size(); ++n) {
            Cells row = blank();
            row.put(column, rows[n]);
            finish(std::move(row), item, false);
        }
    }

    // Adds, to the first row of an item, the number at the beginning and the source line at the end.
    void finish(Cells row, const ChartItem& item, bool first = true) {
        if (first && number_width_ > 0) row.put(number_width_ - item.number.size(), item.number);
        std::string text = row.text();
        if (item.failing) text = paint(style_, Ink::error, text);
        if (first && item.line > 0) {
            std::size_t used = base::columns(row.text());
            std::string pad(width_ + 2 - std::min(used, width_ + 2), ' ');
            text += pad + paint(style_, Ink::faint, fmt::format("line {}", item.line));
        }
        line(text);
    }

    void line(const std::string& text) { out_ += text + '\n'; }

    const Chart& chart_;
    const Style& style_;
    std::vector<Reach> reaches_;
    std::vector<std::size_t> x_;
    std::size_t number_width_ = 0;
    std::size_t bars_ = 0;
    std::size_t start_ = 0;
    std::size_t width_ = 0;
    std::size_t open_ = 0;
    std::string out_;
};

}  // namespace

std::string to_text(const Chart& chart, const Style& style) {
    return TextChart(chart, style).write();
}

std::size_t text_columns(const Chart& chart) {
    std::size_t longest_line = 0;
    for (const ChartItem& item : chart.items)
        if (item.line > 0) longest_line = std::max(longest_line, fmt::formatted_size("  line {}", item.line));
    return TextChart(chart, Style{}).width() + longest_line;
}

}  // namespace treaty::draw
