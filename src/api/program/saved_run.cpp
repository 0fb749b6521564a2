#include "api/program/saved_run.h"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/codes.h"
#include "base/hex.h"
#include "base/utf8.h"

namespace treaty::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_run = std::size_t{256} << 20;
constexpr int version = 2;
constexpr std::uint32_t most_sessions = 1000;  // far more than are ever saved

// Records are lists and members of enumerations are numbers, so that other names in the protocol change
// nothing.
struct Writer {
    const model::Specification& s;

    Json operator()(expr::TypeId type, const expr::Value& value) const {
        const expr::Type& t = (*s.types)[type];
        switch (t.kind) {
            case expr::TypeKind::boolean: return std::get<bool>(value.v);
            case expr::TypeKind::integer: return std::get<std::int64_t>(value.v);
            case expr::TypeKind::real: return std::get<double>(value.v);
            case expr::TypeKind::enumeration: return std::get<expr::EnumMember>(value.v).index;
            case expr::TypeKind::string:
                return base::is_utf8(value.string()) ? Json(value.string())
                                                     : Json{{"hex", base::to_hex(value.string())}};
            case expr::TypeKind::bytes: return base::to_hex(std::get<expr::Bytes>(value.v).data);
            default: break;
        }
        Json list = Json::array();
        for (std::size_t i = 0; i < value.items().size(); ++i)
            list.push_back(
                (*this)(t.kind == expr::TypeKind::record ? t.fields[i].type : t.element, value.items()[i]));
        return list;
    }
};

// What is nested deeper than the values of any type is left out.
expr::Datum datum_of(const Json& json, int depth = 0) {
    constexpr int deepest = 200;
    if (depth > deepest) return {};
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number_integer()) return json.get<std::int64_t>();
    if (json.is_number()) return json.get<double>();
    if (json.is_string()) return json.get<std::string>();
    if (json.is_array()) {
        expr::DatumList list;
        for (const Json& one : json) list.push_back(datum_of(one, depth + 1));
        return list;
    }
    if (!json.is_object()) return {};
    expr::DatumFields fields;
    for (const auto& [name, value] : json.items()) fields.emplace_back(name, datum_of(value, depth + 1));
    return fields;
}

// A text, or {"hex": "9f"}; {"bytes": "9f"} is how earlier versions wrote it.
std::optional<std::string> text_of(const expr::Datum& datum) {
    if (auto* text = std::get_if<std::string>(&datum.v)) return *text;
    auto* fields = std::get_if<expr::DatumFields>(&datum.v);
    if (!fields || fields->size() != 1) return std::nullopt;
    const auto& [name, value] = fields->front();
    auto* digits = std::get_if<std::string>(&value.v);
    if (!digits || (name != "hex" && name != "bytes")) return std::nullopt;
    return base::from_hex(*digits);
}

// The inverse of Writer; nothing if it is not a value of the type.
struct Reader {
    const model::Specification& s;

    std::optional<expr::Value> operator()(expr::TypeId type, const expr::Datum& datum) const {
        auto value = read((*s.types)[type], datum);
        if (value && !expr::belongs(*value, type, *s.types)) return std::nullopt;
        return value;
    }

private:
    std::optional<expr::Value> read(const expr::Type& t, const expr::Datum& datum) const {
        auto* integer = std::get_if<std::int64_t>(&datum.v);
        switch (t.kind) {
            case expr::TypeKind::boolean:
                if (auto* truth = std::get_if<bool>(&datum.v)) return *truth;
                return std::nullopt;
            case expr::TypeKind::integer:
                if (integer) return *integer;
                return std::nullopt;
            case expr::TypeKind::real:
                if (integer) return static_cast<double>(*integer);
                if (auto* real = std::get_if<double>(&datum.v)) return *real;
                return std::nullopt;
            case expr::TypeKind::enumeration:
                if (integer && *integer >= 0 && *integer <= std::numeric_limits<std::uint32_t>::max())
                    return expr::EnumMember{static_cast<std::uint32_t>(*integer)};
                return std::nullopt;
            case expr::TypeKind::string:
                if (auto text = text_of(datum)) return std::move(*text);
                return std::nullopt;
            case expr::TypeKind::bytes:
                if (auto* digits = std::get_if<std::string>(&datum.v))
                    if (auto bytes = base::from_hex(*digits)) return expr::Bytes{std::move(*bytes)};
                return std::nullopt;
            default: return read_sequence(t, datum);
        }
    }

