#include <array>
#include <charconv>

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/json/alphabet.h"
#include "formats/json/specification.h"
#include "wire/line_escapes.h"

namespace treaty::formats {
namespace {

namespace forms = model::forms;
using model::Escape;
using model::Framing;
using model::Item;
using model::Transform;

constexpr std::size_t max_nesting = 200;  // of items inside one another
constexpr std::array<std::string_view, 5> framings{"lines", "stream", "json", "http", "length_prefixed"};
constexpr std::array<std::string_view, 4> transforms{"", "base64", "hex", "reversed"};

// The file has fewer kinds of items than the model has forms, and its members are what they always were: a
// check is a `conditional` with a value and no condition, a part a `block` of this width, the condition of a
// `repeat` is how many rounds it adds, `pattern` names the transform of bytes and lines, and the `selector`
// of a wire over lines holds its escapes.
constexpr std::uint32_t no_length = 0xffffffffu;

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

    void items(std::string_view key, std::span<const Item> list) {
        if (list.empty()) return;
        out_.key(key).open_array();
        for (const Item& i : list) item(i);
        out_.close_array();
    }

private:
    void item(const Item& i) {
        out_.open_object(model::inner_of(i).empty() ? Layout::flat : Layout::lines);
        std::visit([&](const auto& form) { write(form); }, i.form);
        items("inner", model::inner_of(i));
        out_.close_object();
    }

    void write(const forms::Literal& i) {
        out_.text("kind", "literal");
        out_.text("text", i.text);
    }
    void write(const forms::Pattern& i) {
        out_.text("kind", "pattern");
        regex(i.regex);
    }
    void write(const forms::Text& i) {
        out_.text("kind", "field");
        regex(i.regex);
        named(i);
    }
    void write(const forms::Bits& i) {
        out_.text("kind", "bits");
        named(i);
        collects(i);
        width(i.width);
        out_.flag("little_endian", i.little_endian);
        data_.condition("value", i.value);
    }
    void write(const forms::ByteString& i) {
        out_.text("kind", "byte_string");
        transform(i.transform);
        named(i);
        collects(i);
        data_.condition("value", i.value);
        data_.condition("size", i.size);
        data_.condition("xor", i.key);
    }
    void write(const forms::Decimal& i) {
        out_.text("kind", "decimal");
        if (!i.end.empty()) out_.text("text", i.end);
        named(i);
        collects(i);
        data_.condition("value", i.value);
    }
    void write(const forms::Line& i) {
        out_.text("kind", "line");
        if (!i.end.empty()) out_.text("text", i.end);
        transform(i.transform);
        named(i);
        collects(i);
        data_.condition("value", i.value);
    }
    void write(const forms::Varint& i) {
        out_.text("kind", "varint");
        named(i);
        collects(i);
        width(i.most_bytes);
        data_.condition("value", i.value);
    }
    void write(const forms::Check& i) {
        out_.text("kind", "conditional");
        data_.condition("value", i.condition);
    }
    void write(const forms::Conditional& i) {
        out_.text("kind", "conditional");
        data_.condition("condition", i.condition);
    }
    void write(const forms::Repeat& i) {
        out_.text("kind", "repeat");
        data_.condition("size", i.count);
        data_.condition("condition", i.more);
    }
    void write(const forms::Block& i) {
        out_.text("kind", "block");
        width(i.width);
        out_.flag("little_endian", i.little_endian);
    }
    void write(const forms::Part& i) {
        out_.text("kind", "block");
        named(i);
        width(no_length);
    }

