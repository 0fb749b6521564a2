#include <array>

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/json/alphabet.h"
#include "formats/json/specification.h"
#include "wire/forms.h"
#include "wire/line_escapes.h"

namespace treaty::formats {
namespace {

using wire::Framing;
using wire::Item;
using wire::ItemKind;

constexpr std::size_t max_nesting = 200;  // of items inside one another
constexpr std::array<std::string_view, 5> framings{"lines", "stream", "json", "http", "length_prefixed"};
constexpr std::array<std::string_view, 11> kinds{"literal", "pattern", "field",  "bits", "byte_string", "conditional",
                                                 "repeat",  "decimal", "line",   "varint", "block"};

template <std::size_t N>
std::size_t position(const std::array<std::string_view, N>& names, std::string_view text) {
    std::size_t i = 0;
    while (i < N && names[i] != text) ++i;
    return i;
}

class Writer {
public:
    Writer(JsonWriter& out, JsonDataWriter& data, const base::Names& names)
        : out_(out), data_(data), names_(names) {}

    void items(std::string_view key, const std::vector<Item>& list) {
        if (list.empty()) return;
        out_.key(key).open_array();
        for (const Item& i : list) item(i);
        out_.close_array();
    }

private:
    void item(const Item& i) {
        out_.open_object(i.inner.empty() ? Layout::flat : Layout::lines);
        out_.text("kind", kinds[static_cast<std::size_t>(i.kind)]);
        if (i.kind == ItemKind::literal || !i.text.empty()) out_.text("text", i.text);
        bool regex = i.kind == ItemKind::pattern || i.kind == ItemKind::field || !i.regex.pattern.empty();
        if (regex) out_.text("pattern", i.regex.pattern);
        out_.flag("ignore_case", i.regex.ignore_case);
        if (i.name) out_.text("name", names_.text(i.name));
        if (i.variable) out_.integer("variable", i.variable.index);
        if (i.collects) out_.integer("collects", i.collects.index);
        if (i.width != 0) out_.integer("width", i.width);
        out_.flag("little_endian", i.little_endian);
        data_.condition("value", i.value);
        data_.condition("size", i.size);
        data_.condition("condition", i.condition);
        data_.condition("xor", i.transform_key);
        items("inner", i.inner);
        out_.close_object();
    }

    JsonWriter& out_;
    JsonDataWriter& data_;
    const base::Names& names_;
};

class Reader {
public:
    Reader(JsonReader& in, JsonDataReader& data, const model::Specification& s)
        : in_(in), data_(data), s_(s) {}

    std::vector<Item> items(Json array) {
        std::vector<Item> list;
        if (!array) return list;
        if (depth_ >= max_nesting) {
            in_.report(codes::json_too_large, array,
                       fmt::format("items nest deeper than {} levels", max_nesting));
            return list;
        }
        ++depth_;
        for (Json value : array.items()) {
            list.emplace_back();
            item(value, list.back());
        }
        --depth_;
        return list;
    }

private:
    void item(Json value, Item& i) {
        if (!in_.is(value, JsonKind::object)) return;
        i.span = value.span();
        Json kind = in_.need(value, "kind");
        if (!in_.is_text(kind)) return;
        std::size_t k = position(kinds, in_.text(kind));
        if (k == kinds.size()) {
            in_.report(codes::json_type, kind, "there is no such kind of item");
            return;
        }
        i.kind = static_cast<ItemKind>(k);
        if (i.kind == ItemKind::literal) in_.need(value, "text");
        if (i.kind == ItemKind::pattern || i.kind == ItemKind::field) in_.need(value, "pattern");
        i.text = in_.text(in_.maybe(value, "text"));
        i.regex.pattern = in_.text(in_.maybe(value, "pattern"));
        i.regex.ignore_case = in_.flag(value, "ignore_case");
        if (Json name = value["name"]) i.name = data_.name(name);
        if (Json variable = value["variable"]) i.variable = data_.variable(variable);
        if (Json list = value["collects"]) i.collects = data_.variable(list);
        if (Json width = value["width"])
            i.width = static_cast<std::uint32_t>(in_.integer(width, 0, 0xffffffff));
        i.little_endian = in_.flag(value, "little_endian");
        if (Json e = value["value"]) i.value = data_.expression(e);
        if (Json e = value["size"]) i.size = data_.expression(e, s_.types->integer());
        if (i.kind != ItemKind::repeat)
            i.condition = data_.condition(value, "condition");
        else if (Json e = value["condition"])
            i.condition = data_.expression(e, s_.types->integer());
        if (Json e = value["xor"]) i.transform_key = data_.expression(e, s_.types->bytes());
        if (i.kind == ItemKind::conditional && !i.condition && !i.value) in_.need(value, "condition");
        if (wire::is_part(i) && !i.variable) in_.need(value, "variable");
        i.inner = items(in_.maybe_array(value, "inner"));
    }

