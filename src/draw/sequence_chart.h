// Sequence charts: of a protocol, or of a run; as SVG, or as text for a terminal.
//
// The chart of a protocol shows every step once, in frames for choices, parallel parts, loops, conditions and
// interrupts. The chart of a run shows its events in order; a message received later than the next event is
// drawn as a slanting arrow, a message never received as an arrow that ends in the open. The SVG needs
// nothing but itself, follows the reader's light or dark setting, and is the same bytes for the same chart.
// Any text may occur in it. Cost: linear in the chart, but for sorting labels. Graphs are drawn elsewhere:
// draw.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "draw/chart.h"
#include "draw/style.h"
#include "model/protocol.h"
#include "model/run.h"
#include "model/specification.h"

namespace treaty::draw {

// lines: of the protocol's nodes, by their ids; 0, or none at all: without a line.
Chart chart_of(const model::Specification& specification, const model::Protocol& protocol,
               std::span<const std::uint32_t> lines = {});
Chart chart_of(const model::Run& run);

// Whether the parts of a picture have the class line-7 if they come from line 7, for a reader that leads
// there; what begins a frame also has the class `block`.
enum class LineClasses : std::uint8_t { hidden, given };

std::string to_svg(const Chart& chart, LineClasses lines = LineClasses::hidden);

// Plain characters only, one row an item, each line ended. It takes the columns it needs, whatever the style
// says: text_columns() tells how many before.
std::string to_text(const Chart& chart, const Style& style);
std::size_t text_columns(const Chart& chart);

}  // namespace treaty::draw
