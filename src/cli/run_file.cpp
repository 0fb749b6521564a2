#include "cli/run_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/codes.h"
#include "cli/inputs.h"
#include "cli/value_json.h"
#include "cli/wire_inputs.h"

namespace treaty::cli {
namespace {

using report::Json;

constexpr std::size_t longest_run = std::size_t{256} << 20;
constexpr int version = 2;
constexpr std::uint32_t most_sessions = 1000;  // far more than are ever saved

// Texts are written as they are if JSON can carry them, else as {"hex": "9f..."}.
Json saved_value(const model::Specification& s, expr::TypeId type, const expr::Value& value) {
    const expr::Type& t = (*s.types)[type];
    if (t.kind == expr::TypeKind::string) return json_of_text(value.string());
    if (t.kind == expr::TypeKind::list || t.kind == expr::TypeKind::optional ||
        t.kind == expr::TypeKind::record) {
        Json list = Json::array();
        for (std::size_t i = 0; i < value.items().size(); ++i)
            list.push_back(saved_value(s, t.kind == expr::TypeKind::record ? t.fields[i].type : t.element,
                                       value.items()[i]));
        return list;
    }
    if (t.kind == expr::TypeKind::enumeration) return std::get<expr::EnumMember>(value.v).index;
    return to_json(s, type, value);
}

std::optional<expr::Value> read_value(const model::Specification& s, expr::TypeId type, const Json& json) {
    const expr::Type& t = (*s.types)[type];
    std::optional<expr::Value> value;
    switch (t.kind) {
        case expr::TypeKind::boolean:
            if (json.is_boolean()) value = json.get<bool>();
            break;
        case expr::TypeKind::integer:
            if (json.is_number_integer()) value = json.get<std::int64_t>();
            break;
        case expr::TypeKind::real:
            if (json.is_number()) value = json.get<double>();
            break;
        case expr::TypeKind::enumeration:
            if (json.is_number_unsigned()) value = expr::EnumMember{json.get<std::uint32_t>()};
            break;
        case expr::TypeKind::string:
            if (auto text = text_of_json(json))
                value = std::move(*text);
            else if (json.is_object()  // as earlier versions wrote it
                     && json.contains("bytes") && json["bytes"].is_string())
                if (auto bytes = from_hexadecimal(json["bytes"].get<std::string>())) value = *bytes;
            break;
        case expr::TypeKind::bytes:
            if (json.is_string())
                if (auto bytes = from_hexadecimal(json.get<std::string>())) value = expr::Bytes{*bytes};
            break;
        default: {
            if (!json.is_array()) break;
            expr::Sequence all;
            for (std::size_t i = 0; i < json.size(); ++i) {
                if (t.kind == expr::TypeKind::record && i >= t.fields.size()) return std::nullopt;
                auto item =
                    read_value(s, t.kind == expr::TypeKind::record ? t.fields[i].type : t.element, json[i]);
                if (!item) return std::nullopt;
                all.items.push_back(std::move(*item));
            }
            value = std::move(all);
        }
    }
    if (value && !expr::belongs(*value, type, *s.types)) return std::nullopt;
    return value;
}

}  // namespace

Json to_json(const TestRequest& request, const model::Specification& s, const drive::Outcome& outcome) {
    Json exchanges = Json::array();
    const drive::Rerun run = drive::rerun_of(outcome);
    for (const drive::Exchange& e : run.exchanges) {
        Json data = Json::array();
        const auto& fields = s.message(e.message).fields;
        for (std::size_t i = 0; i < e.values.size(); ++i)
            data.push_back(saved_value(s, fields[i].type, e.values[i]));
        exchanges.push_back({{"from", s.alphabet->name(e.from)},
                             {"to", s.alphabet->name(e.to)},
                             {"message", s.alphabet->name(e.message)},
                             {"data", std::move(data)},
                             {"awaited", e.awaited}});
        if (e.wrong) exchanges.back()["wrong"] = true;
        if (e.after_silence) exchanges.back()["after_silence"] = true;
        if (e.session > 0) exchanges.back()["session"] = e.session;
    }
    return {{"treaty_run", version},
            {"file", request.file},
            {"protocol", request.protocol},
            {"cut", request.cut},
            {"run", request.command},
            {"via", request.via},
            {"wire", request.wire},
            {"play", request.play},
            {"reset", request.reset},
            {"reject", request.reject},
            {"keep", request.keep},
            {"silence_ms", request.silence_ms},
            {"startup_ms", request.startup_ms},
            {"linger_ms", request.linger_ms},
            {"protocol_digest", request.digest},
            {"problem", drive::to_string(outcome.problem)},
            {"reason", outcome.reason},
            {"sessions", run.sessions},
            {"complete", run.complete},
            {"inner", run.inner},
            {"exchanges", std::move(exchanges)}};
}

std::string run_text(const TestRequest& request, const model::Specification& s,
                     const drive::Outcome& outcome) {
    return to_json(request, s, outcome).dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::optional<SavedRun> read_run(Session& session, const std::string& path) {
    base::FileText file = base::read_file(path, longest_run);
    if (file.text) return parse_run(session, path, *file.text);
    session.report(codes::not_a_run, fmt::format("{}: {}", path, file.fault));
    return std::nullopt;
}

std::optional<SavedRun> parse_run(Session& session, const std::string& name, const std::string& text_of_run) {
    auto wrong = [&](std::string why) {
        session.report(codes::not_a_run, fmt::format("{}: {}", name, why));
        return std::nullopt;
    };
    Json json = Json::parse(text_of_run, nullptr, false);
    if (!json.is_object() || !json.contains("treaty_run")) return wrong("this is no saved run");
    if (json["treaty_run"] != version) return wrong("this run was saved by another version");
    SavedRun saved;
    auto text = [&](const char* key) {
        return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
    };
    saved.request.file = text("file");
    saved.request.protocol = text("protocol");
    saved.request.digest = text("protocol_digest");
    saved.request.cut = text("cut");
    saved.request.command = text("run");
    saved.request.wire = text("wire");
    saved.request.play = text("play");
    saved.request.reset = text("reset");
    saved.request.reject = text("reject");
    saved.request.keep = json.contains("keep") && json["keep"] == true;
    for (const Json& one : json.value("via", Json::array()))
        if (one.is_string()) saved.request.via.push_back(one.get<std::string>());
    auto number = [&](const char* key, std::uint64_t& into) {
        if (json.contains(key) && json[key].is_number_unsigned()) into = json[key].get<std::uint64_t>();
    };
    number("silence_ms", saved.request.silence_ms);
    number("startup_ms", saved.request.startup_ms);
    number("linger_ms", saved.request.linger_ms);
    saved.exchanges = json.value("exchanges", Json::array());
    std::uint64_t sessions = 1;
    number("sessions", sessions);
    saved.complete = !json.contains("complete") || json["complete"] != false;
    saved.inner = json.contains("inner") && json["inner"] == true;
    if (sessions == 0 || sessions > most_sessions) return wrong("no run has so many sessions");
    saved.sessions = static_cast<std::uint32_t>(sessions);
    if (saved.request.file.empty() || saved.request.cut.empty() || !saved.exchanges.is_array())
        return wrong("something is missing");
    return saved;
}

std::optional<drive::Rerun> rerun_of(Session& session, const SavedRun& saved, const model::Specification& s) {
    drive::Rerun run{{}, saved.sessions, saved.complete, saved.inner};
    std::vector<drive::Exchange>& all = run.exchanges;
    model::RoleId cut = s.alphabet->find_role(saved.request.cut);
    for (const Json& json : saved.exchanges) {
        auto text = [&](const char* key) {
            return json.is_object() && json.contains(key) && json[key].is_string()
                       ? json[key].get<std::string>()
                       : std::string();
        };
        drive::Exchange e;
        e.from = s.alphabet->find_role(text("from"));
        e.to = s.alphabet->find_role(text("to"));
        e.message = s.alphabet->find_message(text("message"));
        e.to_component = e.to == cut;
        auto number = [&](const char* key) {
            return json.is_object() && json.contains(key) && json[key].is_number_unsigned()
                       ? json[key].get<std::uint32_t>()
                       : 0;
        };
        e.awaited = number("awaited");
        e.session = number("session");
        auto flag = [&](const char* key) {
            return json.is_object() && json.contains(key) && json[key] == true;
        };
        e.wrong = flag("wrong");
        e.after_silence = flag("after_silence");
        bool in_order = e.session < run.sessions && (all.empty() || e.session >= all.back().session);
        bool fits =
            in_order && e.from && e.to && e.message && json.contains("data") && json["data"].is_array();
        const auto* fields = fits ? &s.message(e.message).fields : nullptr;
        fits = fits && json["data"].size() == fields->size();
        for (std::size_t i = 0; fits && i < fields->size(); ++i) {
            // What is wrong on purpose may lie outside its range.
            expr::TypeId type = e.wrong ? s.types->base((*fields)[i].type) : (*fields)[i].type;
            auto value = read_value(s, type, json["data"][i]);
            if (value)
                e.values.push_back(std::move(*value));
            else
                fits = false;
        }
        if (!fits) {
            session
                .report(codes::not_a_run,
                        fmt::format("message {} of the run is not one of the protocol", all.size() + 1))
                .help("the protocol may have changed since the run was saved");
            return std::nullopt;
        }
        all.push_back(std::move(e));
    }
    return run;
}

report::RunEvent event_of(const drive::Exchange& e, const model::Specification& s,
                          const model::Protocol& protocol, const base::SourceMap& sources) {
    report::RunEvent event;
    event.from = s.alphabet->name(e.from);
    event.to = s.alphabet->name(e.to);
    event.message = s.alphabet->name(e.message);
    const auto& fields = s.message(e.message).fields;
    for (std::size_t i = 0; i < e.values.size(); ++i)
        event.data[std::string(s.names->text(fields[i].name))] = to_json(s, fields[i].type, e.values[i]);
    if (e.node) event.line = sources.line_number(protocol[e.node].span.file, protocol[e.node].span.begin);
    return event;
}

report::Run run_of(const drive::Outcome& outcome, const model::Specification& s,
                   const model::Protocol& protocol, model::RoleId cut, const base::SourceMap& sources) {
    report::Run run;
    for (model::RoleId role : protocol.roles()) run.roles.emplace_back(s.alphabet->name(role));
    for (const drive::Exchange& e : outcome.exchanges)
        run.events.push_back(event_of(e, s, protocol, sources));
    bool message = outcome.problem == drive::Problem::unexpected_message ||
                   outcome.problem == drive::Problem::wrong_data;
    if (message && !run.events.empty()) run.failing = run.events.size() - 1;
    if (outcome.verdict != drive::Verdict::pass)
        run.ending = fmt::format("{}: {}: {}", s.alphabet->name(cut), drive::to_string(outcome.problem),
                                 outcome.reason);
    return run;
}

}  // namespace treaty::cli
