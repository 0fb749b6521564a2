#include "draw/svg_text.h"

#include <cmath>

#include <fmt/format.h>

#include "base/utf8.h"

namespace treaty::draw {

std::string escape_xml(std::string_view text) {
    std::string out;
    for (char c : base::printable(text)) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string svg_number(double value) {
    long long tenths = std::llround(value * 10);
    std::string sign = tenths < 0 ? "-" : "";
    tenths = std::llabs(tenths);
    return tenths % 10 == 0 ? fmt::format("{}{}", sign, tenths / 10)
                            : fmt::format("{}{}.{}", sign, tenths / 10, tenths % 10);
}

}  // namespace treaty::draw
