#include "formats/json/specification.h"

#include "formats/codes.h"
#include "formats/json/alphabet.h"

namespace treaty::formats {
namespace {

void write_message(JsonWriter& out, JsonDataWriter& data, const model::Specification& s, std::size_t i) {
    const model::Message& m = s.messages[i];
    out.open_object(Layout::flat);
    out.text("name", s.alphabet->name(model::MessageId(i)));
    out.flag("declared", m.declared);
    if (!m.fields.empty()) {
        out.key("fields").open_array();
        for (std::size_t f = 0; f < m.fields.size(); ++f) {
            out.open_object();
            out.text("name", s.names->text(m.fields[f].name));
            out.key("type");
            data.type(m.fields[f].type);
            if (f < m.variables.size()) out.integer("variable", m.variables[f].index);
            out.close_object();
        }
        out.close_array();
    }
    data.condition("where", m.where);
    out.close_object();
}

model::Message read_message_json(JsonReader& in, JsonDataReader& data, Json value) {
    model::Message m;
    if (!in.is(value, JsonKind::object)) return m;
    m.span = value.span();
    m.declared = in.flag(value, "declared");
    if (Json fields = in.maybe_array(value, "fields")) {
        read_names(in, fields);
        for (Json f : fields.items()) {
            if (!in.is(f, JsonKind::object)) continue;
            expr::TypeId type = data.type(in.need(f, "type"));
            m.fields.push_back({data.name(in.need(f, "name")), type});
            if (Json variable = f["variable"])
                if (expr::VarId id = data.variable(variable, type)) m.variables.push_back(id);
        }
        if (!m.variables.empty() && m.variables.size() != m.fields.size() && in.ok())
            in.report(codes::json_model, fields, "either every field has a variable, or no field has one");
    }
    m.where = data.condition(value, "where");
    return m;
}

}  // namespace

void write_specification_json(JsonWriter& out, const model::Specification& s) {
    JsonDataWriter data(out, *s.pool);
    data.write_head(s.named_types);
    out.key("roles").open_array(Layout::flat);
    for (std::size_t i = 0; i < s.alphabet->role_count(); ++i) out.text(s.alphabet->name(model::RoleId(i)));
    out.close_array();
    out.key("messages").open_array();
    for (std::size_t i = 0; i < s.messages.size(); ++i) write_message(out, data, s, i);
    out.close_array();
    out.key("protocols").open_array();
    for (const model::Protocol& p : s.protocols) write_protocol_json(out, data, s, p);
    out.close_array();
    if (!s.wires.empty()) {
        out.key("wires").open_array();
        for (const model::Wire& w : s.wires) write_wire_json(out, data, s, w);
        out.close_array();
    }
    if (!s.properties.empty()) {
        out.key("properties").open_array();
        for (const model::Property& p : s.properties) write_property_json(out, data, s, p);
        out.close_array();
    }
    data.write_expressions();
}

std::optional<model::Specification> read_specification_json(JsonReader& in, Json object) {
    model::Specification s;
    JsonDataReader data(in, s.types, s.names, s.pool);
    data.read(object);
    s.named_types = data.named_types();
    for (const std::string& name : read_names(in, in.need_array(object, "roles"))) s.alphabet->role(name);
    Json messages = in.need_array(object, "messages");
    for (const std::string& name : read_names(in, messages)) s.alphabet->message(name);
    if (!in.ok()) return std::nullopt;
    for (Json m : messages.items()) s.messages.push_back(read_message_json(in, data, m));
    if (!in.ok()) return std::nullopt;
    if (Json list = in.need_array(object, "protocols")) {
        read_names(in, list);
        for (Json p : list.items()) {
            auto protocol = read_protocol_json(in, data, s, p);
            if (protocol) s.protocols.push_back(std::move(*protocol));
        }
    }
    if (Json list = in.maybe_array(object, "wires"))
        for (Json w : list.items()) s.wires.push_back(read_wire_json(in, data, s, w));
    if (Json list = in.maybe_array(object, "properties"))
        for (Json p : list.items()) s.properties.push_back(read_property_json(in, data, s, list.size(), p));
    if (!in.ok()) return std::nullopt;
    return s;
}

}  // namespace treaty::formats
