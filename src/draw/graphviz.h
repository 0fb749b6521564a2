// Graphs laid out by Graphviz: DOT text in, SVG text out.
//
// Layout takes far more than linear time, cannot be interrupted, keeps state in statics and is not safe for
// threads; so it runs in a process of its own, which is ended when its time is up or the user interrupts.
// That process is a program of its own, too (treaty-layout, src/draw/main.cpp), started with exec: after a
// plain fork in a program with threads only system calls are safe, and Graphviz allocates memory and loads
// its plugins. So any number of threads may draw at once, and no lock is needed. Nothing is printed, nothing
// is thrown; what goes wrong comes back as text. The same graph gives the same bytes, whatever the version of
// Graphviz calls itself, and the picture follows the reader's light or dark setting.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/limits.h"

namespace treaty::draw {

// Nodes and edges together: beyond this no layout would end in time.
constexpr std::size_t max_drawn_elements = 4000;

// The first byte of what treaty-layout writes.
constexpr char layout_is_svg = 'S';
constexpr char layout_is_fault = 'F';

struct Drawing {
    std::optional<std::string> svg;
    std::string fault;  // why there is no picture, in one line
};

Drawing svg_of_dot(const std::string& dot, const base::Deadline& deadline = {},
                   std::chrono::milliseconds limit = std::chrono::seconds(30));

}  // namespace treaty::draw
