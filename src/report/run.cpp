#include "report/run.h"

#include <fmt/format.h>

#include "api/input/value_json.h"
#include "base/utf8.h"

namespace treaty::report {

Json to_json(const expr::Datum& datum) {
    return api::json_of(datum);
}

Json to_json(const expr::DatumFields& fields) {
    return api::json_of(fields);
}

Json to_json(const model::Run& run) {
    Json events = Json::array();
    for (const model::RunEvent& event : run.events) {
        Json one = {{"from", event.from},
                    {"to", event.to},
                    {"dir", model::to_string(event.direction)},
                    {"message", event.message},
                    {"data", to_json(event.data)}};
        if (event.line > 0) one["line"] = event.line;
        events.push_back(std::move(one));
    }
    Json out = {{"events", std::move(events)}};
    if (run.failing) out["failing"] = *run.failing;
    if (!run.ending.empty()) out["ending"] = run.ending;
    return out;
}

std::string print(const model::Run& run, const draw::Style& style) {
    std::string out;
    std::size_t width = fmt::formatted_size("{}", run.events.size());
    for (std::size_t i = 0; i < run.events.size(); ++i) {
        const model::RunEvent& event = run.events[i];
        std::string text = base::printable(model::print(event));
        out += fmt::format("  {:>{}}  ", i + 1, width);
        out += draw::paint(style, run.failing == i ? draw::Ink::error : draw::Ink::plain, text);
        if (event.line > 0)
            out += draw::paint(style, draw::Ink::faint, fmt::format("  (line {})", event.line));
        out += '\n';
    }
    if (!run.ending.empty())
        out += fmt::format("  {:>{}}  {}\n", "", width,
                           draw::paint(style, draw::Ink::error, base::printable(run.ending)));
    return out;
}

}  // namespace treaty::report
