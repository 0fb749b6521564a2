// Where everything of a sequence chart goes, in pixels.
//
// Rows never share a height, lifelines are as far apart as the labels between them need, and a frame is wider
// than everything in it: so no two texts can overlap, and a text crosses lifelines only. Cost: linear, but
// for sorting the distances.
#pragma once

#include <string>
#include <vector>

#include "draw/chart.h"

namespace treaty::draw {

struct Box {
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;
};

struct ChartLayout {
    std::vector<double> x;           // of each lifeline
    std::vector<double> head_width;  // of the box with its name
    std::vector<Box> boxes;          // of each item; an `open` has the box of its whole frame
    std::vector<double> y;           // of each item: its arrow, its dividing line
    std::vector<std::size_t> frame;  // of each split and close: its `open`
    double title_baseline = 0;       // 0: there is no title
    double head_top = 0;
    double lifeline_end = 0;
    bool feet = false;  // the names again below: the chart is taller than a screen
    double width = 0;
    double height = 0;
    double number_right = 0;  // where the numbers of events end; 0: there are none
};

namespace chart_sizes {
constexpr double label_font = 13;
constexpr double caption_font = 12;
constexpr double head_font = 13.5;
constexpr double title_font = 16;
constexpr double line_height = 16;
constexpr double head_height = 30;
constexpr double tab_height = 20;
constexpr double margin = 20;
constexpr std::size_t text_limit =
    64;  // columns; what is longer is shortened, with the whole text as a tooltip
}  // namespace chart_sizes

double tab_width(const std::string& tab);

ChartLayout lay_out(const Chart& chart);

}  // namespace treaty::draw