    JsonReader& in_;
    JsonDataReader& data_;
    const model::Specification& s_;
    std::size_t depth_ = 0;
};

}  // namespace

void write_wire_json(JsonWriter& out, JsonDataWriter& data, const model::Specification& s,
                     const wire::Wire& w) {
    out.open_object();
    out.text("name", s.names->text(w.name));
    out.text("framing", framings[static_cast<std::size_t>(w.framing)]);
    if (!w.terminator.empty()) out.text("terminator", w.terminator);
    if (!w.selector.empty()) out.text("selector", w.selector);
    if (w.framing == Framing::length_prefixed) out.integer("prefix_bytes", w.prefix_bytes);
    out.key("layouts").open_array();
    for (const wire::Layout& layout : w.layouts) {
        out.open_object();
        out.text("message", s.alphabet->name(model::MessageId(layout.message)));
        data.variables("fields", layout.fields);
        Writer(out, data, *s.names).items("items", layout.items);
        out.close_object();
    }
    out.close_array();
    out.close_object();
}

wire::Wire read_wire_json(JsonReader& in, JsonDataReader& data, const model::Specification& s, Json value) {
    wire::Wire w;
    if (!in.is(value, JsonKind::object)) return w;
    w.span = value.span();
    w.name = data.name(in.need(value, "name"));
    Json framing = in.need(value, "framing");
    std::size_t f = in.is_text(framing) ? position(framings, in.text(framing)) : 0;
    if (f < framings.size())
        w.framing = static_cast<Framing>(f);
    else
        in.report(codes::json_type, framing, "there is no such framing");
    w.terminator = in.text(in.maybe(value, "terminator"));
    w.selector = in.text(in.maybe(value, "selector"));
    if (std::string why = wire::escapes_fault(wire::escapes_of(w), w.terminator); !why.empty())
        in.report(codes::json_model, in.maybe(value, "selector"), why);
    if (Json prefix = in.maybe(value, "prefix_bytes"))
        w.prefix_bytes = static_cast<std::uint32_t>(in.integer(prefix, 1, 8));
    Json layouts = in.need_array(value, "layouts");
    if (!layouts) return w;
    for (Json l : layouts.items()) {
        if (!in.is(l, JsonKind::object)) continue;
        wire::Layout layout;
        layout.span = l.span();
        Json message_value = in.need(l, "message");
        model::MessageId message = read_message(in, *s.alphabet, message_value);
        layout.message = message ? message.index : 0;
        Json fields = in.need_array(l, "fields");
        layout.fields = data.variables(fields);
        if (message && fields && fields.size() != s.message(message).fields.size())
            in.report(codes::json_model, fields, "a layout has a variable for each field of its message");
        layout.items = Reader(in, data, s).items(in.maybe_array(l, "items"));
        w.layouts.push_back(std::move(layout));
    }
    return w;
}

}  // namespace treaty::formats
