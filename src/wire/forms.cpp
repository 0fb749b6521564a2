#include "wire/forms.h"

#include <charconv>

#include <fmt/format.h>

namespace treaty::wire {

// Each escape as `size:text size:written` with a dash before those for the start of a line.
void set_escapes(Wire& wire, const std::vector<Escape>& escapes) {
    wire.selector.clear();
    for (const Escape& e : escapes)
        wire.selector += fmt::format("{}{}:{}{}:{}", e.at_start ? "-" : "", e.text.size(), e.text,
                                     e.written.size(), e.written);
}

std::vector<Escape> escapes_of(const Wire& wire) {
    std::vector<Escape> escapes;
    if (wire.framing != Framing::lines) return escapes;
    std::string_view rest = wire.selector;
    auto text = [&](std::string& out) {
        std::size_t size = 0;
        auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
        auto at = static_cast<std::size_t>(end - rest.data());
        if (error != std::errc() || at >= rest.size() || rest[at] != ':' || size > rest.size() - at - 1)
            return false;
        out = rest.substr(at + 1, size);
        rest.remove_prefix(at + 1 + size);
        return true;
    };
    while (!rest.empty()) {
        Escape e;
        e.at_start = rest[0] == '-';
        if (e.at_start) rest.remove_prefix(1);
        if (!text(e.text) || !text(e.written)) return {};
        escapes.push_back(std::move(e));
    }
    return escapes;
}

}  // namespace treaty::wire
