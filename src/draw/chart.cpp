#include "draw/chart.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/utf8.h"

namespace treaty::draw {
namespace {

using Touched = std::optional<Reach>;

void include(Touched& touched, std::size_t lifeline) {
    if (lifeline == ChartItem::none) return;
    if (!touched) touched = Reach{lifeline, lifeline};
    touched->low = std::min(touched->low, lifeline);
    touched->high = std::max(touched->high, lifeline);
}

constexpr std::size_t most_rows = 100;  // of one label: a longer one would not be a picture

// Where the first row of a text that is longer than a row ends: after a comma, else after a blank, else where
// the row is full. At least one character.
std::size_t row_end(std::string_view text, std::size_t limit) {
    std::size_t columns = 0, at = 0, after_blank = 0, after_comma = 0;
    while (at < text.size()) {
        base::CodePoint point = base::decode(text.substr(at));
        columns += base::columns(base::shown(point.value));
        if (columns > limit && at > 0) break;
        bool comma = at > 0 && text[at - 1] == ',';
        at += point.bytes;
        if (point.value != U' ') continue;
        after_blank = at;
        if (comma) after_comma = at;
    }
    if (at == text.size()) return at;
    return after_comma > 0 ? after_comma : after_blank > 0 ? after_blank : at;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t limit) {
    std::vector<std::string> rows;
    while (base::columns(text) > limit && rows.size() + 1 < most_rows) {
        std::size_t end = row_end(text, limit);
        std::string_view row = text.substr(0, end);
        while (!row.empty() && row.back() == ' ') row.remove_suffix(1);
        rows.emplace_back(row);
        text.remove_prefix(end);
    }
    rows.push_back(base::shorten(text, limit));
    return rows;
}

std::vector<Reach> reaches(const Chart& chart) {
    struct Frame {
        std::vector<std::size_t> items;  // its open, its splits, its close
        Touched touched;
    };
    std::vector<Touched> own(chart.items.size());
    std::vector<Frame> open(1);  // the whole chart is the outermost frame
    for (std::size_t i = 0; i < chart.items.size(); ++i) {
        const ChartItem& item = chart.items[i];
        if (item.kind == ItemKind::open) open.emplace_back();
        include(open.back().touched, item.from);
        include(open.back().touched, item.to);
        if (item.kind == ItemKind::open || item.kind == ItemKind::split || item.kind == ItemKind::close) {
            open.back().items.push_back(i);
        } else {
            include(own[i], item.from);
            include(own[i], item.to);
        }
        if (item.kind != ItemKind::close) continue;
        TREATY_CHECK(open.size() > 1);
        Frame done = std::move(open.back());
        open.pop_back();
        for (std::size_t part : done.items) own[part] = done.touched;
        if (done.touched) {
            include(open.back().touched, done.touched->low);
            include(open.back().touched, done.touched->high);
        }
    }
    TREATY_CHECK(open.size() == 1);
    // Top-down: an item without lifelines of its own takes those around it.
    Reach all{0, chart.lifelines.empty() ? 0 : chart.lifelines.size() - 1};
    std::vector<Reach> out(chart.items.size(), all), around = {all};
    for (std::size_t i = 0; i < chart.items.size(); ++i) {
        out[i] = own[i].value_or(around.back());
        if (chart.items[i].kind == ItemKind::open) around.push_back(out[i]);
        if (chart.items[i].kind == ItemKind::close) around.pop_back();
    }
    return out;
}

std::vector<double> place_lifelines(std::size_t count, std::vector<Distance> bounds) {
    std::sort(bounds.begin(), bounds.end(),
              [](const Distance& a, const Distance& b) { return a.high < b.high; });
    std::vector<double> x(count, 0);
    std::size_t next = 0;
    for (std::size_t i = 1; i < count; ++i) {
        x[i] = x[i - 1];
        for (; next < bounds.size() && bounds[next].high == i; ++next)
            x[i] = std::max(x[i], x[bounds[next].low] + bounds[next].at_least);
    }
    return x;
}

}  // namespace treaty::draw
