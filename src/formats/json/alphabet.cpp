#include "formats/json/alphabet.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats {
namespace {

using model::EventKind;

std::string_view kind_name(EventKind kind) {
    switch (kind) {
        case EventKind::silent: return "silent";
        case EventKind::interaction: return "interaction";
        case EventKind::send: return "send";
        case EventKind::receive: return "receive";
        case EventKind::plain: return "plain";
    }
    return "";
}

}  // namespace

void write_alphabet(JsonWriter& out, const model::Alphabet& alphabet) {
    out.key("alphabet").open_object();
    out.key("roles").open_array(Layout::flat);
    for (std::size_t i = 0; i < alphabet.role_count(); ++i) out.text(alphabet.name(model::RoleId(i)));
    out.close_array();
    out.key("messages").open_array(Layout::flat);
    for (std::size_t i = 0; i < alphabet.message_count(); ++i) out.text(alphabet.name(model::MessageId(i)));
    out.close_array();
    out.key("events").open_array();
    for (std::size_t i = 0; i < alphabet.label_count(); ++i) {
        const model::Event& e = alphabet.event(model::LabelId(i));
        out.open_object(Layout::flat);
        out.text("kind", kind_name(e.kind));
        if (e.kind != EventKind::silent && e.kind != EventKind::plain) {
            out.text("from", alphabet.name(e.from));
            out.text("to", alphabet.name(e.to));
        }
        if (e.kind != EventKind::silent) out.text("message", alphabet.name(e.message));
        out.close_object();
    }
    out.close_array();
    out.close_object();
}

std::vector<std::string> read_names(JsonReader& in, Json array) {
    std::vector<std::string> names;
    if (!array) return names;
    absl::flat_hash_set<std::string> seen;
    for (Json item : array.items()) {
        Json name = item.kind() == JsonKind::object && !item["hex"] ? in.need(item, "name") : item;
        names.push_back(in.text(name));
        if (!seen.insert(names.back()).second) in.report(codes::json_twice, item, "this name is taken");
    }
    return names;
}

model::RoleId read_role(JsonReader& in, const model::Alphabet& alphabet, Json value) {
    if (!in.is_text(value)) return {};
    model::RoleId id = alphabet.find_role(in.text(value));
    if (!id) in.report(codes::json_reference, value, "unknown role");
    return id;
}

model::MessageId read_message(JsonReader& in, const model::Alphabet& alphabet, Json value) {
    if (!in.is_text(value)) return {};
    model::MessageId id = alphabet.find_message(in.text(value));
    if (!id) in.report(codes::json_reference, value, "unknown message");
    return id;
}

void JsonAlphabet::read(JsonReader& in, Json value) {
    if (!in.is(value, JsonKind::object)) return;
    for (const std::string& name : read_names(in, in.need_array(value, "roles"))) alphabet->role(name);
    for (const std::string& name : read_names(in, in.need_array(value, "messages"))) alphabet->message(name);
    if (!in.ok()) return;
    if (Json list = in.maybe_array(value, "events"))
        for (Json item : list.items())
            if (in.is(item, JsonKind::object)) events.push_back(event(in, item));
}

model::LabelId JsonAlphabet::event(JsonReader& in, Json value) {
    model::LabelId silent = alphabet->silent();
    if (!value) return silent;
    if (value.kind() == JsonKind::integer) {
        std::uint32_t i = in.index(value, events.size(), "events");
        return i == JsonReader::none_index ? silent : events[i];
    }
    Json kind_value = in.need(value, "kind");
    if (!in.is(kind_value, JsonKind::string)) return silent;
    std::string_view text = kind_value.string();
    for (EventKind kind :
         {EventKind::silent, EventKind::interaction, EventKind::send, EventKind::receive, EventKind::plain}) {
        if (kind_name(kind) != text) continue;
        if (kind == EventKind::silent) return silent;
        model::Event e{kind, {}, {}, read_message(in, *alphabet, in.need(value, "message"))};
        if (kind != EventKind::plain) {
            e.from = read_role(in, *alphabet, in.need(value, "from"));
            e.to = read_role(in, *alphabet, in.need(value, "to"));
            if (e.from && e.from == e.to)
                in.report(codes::json_model, value, "sender and receiver must be different roles");
            if (!e.from || !e.to || e.from == e.to) return silent;
        }
        return e.message ? alphabet->label(e) : silent;
    }
    in.report(codes::json_type, kind_value, "unknown kind of event");
    return silent;
}

}  // namespace treaty::formats
