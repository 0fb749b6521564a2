// The lines of a sequence diagram, told apart: the same for Mermaid and PlantUML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace treaty::formats::diagram {

enum class Dialect : std::uint8_t { mermaid, plantuml };

enum class LineKind : std::uint8_t {
    participant,  // from: its name
    message,      // from, to, text
    open,         // word: alt, opt, loop, par, critical, break or group; text: the condition
    split,        // word: else, and, option
    close,
};

struct Line {
    LineKind kind;
    base::Span span;
    std::string word = {};
    std::string from = {};
    std::string to = {};
    std::string text = {};
};

// A name of the Treaty language near to the text: "place order" is place_order; empty if nothing is left.
std::string name_of(std::string_view text);

// Lines without a meaning for the protocol are left out; faults are reported (T0850, T0851) and passed over.
std::vector<Line> lines_of(const base::SourceMap& sources, base::FileId file, Dialect dialect,
                           base::Diagnostics& diagnostics);

}  // namespace treaty::formats::diagram
