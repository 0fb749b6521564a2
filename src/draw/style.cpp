#include "draw/style.h"

#include <algorithm>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace treaty::draw {
namespace {

std::string_view code_of(Ink ink) {
    switch (ink) {
        case Ink::plain: return "";
        case Ink::bold: return "1";
        case Ink::faint: return "2";
        case Ink::error: return "1;31";
        case Ink::warning: return "1;33";
        case Ink::note: return "1;36";
        case Ink::good: return "1;32";
        case Ink::place: return "1;34";
    }
    return "";
}

bool wants_color(int file_descriptor) {
    const char* refused = std::getenv("NO_COLOR");
    if (refused && *refused) return false;
    const char* terminal = std::getenv("TERM");
    if (terminal && std::string_view(terminal) == "dumb") return false;
    return isatty(file_descriptor) == 1;
}

}  // namespace

std::optional<ColorChoice> parse_color_choice(std::string_view text) {
    if (text == "auto") return ColorChoice::automatic;
    if (text == "always") return ColorChoice::always;
    if (text == "never") return ColorChoice::never;
    return std::nullopt;
}

Style style_for(int file_descriptor, ColorChoice choice) {
    Style style;
    style.color =
        choice == ColorChoice::always || (choice == ColorChoice::automatic && wants_color(file_descriptor));
    winsize size{};
    if (isatty(file_descriptor) == 1 && ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        style.width = std::clamp<std::size_t>(size.ws_col, 40, 160);
    return style;
}

std::string paint(const Style& style, Ink ink, std::string_view text) {
    std::string_view code = code_of(ink);
    if (!style.color || code.empty() || text.empty()) return std::string(text);
    std::string painted = "\x1b[";
    painted.append(code).append("m").append(text).append("\x1b[0m");
    return painted;
}

}  // namespace treaty::draw