    std::optional<expr::Value> read_sequence(const expr::Type& t, const expr::Datum& datum) const {
        auto* list = std::get_if<expr::DatumList>(&datum.v);
        if (!list) return std::nullopt;
        bool record = t.kind == expr::TypeKind::record;
        expr::Sequence all;
        for (std::size_t i = 0; i < list->size(); ++i) {
            if (record && i >= t.fields.size()) return std::nullopt;
            auto item = (*this)(record ? t.fields[i].type : t.element, (*list)[i]);
            if (!item) return std::nullopt;
            all.items.push_back(std::move(*item));
        }
        return all;
    }
};

// Members of an object that may be anything.
std::string text_in(const Json& json, const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>()
                                                                           : std::string();
}

std::uint64_t number_in(const Json& json, const char* key, std::uint64_t otherwise) {
    return json.is_object() && json.contains(key) && json[key].is_number_unsigned()
               ? json[key].get<std::uint64_t>()
               : otherwise;
}

bool flag_in(const Json& json, const char* key) {
    return json.is_object() && json.contains(key) && json[key] == true;
}

Json exchanges_of(const drive::Rerun& run, const model::Specification& s) {
    Json exchanges = Json::array();
    for (const drive::Exchange& e : run.exchanges) {
        Json data = Json::array();
        const auto& fields = s.message(e.message).fields;
        for (std::size_t i = 0; i < e.values.size(); ++i)
            data.push_back(Writer{s}(fields[i].type, e.values[i]));
        exchanges.push_back({{"from", s.alphabet->name(e.from)},
                             {"to", s.alphabet->name(e.to)},
                             {"message", s.alphabet->name(e.message)},
                             {"data", std::move(data)},
                             {"awaited", e.awaited}});
        if (e.wrong) exchanges.back()["wrong"] = true;
        if (e.after_silence) exchanges.back()["after_silence"] = true;
        if (e.session > 0) exchanges.back()["session"] = e.session;
        if (e.corruption)
            exchanges.back()["corruption"] = {{"damage", wire::word_of(e.corruption->damage)},
                                              {"number", e.corruption->number},
                                              {"what", e.corruption->what},
                                              {"bytes", base::to_hex(e.corruption->bytes)}};
    }
    return exchanges;
}

SavedExchange read_exchange(const Json& json) {
    SavedExchange e;
    if (!json.is_object() || !json.contains("data") || !json["data"].is_array()) return e;
    e.from = text_in(json, "from");
    e.to = text_in(json, "to");
    e.message = text_in(json, "message");
    for (const Json& one : json["data"]) e.data.push_back(datum_of(one));
    e.awaited = static_cast<std::uint32_t>(number_in(json, "awaited", 0));
    e.session = static_cast<std::uint32_t>(number_in(json, "session", 0));
    e.wrong = flag_in(json, "wrong");
    e.after_silence = flag_in(json, "after_silence");
    if (json.contains("corruption")) {
        // An unknown damage is refused: the message would not be the one that was sent.
        auto damage = wire::damage_of(text_in(json["corruption"], "damage"));
        if (!damage) return {};
        e.corruption = drive::SentCorrupted{
            *damage, static_cast<std::uint32_t>(number_in(json["corruption"], "number", 0))};
    }
    return e;
}