    void regex(const model::Regex& r) {
        out_.text("pattern", r.pattern);
        out_.flag("ignore_case", r.ignore_case);
    }
    void transform(Transform t) {
        if (t != Transform::none) out_.text("pattern", transforms[static_cast<std::size_t>(t)]);
    }
    void named(const forms::Named& i) {
        if (i.name) out_.text("name", names_.text(i.name));
        if (i.variable) out_.integer("variable", i.variable.index);
    }
    void collects(const forms::Field& i) {
        if (i.collects) out_.integer("collects", i.collects.index);
    }
    void width(std::uint32_t bits) {
        if (bits != 0) out_.integer("width", bits);
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
                       fmt::format("items are nested deeper than {} levels", max_nesting));
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
        std::string k = in_.text(kind);
        if (k == "literal")
            i.form = literal(value);
        else if (k == "pattern")
            i.form = forms::Pattern{regex(value)};
        else if (k == "field")
            i.form = text(value);
        else if (k == "bits")
            i.form = bits(value);
        else if (k == "byte_string")
            i.form = byte_string(value);
        else if (k == "decimal")
            i.form = ended<forms::Decimal>(value);
        else if (k == "line")
            i.form = line(value);
        else if (k == "varint")
            i.form = varint(value);
        else if (k == "conditional")
            conditional(value, i);
        else if (k == "repeat")
            i.form = repeat(value);
        else if (k == "block")
            block(value, i);
        else
            in_.report(codes::json_type, kind, "unknown kind of item");
    }

    forms::Literal literal(Json value) {
        in_.need(value, "text");
        return {in_.text(in_.maybe(value, "text"))};
    }
    forms::Text text(Json value) {
        forms::Text i;
        i.regex = regex(value);
        named(value, i);
        return i;
    }
    forms::Bits bits(Json value) {
        forms::Bits i;
        field(value, i);
        i.width = width(value);
        i.little_endian = in_.flag(value, "little_endian");
        return i;
    }
    forms::ByteString byte_string(Json value) {
        forms::ByteString i;
        i.transform = transform(value);
        field(value, i);
        if (Json e = value["size"]) i.size = data_.expression(e, s_.types->integer());
        if (Json e = value["xor"]) i.key = data_.expression(e, s_.types->bytes());
        return i;
    }
    template <class Form>
    Form ended(Json value) {
        Form i;
        i.end = in_.text(in_.maybe(value, "text"));
        field(value, i);
        return i;
    }
    forms::Line line(Json value) {
        auto i = ended<forms::Line>(value);
        i.transform = transform(value);
        return i;
    }
    forms::Varint varint(Json value) {
        forms::Varint i;
        field(value, i);
        i.most_bytes = width(value);
        return i;
    }
    void conditional(Json value, Item& i) {
        expr::ExprId condition = data_.condition(value, "condition");
        Json checked = value["value"];
        if (!condition && checked) {
            i.form = forms::Check{data_.expression(checked)};
            return;
        }
        if (!condition) in_.need(value, "condition");
        forms::Conditional form;
        form.condition = condition;
        form.inner = inner(value);
        i.form = std::move(form);
    }
    forms::Repeat repeat(Json value) {
        forms::Repeat i;
        if (Json e = value["size"]) i.count = data_.expression(e, s_.types->integer());
        if (Json e = value["condition"]) i.more = data_.expression(e, s_.types->integer());
        i.inner = inner(value);
        return i;
    }
    void block(Json value, Item& i) {
        std::uint32_t bits = width(value);
        if (bits != no_length) {
            forms::Block form;
            form.width = bits;
            form.little_endian = in_.flag(value, "little_endian");
            form.inner = inner(value);
            i.form = std::move(form);
            return;
        }
        forms::Part form;
        named(value, form);
        if (!form.variable) in_.need(value, "variable");
        form.inner = inner(value);
        i.form = std::move(form);
    }

    model::Regex regex(Json value) {
        in_.need(value, "pattern");
        return {in_.text(in_.maybe(value, "pattern")), in_.flag(value, "ignore_case")};
    }
    Transform transform(Json value) {
        std::size_t t = position(transforms, in_.text(in_.maybe(value, "pattern")));
        return t < transforms.size() ? static_cast<Transform>(t) : Transform::none;
    }
    void named(Json value, forms::Named& i) {
        if (Json name = value["name"]) i.name = data_.name(name);
        if (Json variable = value["variable"]) i.variable = data_.variable(variable);
    }
    void field(Json value, forms::Field& i) {
        named(value, i);
        if (Json list = value["collects"]) i.collects = data_.variable(list);
        if (Json e = value["value"]) i.value = data_.expression(e);
    }
    std::uint32_t width(Json value) {
        Json width = value["width"];
        return width ? static_cast<std::uint32_t>(in_.integer(width, 0, no_length)) : 0;
    }
    std::vector<Item> inner(Json value) { return items(in_.maybe_array(value, "inner")); }

