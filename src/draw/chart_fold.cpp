#include <fmt/format.h>

#include "draw/chart.h"

namespace treaty::draw {
namespace {

// The close of the frame that opens here.
std::size_t end_of(const Chart& chart, std::size_t open) {
    std::size_t depth = 0;
    for (std::size_t i = open; i < chart.items.size(); ++i) {
        if (chart.items[i].kind == ItemKind::open) ++depth;
        if (chart.items[i].kind == ItemKind::close && --depth == 0) return i;
    }
    return chart.items.size() - 1;
}

}  // namespace

Chart folded(const Chart& chart, const std::set<std::uint32_t>& lines) {
    Chart result{chart.title, chart.lifelines, {}};
    std::vector<Reach> reach = reaches(chart);
    for (std::size_t i = 0; i < chart.items.size(); ++i) {
        const ChartItem& item = chart.items[i];
        result.items.push_back(item);
        if (item.kind != ItemKind::open || !lines.contains(item.line)) continue;
        std::size_t end = end_of(chart, i), messages = 0;
        for (std::size_t k = i; k < end; ++k) messages += chart.items[k].kind == ItemKind::arrow ? 1 : 0;
        result.items.push_back(
            {.kind = ItemKind::note,
             .lines = {messages == 1 ? std::string("1 message") : fmt::format("{} messages", messages)},
             .line = item.line});
        // The frame stays as wide as it was.
        ChartItem close = chart.items[end];
        close.from = reach[i].low;
        close.to = reach[i].high;
        result.items.push_back(std::move(close));
        i = end;
    }
    return result;
}

}  // namespace treaty::draw