std::vector<std::string> texts_in(const Json& json, const char* key) {
    std::vector<std::string> texts;
    if (!json.is_object() || !json.contains(key) || !json[key].is_array()) return texts;
    for (const Json& one : json[key])
        if (one.is_string()) texts.push_back(one.get<std::string>());
    return texts;
}

process::Surroundings read_surroundings(const Json& json) {
    return {texts_in(json, "env"), text_in(json, "dir")};
}

void add_surroundings(Json& json, const process::Surroundings& surroundings) {
    if (!surroundings.variables.empty()) json["env"] = surroundings.variables;
    if (!surroundings.directory.empty()) json["dir"] = surroundings.directory;
}

TestRequest read_request(const Json& json) {
    TestRequest request;
    request.file = text_in(json, "file");
    request.protocol = text_in(json, "protocol");
    request.digest = text_in(json, "protocol_digest");
    request.cut = text_in(json, "cut");
    request.command = text_in(json, "run");
    request.wire = text_in(json, "wire");
    request.play = text_in(json, "play");
    request.reset = text_in(json, "reset");
    request.reject = text_in(json, "reject");
    request.corrupt_means = text_in(json, "corrupt_means");
    request.keep = flag_in(json, "keep");
    request.via = texts_in(json, "via");
    request.beside = texts_in(json, "with");
    request.ready = texts_in(json, "ready");
    request.surroundings = read_surroundings(json);
    if (json.contains("companions") && json["companions"].is_object())
        for (const auto& [name, companion] : json["companions"].items())
            request.companion_surroundings[name] = read_surroundings(companion);
    request.silence_ms = number_in(json, "silence_ms", request.silence_ms);
    request.startup_ms = number_in(json, "startup_ms", request.startup_ms);
    request.linger_ms = number_in(json, "linger_ms", request.linger_ms);
    return request;
}

// Nothing if the protocol has no such message.
std::optional<drive::Exchange> exchange_of(const SavedExchange& saved, const model::Specification& s,
                                           model::RoleId cut) {
    drive::Exchange e;
    e.from = s.alphabet->find_role(saved.from);
    e.to = s.alphabet->find_role(saved.to);
    e.message = s.alphabet->find_message(saved.message);
    e.to_component = e.to == cut;
    e.awaited = saved.awaited;
    e.session = saved.session;
    e.wrong = saved.wrong;
    e.after_silence = saved.after_silence;
    e.corruption = saved.corruption;
    if (!e.from || !e.to || !e.message) return std::nullopt;
    const auto& fields = s.message(e.message).fields;
    if (saved.data.size() != fields.size()) return std::nullopt;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        // What is wrong on purpose may be outside its range.
        auto value = Reader{s}(e.wrong ? s.types->base(fields[i].type) : fields[i].type, saved.data[i]);
        if (!value) return std::nullopt;
        e.values.push_back(std::move(*value));
    }
    return e;
}

}  // namespace