    JsonReader& in_;
    JsonDataReader& data_;
    const model::Specification& s_;
    std::size_t depth_ = 0;
};

// Each escape as `size:text size:written` with a dash before those for the start of a line.
std::string selector_of(const std::vector<Escape>& escapes) {
    std::string text;
    for (const Escape& e : escapes)
        text += fmt::format("{}{}:{}{}:{}", e.at_start ? "-" : "", e.text.size(), e.text, e.written.size(),
                            e.written);
    return text;
}

// A text with its size before it, taken from the front.
bool take_sized(std::string_view& rest, std::string& out) {
    std::size_t size = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    auto at = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc() || at >= rest.size() || rest[at] != ':' || size > rest.size() - at - 1)
        return false;
    out = rest.substr(at + 1, size);
    rest.remove_prefix(at + 1 + size);
    return true;
}

std::vector<Escape> escapes_in(std::string_view selector) {
    std::vector<Escape> escapes;
    while (!selector.empty()) {
        Escape e;
        e.at_start = selector[0] == '-';
        if (e.at_start) selector.remove_prefix(1);
        if (!take_sized(selector, e.text) || !take_sized(selector, e.written)) return {};
        escapes.push_back(std::move(e));
    }
    return escapes;
}

}  // namespace

void write_wire_json(JsonWriter& out, JsonDataWriter& data, const model::Specification& s,
                     const model::Wire& w) {
    out.open_object();
    out.text("name", s.names->text(w.name));
    out.text("framing", framings[static_cast<std::size_t>(w.framing)]);
    if (!w.terminator.empty()) out.text("terminator", w.terminator);
    std::string selector = w.framing == Framing::lines ? selector_of(w.escapes) : w.selector;
    if (!selector.empty()) out.text("selector", selector);
    if (w.framing == Framing::length_prefixed) out.integer("prefix_bytes", w.prefix_bytes);
    out.key("layouts").open_array();
    for (const model::Layout& layout : w.layouts) {
        out.open_object();
        out.text("message", s.alphabet->name(layout.message));
        data.variables("fields", layout.fields);
        Writer(out, data, *s.names).items("items", layout.items);
        out.close_object();
    }
    out.close_array();
    out.close_object();
}

model::Wire read_wire_json(JsonReader& in, JsonDataReader& data, const model::Specification& s, Json value) {
    model::Wire w;
    if (!in.is(value, JsonKind::object)) return w;
    w.span = value.span();
    w.name = data.name(in.need(value, "name"));
    Json framing = in.need(value, "framing");
    std::size_t f = in.is_text(framing) ? position(framings, in.text(framing)) : 0;
    if (f < framings.size())
        w.framing = static_cast<Framing>(f);
    else
        in.report(codes::json_type, framing, "unknown framing");
    w.terminator = in.text(in.maybe(value, "terminator"));
    std::string selector = in.text(in.maybe(value, "selector"));
    if (w.framing == Framing::lines)
        w.escapes = escapes_in(selector);
    else
        w.selector = std::move(selector);
    if (auto fine = wire::check_escapes(w.escapes, w.terminator); !fine)
        in.report(codes::json_model, in.maybe(value, "selector"), fine.error());
    if (Json prefix = in.maybe(value, "prefix_bytes"))
        w.prefix_bytes = static_cast<std::uint32_t>(in.integer(prefix, 1, 8));
    Json layouts = in.need_array(value, "layouts");
    if (!layouts) return w;
    for (Json l : layouts.items()) {
        if (!in.is(l, JsonKind::object)) continue;
        model::Layout layout;
        layout.span = l.span();
        Json message_value = in.need(l, "message");
        model::MessageId message = read_message(in, *s.alphabet, message_value);
        layout.message = message ? message : model::MessageId(0);
        Json fields = in.need_array(l, "fields");
        layout.fields = data.variables(fields);
        if (message && fields && fields.size() != s.message(message).fields.size())
            in.report(codes::json_model, fields, "a layout needs one variable for each field of its message");
        layout.items = Reader(in, data, s).items(in.maybe_array(l, "items"));
        w.layouts.push_back(std::move(layout));
    }
    return w;
}

}  // namespace treaty::formats
