// Graphs laid out by Graphviz: DOT text in, SVG text out.
//
// The library is not safe for threads, so calls wait for one another. Nothing is printed, nothing is thrown;
// what goes wrong comes back as text. The same graph gives the same bytes, whatever the version of Graphviz
// calls itself, and the picture follows the reader's light or dark setting. Layout takes far more than linear
// time and cannot be interrupted, so graphs over max_drawn_elements nodes and edges are refused.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace treaty::report {

constexpr std::size_t max_drawn_elements = 4000;

struct Drawing {
    std::optional<std::string> svg;
    std::string fault;  // why there is none, in one line
};

Drawing draw(const std::string& dot);

}  // namespace treaty::report