std::string saved_text(const TestRequest& request, const model::Specification& s,
                       const drive::SessionResult& outcome) {
    const drive::Rerun run = drive::rerun_of(outcome);
    Json json = {{"treaty_run", version},
                 {"file", request.file},
                 {"protocol", request.protocol},
                 {"cut", request.cut},
                 {"run", request.command},
                 {"via", request.via},
                 {"wire", request.wire},
                 {"play", request.play},
                 {"reset", request.reset},
                 {"reject", request.reject},
                 {"corrupt_means", request.corrupt_means},
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
                 {"exchanges", exchanges_of(run, s)}};
    if (!request.beside.empty()) json["with"] = request.beside;
    if (!request.ready.empty()) json["ready"] = request.ready;
    add_surroundings(json, request.surroundings);
    for (const auto& [name, surroundings] : request.companion_surroundings)
        add_surroundings(json["companions"][name], surroundings);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::optional<SavedRun> read_saved(const Inquiry& inquiry, const std::string& path) {
    base::Result<std::string> file = inquiry.workspace.read(path);
    if (file && file->size() <= longest_run) return parse_saved(inquiry, path, *file);
    inquiry.report(codes::not_a_run,
                   fmt::format("{}: {}", path, file ? "the file is too long" : file.error()));
    return std::nullopt;
}

std::optional<SavedRun> parse_saved(const Inquiry& inquiry, const std::string& name,
                                    const std::string& text) {
    auto wrong = [&](std::string why) {
        inquiry.report(codes::not_a_run, fmt::format("{}: {}", name, why));
        return std::nullopt;
    };
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("treaty_run")) return wrong("this is not a saved run");
    if (json["treaty_run"] != version) return wrong("this run was saved by another version");
    SavedRun saved;
    saved.request = read_request(json);
    saved.complete = !json.contains("complete") || json["complete"] != false;
    saved.inner = flag_in(json, "inner");
    std::uint64_t sessions = number_in(json, "sessions", 1);
    if (sessions == 0 || sessions > most_sessions) return wrong("no run has so many sessions");
    saved.sessions = static_cast<std::uint32_t>(sessions);
    bool messages = !json.contains("exchanges") || json["exchanges"].is_array();
    if (saved.request.file.empty() || saved.request.cut.empty() || !messages)
        return wrong("something is missing");
    if (json.contains("exchanges"))
        for (const Json& one : json["exchanges"]) saved.exchanges.push_back(read_exchange(one));
    return saved;
}

std::optional<drive::Rerun> rerun_of(const Inquiry& inquiry, const SavedRun& saved,
                                     const model::Specification& s) {
    drive::Rerun run{{}, saved.sessions, saved.complete, saved.inner};
    std::vector<drive::Exchange>& all = run.exchanges;
    model::RoleId cut = s.alphabet->find_role(saved.request.cut);
    for (const SavedExchange& one : saved.exchanges) {
        auto exchange = exchange_of(one, s, cut);
        bool in_order = one.session < run.sessions && (all.empty() || one.session >= all.back().session);
        if (!exchange || !in_order) {
            inquiry
                .report(codes::not_a_run,
                        fmt::format("message {} of the run is not one of the protocol", all.size() + 1))
                .help("the protocol may have changed since the run was saved");
            return std::nullopt;
        }
        all.push_back(std::move(*exchange));
    }
    return run;
}

bool has_changed(const SavedRun& run, const ProtocolInput& input) {
    return !run.request.digest.empty() && !input.digest.empty() && run.request.digest != input.digest;
}

model::RunEvent event_of(const drive::Exchange& e, const ProtocolInput& input,
                         const base::SourceMap& sources) {
    const model::Specification& s = input.specification;
    model::RunEvent event;
    event.from = s.alphabet->name(e.from);
    event.to = s.alphabet->name(e.to);
    event.message = s.alphabet->name(e.message);
    model::add_values(event, s, e.message, e.values);
    event.line = model::line_of(input.protocol, e.node, sources);
    if (!e.corruption) return event;
    // What the component got is these bytes.
    event.message += fmt::format(", {}", wire::to_string(e.corruption->damage));
    event.data = {{"bytes", expr::Bytes{e.corruption->bytes}}};
    return event;
}

model::Run run_of(const drive::SessionResult& outcome, const ProtocolInput& input, model::RoleId cut,
                  const base::SourceMap& sources) {
    const model::Alphabet& names = *input.specification.alphabet;
    model::Run run;
    for (model::RoleId role : input.protocol->roles()) run.roles.emplace_back(names.name(role));
    for (const drive::Exchange& e : outcome.exchanges) run.events.push_back(event_of(e, input, sources));
    bool message = outcome.problem == drive::Problem::unexpected_message ||
                   outcome.problem == drive::Problem::wrong_data;
    if (message && !run.events.empty()) run.failing = run.events.size() - 1;
    if (outcome.verdict != drive::Verdict::pass)
        run.ending =
            fmt::format("{}: {}: {}", names.name(cut), drive::to_string(outcome.problem), outcome.reason);
    return run;
}

}  // namespace treaty::api
