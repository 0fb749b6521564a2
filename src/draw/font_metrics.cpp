#include "draw/font_metrics.h"

#include <array>

#include "base/utf8.h"

namespace treaty::draw {
namespace {

// Thousandths of the font size, from the blank (32) to the tilde (126).
constexpr std::array<int, 95> advances = {
    318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,  // blank to slash
    636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,  // 0 to ?
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,  // @ to O
    603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,  // P to _
    500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,  // ` to o
    635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};      // p to ~
constexpr double other = 640;
constexpr double bold_factor = 1.12;

}  // namespace

double text_width(std::string_view text, double font_size, Weight weight) {
    double total = 0;
    while (!text.empty()) {
        base::CodePoint point = base::decode(text);
        if (point.value >= 32 && point.value < 127)
            total += advances[point.value - 32];
        else
            total += other * static_cast<double>(base::columns(base::shown(point.value)));
        text.remove_prefix(point.bytes);
    }
    return total / 1000 * font_size * (weight == Weight::bold ? bold_factor : 1.0);
}

}  // namespace treaty::draw
