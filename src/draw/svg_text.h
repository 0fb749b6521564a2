// Texts and numbers as SVG wants them.
#pragma once

#include <string>
#include <string_view>

namespace treaty::draw {

// Any text, safe as content or inside quotes; characters that XML or a reader cannot show become U+FFFD.
std::string escape_xml(std::string_view text);

// At most one decimal, none where it is zero: the same bytes on every machine.
std::string svg_number(double value);

}  // namespace treaty::draw
