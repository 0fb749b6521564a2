// How text for a person looks: colours and width, decided once and passed along.
//
// A default Style is plain: what a file, a pipe or a test gets. Nothing here is global; the command line
// asks the stream once (style_for) and hands the answer to whatever prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace treaty::draw {

struct Style {
    bool color = false;
    std::size_t width = 100;  // columns a line may use
};

enum class ColorChoice : std::uint8_t { automatic, always, never };

std::optional<ColorChoice> parse_color_choice(std::string_view text);  // auto, always, never

// The style of an open file descriptor: colour on a terminal unless NO_COLOR is set and not empty, and the
// terminal's width where it has one (between 40 and 160).
Style style_for(int file_descriptor, ColorChoice choice = ColorChoice::automatic);

enum class Ink : std::uint8_t { plain, bold, faint, error, warning, note, good, place };

// text in that ink, or text itself where the style has no colour.
std::string paint(const Style& style, Ink ink, std::string_view text);

}  // namespace treaty::draw
