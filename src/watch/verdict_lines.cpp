#include "watch/verdict_lines.h"

#include <nlohmann/json.hpp>

namespace treaty::watch {

namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(Ending ending) {
    return ending == Ending::told ? "over" : ending == Ending::expired ? "expired" : "crowded out";
}

std::string_view verdict_of(bool failed, bool lost) {
    return failed ? "fail" : lost ? "undecided" : "pass";
}

}  // namespace

std::string VerdictLines::line(const Notice& notices) {
    Json j = {{"n", ++count_}};
    const model::Alphabet& alphabet = *specification_.alphabet;
    if (auto* d = std::get_if<Deviation>(&notices)) {
        j["of"] = d->role ? "role" : "whole";
        if (d->role) j["role"] = alphabet.name(d->role);
        j["session"] = d->session;
        j["verdict"] = "fail";
        if (d->by_clock) j["by"] = "clock";
        j["log"] = logs_[d->at.source];
        j["line"] = d->at.line;
        j["event"] = d->event;
        j["reason"] = d->reason;
        j["expected"] = d->expected;
        if (d->limit_ns >= 0) {
            j["kind"] = "late";
            j["limit_ns"] = d->limit_ns;
            j["took_ns"] = d->took_ns;
        }
    } else if (auto* p = std::get_if<PropertyNotice>(&notices)) {
        j["of"] = "property";
        j["name"] = specification_.names->text(specification_.properties[p->verdict.property].name);
        j["session"] = p->session;
        j["verdict"] = to_string(p->verdict.verdict);
        j["messages"] = Json::array();
        for (const LogPosition& s : p->verdict.messages)
            j["messages"].push_back({{"log", logs_[s.source]}, {"line", s.line}});
    } else if (auto* w = std::get_if<Withdrawal>(&notices)) {
        j["of"] = w->role ? "role" : "clock";
        if (w->role) j["role"] = alphabet.name(w->role);
        if (w->role) j["session"] = w->session;
        j["verdict"] = "withdrawn";
        j["reason"] = w->role ? "messages are missing from the log"
                              : "the times of the logs do not come from one clock";
    } else {
        const SessionReport& r = std::get<SessionReport>(notices);
        j["of"] = "session";
        j["session"] = r.name;
        j["verdict"] = verdict_of(r.failed, r.lost);
        if (r.by_clock) j["by"] = "clock";
        j["incomplete"] = r.incomplete;
        j["ending"] = name_of(r.ending);
        j["roles"] = Json::object();
        for (std::size_t i = 0; i < r.roles.size(); ++i)
            j["roles"][std::string(alphabet.name(protocol_.roles()[i]))] =
                verdict_of(r.roles[i].failed || r.roles[i].late, r.roles[i].lost);
        j["properties"] = Json::object();
        for (std::size_t i = 0; i < r.properties.size(); ++i)
            j["properties"][std::string(specification_.names->text(specification_.properties[i].name))] =
                to_string(r.properties[i]);
    }
    return j.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace treaty::watch
