#include "report/run.h"

#include <fmt/format.h>

#include "report/utf8.h"

namespace treaty::report {

std::string_view to_string(Direction direction) {
    switch (direction) {
        case Direction::both: return "->";
        case Direction::sent: return "!";
        case Direction::received: return "?";
        case Direction::none: return "";
    }
    return "";
}

Json to_json(const Run& run) {
    Json events = Json::array();
    for (const RunEvent& event : run.events) {
        Json one = {{"from", event.from},
                    {"to", event.to},
                    {"dir", to_string(event.direction)},
                    {"message", event.message},
                    {"data", event.data}};
        if (event.line > 0) one["line"] = event.line;
        events.push_back(std::move(one));
    }
    Json out = {{"events", std::move(events)}};
    if (run.failing) out["failing"] = *run.failing;
    if (!run.ending.empty()) out["ending"] = run.ending;
    return out;
}

std::string print(const RunEvent& event) {
    std::string data;
    for (const auto& [name, value] : event.data.items()) {
        if (!data.empty()) data += ", ";
        data += name + " = " + value.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    std::string message = data.empty() ? event.message : fmt::format("{}({})", event.message, data);
    switch (event.direction) {
        case Direction::both: return fmt::format("{} -> {}: {}", event.from, event.to, message);
        case Direction::sent: return fmt::format("{} {}!{}", event.from, event.to, message);
        case Direction::received: return fmt::format("{} {}?{}", event.from, event.to, message);
        case Direction::none: return message;
    }
    return message;
}

std::string print(const Run& run, const Style& style) {
    std::string out;
    std::size_t width = fmt::formatted_size("{}", run.events.size());
    for (std::size_t i = 0; i < run.events.size(); ++i) {
        const RunEvent& event = run.events[i];
        std::string text = printable(print(event));
        out += fmt::format("  {:>{}}  ", i + 1, width);
        out += paint(style, run.failing == i ? Ink::error : Ink::plain, text);
        if (event.line > 0) out += paint(style, Ink::faint, fmt::format("  (line {})", event.line));
        out += '\n';
    }
    if (!run.ending.empty())
        out += fmt::format("  {:>{}}  {}\n", "", width, paint(style, Ink::error, printable(run.ending)));
    return out;
}

}  // namespace treaty::report
