// How wide a text is when drawn, without loading a font.
//
// Advance widths of a wide sans-serif face, so that any face a reader's machine falls back to fits in what
// was measured.
#pragma once

#include <string_view>

namespace treaty::draw {

enum class Weight { normal, bold };

double text_width(std::string_view text, double font_size, Weight weight = Weight::normal);

}  // namespace treaty::draw
