#include "formats/codes.h"
#include "formats/json/alphabet.h"
#include "formats/json/specification.h"

namespace treaty::formats {
namespace {

void write_pattern(JsonWriter& out, JsonDataWriter& data, const model::Specification& s,
                   const model::MessagePattern& p) {
    out.open_object(Layout::flat);
    out.text("from", s.alphabet->name(p.from));
    out.text("to", s.alphabet->name(p.to));
    out.text("message", s.alphabet->name(p.message));
    if (!p.fields.empty()) {
        out.key("fields").open_array();
        for (const model::FieldPattern& f : p.fields) {
            out.open_object();
            out.integer("field", f.field);
            if (f.bind) out.integer("let", f.bind.index);
            data.condition("equals", f.equals);
            out.close_object();
        }
        out.close_array();
    }
    data.condition("where", p.where);
    out.close_object();
}

std::vector<model::MessagePattern> read_patterns(JsonReader& in, JsonDataReader& data,
                                                 const model::Specification& s, Json array) {
    std::vector<model::MessagePattern> all;
    if (!array) return all;
    for (Json value : array.items()) {
        if (!in.is(value, JsonKind::object)) continue;
        model::MessagePattern p;
        p.span = value.span();
        p.from = read_role(in, *s.alphabet, in.need(value, "from"));
        p.to = read_role(in, *s.alphabet, in.need(value, "to"));
        p.message = read_message(in, *s.alphabet, in.need(value, "message"));
        if (!p.message) continue;
        const auto& fields = s.message(p.message).fields;
        if (Json list = in.maybe_array(value, "fields")) {
            for (Json f : list.items()) {
                if (!in.is(f, JsonKind::object)) continue;
                model::FieldPattern pattern;
                pattern.field = in.index(in.need(f, "field"), fields.size(), "fields");
                if (pattern.field == JsonReader::none_index) continue;
                expr::TypeId type = fields[pattern.field].type;
                if (Json bind = f["let"]) pattern.bind = data.variable(bind, type);
                if (Json equals = f["equals"]) pattern.equals = data.expression(equals, type);
                if (!pattern.bind == !pattern.equals && in.ok())
                    in.report(codes::json_model, f, "a field must have either \"let\" or \"equals\"");
                p.fields.push_back(pattern);
            }
        }
        p.where = data.condition(value, "where");
        all.push_back(std::move(p));
    }
    return all;
}

void write_positions(JsonWriter& out, std::string_view key, const std::vector<std::uint32_t>& list) {
    out.key(key).open_array(Layout::flat);
    for (std::uint32_t i : list) out.integer(i);
    out.close_array();
}

std::vector<std::uint32_t> read_positions(JsonReader& in, Json array, std::size_t count) {
    std::vector<std::uint32_t> all;
    if (!array) return all;
    for (Json value : array.items()) {
        std::uint32_t i = in.index(value, count, "properties");
        if (i != JsonReader::none_index) all.push_back(i);
    }
    return all;
}

}  // namespace

void write_property_json(JsonWriter& out, JsonDataWriter& data, const model::Specification& s,
                         const model::Property& p) {
    out.open_object();
    out.text("name", s.names->text(p.name));
    out.flag("global", p.global);
    if (p.global) {
        write_positions(out, "premises", p.premises);
        write_positions(out, "conclusions", p.conclusions);
        out.flag("negated", p.negated);
    } else {
        out.text("at", s.alphabet->name(p.at));
        out.key("after").open_array();
        for (const model::MessagePattern& m : p.after) write_pattern(out, data, s, m);
        out.close_array();
        out.key("then").open_array();
        for (const model::MessagePattern& m : p.then) write_pattern(out, data, s, m);
        out.close_array();
        out.flag("forbid", p.forbid);
        out.integer("within", p.within);
        if (p.within_ns >= 0) out.integer("within_ns", p.within_ns);
    }
    out.close_object();
}

model::Property read_property_json(JsonReader& in, JsonDataReader& data, const model::Specification& s,
                                   std::size_t count, Json value) {
    model::Property p;
    if (!in.is(value, JsonKind::object)) return p;
    p.span = value.span();
    p.name = data.name(in.need(value, "name"));
    p.global = in.flag(value, "global");
    if (p.global) {
        p.premises = read_positions(in, in.need_array(value, "premises"), count);
        p.conclusions = read_positions(in, in.need_array(value, "conclusions"), count);
        p.negated = in.flag(value, "negated");
        return p;
    }
    p.at = read_role(in, *s.alphabet, in.need(value, "at"));
    p.after = read_patterns(in, data, s, in.need_array(value, "after"));
    p.then = read_patterns(in, data, s, in.need_array(value, "then"));
    p.forbid = in.flag(value, "forbid");
    p.within = static_cast<std::uint32_t>(in.integer(in.need(value, "within"), 0, 0xffffffff));
    if (Json w = in.maybe(value, "within_ns")) p.within_ns = in.integer(w, 0);
    return p;
}

}  // namespace treaty::formats
