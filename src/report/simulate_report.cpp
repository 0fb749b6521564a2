#include "report/simulate_report.h"

#include <fmt/format.h>

namespace treaty::report {
namespace {

using Kind = api::SimulateNews::Kind;
using End = drive::Played::End;

std::string_view to_string(End end) {
    switch (end) {
        case End::finished: return "finished";
        case End::others_left: return "others left";
        case End::silence: return "silence";
        case End::stopped: return "stopped";
        case End::not_reached: return "not reached";
        case End::stuck: return "stuck";
    }
    return "";
}

std::string text_of(const model::RunEvent& event) {
    return model::print(event) + (event.line > 0 ? fmt::format("   (line {})", event.line) : "");
}

}  // namespace

Own own_part(const api::SimulateAnswer& answer) {
    Own own;
    if (!answer.sessions) return own;
    Json sessions = Json::array();
    for (const api::SimulatedSession& one : *answer.sessions)
        sessions.push_back(
            {{"end", to_string(one.end)}, {"messages", one.messages}, {"refused", one.refused}});
    own.fields["sessions"] = std::move(sessions);
    own.fields["refused"] = answer.refused;
    return own;
}

std::string line_of(const api::SimulateNews& news) {
    std::string event = news.event ? text_of(*news.event) : "";
    switch (news.kind) {
        case Kind::meets: return fmt::format("{} is at {}", news.other, news.text);
        case Kind::connected: return "connected";
        case Kind::sent: return "sends    " + event;
        case Kind::received: return "receives " + event;
        case Kind::refused: return "REFUSES  " + (event.empty() ? "" : event + ": ") + news.text;
        case Kind::now: return "  " + news.text;
        case Kind::over: return news.text;
    }
    return "";
}

}  // namespace treaty::report
