// What a sequence chart shows, before anyone decides where: lifelines and, from top to bottom, items.
//
// Frames are written as brackets: open, any number of splits, close; they nest properly. A message that
// takes time is two items, a send and a later receive, that know each other. Lifelines are positions in
// `lifelines`. No chart holds a pointer; it may outlive what it was made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace treaty::draw {

enum class ItemKind : std::uint8_t {
    arrow,    // a message, sent and received in this row
    send,     // leaves here; arrives at `partner`, or never
    receive,  // arrives here; left at `partner`, or no one knows where
    note,     // a text over the lifelines of its frame
    open,     // a frame begins
    split,    // its next part begins
    close,    // it ends
};

struct ChartItem {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    ItemKind kind = ItemKind::note;
    std::size_t from = none;  // arrow, send, receive: a lifeline; open: who decides
    std::size_t to = none;
    std::size_t partner = none;           // send, receive: an item
    std::string tab = {};                 // open: the word in the corner
    std::vector<std::string> lines = {};  // the label, the note, the caption of a part; never empty texts
    bool failing = false;
    std::string number = {};  // which event of a run; empty in a static chart
    std::uint32_t line = 0;   // of the source; 0: unknown
};

struct Chart {
    std::string title;
    std::vector<std::string> lifelines;
    std::vector<ChartItem> items;
};

// For each item the first and last lifeline it touches; for open, split and close those of everything in the
// frame; notes, and frames that touch none, take those of the frame around them. Cost: linear.
struct Reach {
    std::size_t low = 0;
    std::size_t high = 0;
};
std::vector<Reach> reaches(const Chart& chart);

// The chart with the frames that come from these lines folded: each has one row, with the number of messages
// in it. Only for charts of protocols, in which no item has a partner. Cost: linear.
Chart folded(const Chart& chart, const std::set<std::uint32_t>& lines);

// A text as rows of at most `limit` columns, broken after a comma, else after a blank, else where a row is
// full. Nothing is left out, unless there are more than a hundred rows: then the last one is shortened.
std::vector<std::string> wrapped(std::string_view text, std::size_t limit);

// A lower bound on the distance of two lifelines, low < high.
struct Distance {
    std::size_t low = 0;
    std::size_t high = 0;
    double at_least = 0;
};

// The leftmost positions that keep every bound; the first is 0. Cost: O(n log n).
std::vector<double> place_lifelines(std::size_t count, std::vector<Distance> bounds);

}  // namespace treaty::draw
