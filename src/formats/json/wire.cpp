#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "formats/codes.h"
#include "formats/json/alphabet.h"
#include "formats/json/specification.h"
#include "wire/line_escapes.h"
#include "wire/protobuf_types.h"

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
        collects(i);
        data_.condition("value", i.value);
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
        if (!i.until.empty()) out_.text("text", i.until);
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

    void write(const forms::JsonConstant& i) {
        out_.text("kind", "json_constant");
        std::visit([&](const auto& value) { constant(value); }, i.value);
    }
    void constant(std::monostate) {}
    void constant(bool value) {
        out_.text("type", "bool");
        out_.text("text", value ? "true" : "false");
    }
    void constant(std::int64_t value) {
        out_.text("type", "int");
        out_.text("text", fmt::format("{}", value));
    }
    void constant(double value) {
        out_.text("type", "real");
        out_.text("text", fmt::format("{}", value));
    }
    void constant(const std::string& value) {
        out_.text("type", "string");
        out_.text("text", value);
    }
    void write(const forms::JsonValue& i) {
        out_.text("kind", "json_value");
        path(i);
        if (i.transform == Transform::base64) transform(i.transform);
    }
    void write(const forms::JsonObject& i) {
        out_.text("kind", "json_object");
        out_.flag("open", i.open);
    }
    void write(const forms::JsonMember& i) {
        out_.text("kind", "json_member");
        out_.text("key", i.key);
        out_.flag("may_be_absent", i.may_be_absent);
    }
    void write(const forms::JsonArray&) { out_.text("kind", "json_array"); }
    void write(const forms::JsonEach& i) {
        out_.text("kind", "json_each");
        named(i);
        out_.key("list").open_object(Layout::flat);
        path(i.list);
        out_.close_object();
    }
    void write(const forms::HttpRequest& i) {
        out_.text("kind", "request");
        out_.text("method", i.method);
        parts("path", i.path);
        parameters("query", i.query);
        out_.flag("open", i.open);
    }
    void write(const forms::HttpStatus& i) {
        out_.text("kind", "status");
        named(i);
        out_.integer("low", i.low);
        out_.integer("high", i.high);
    }
    void write(const forms::HttpHeader& i) {
        out_.text("kind", "header");
        out_.text("key", i.header);
        parts("parts", i.value);
    }
    void write(const forms::FormBody& i) {
        out_.text("kind", "form");
        parameters("query", i.parameters);
        out_.flag("open", i.open);
    }
    void write(const forms::TextBody& i) {
        out_.text("kind", "text_body");
        parts("parts", i.text);
    }
    void write(const forms::BytesBody& i) {
        out_.text("kind", "bytes_body");
        named(i);
    }
    void write(const forms::AnyBody&) { out_.text("kind", "any_body"); }
    void write(const forms::Protobuf& i) {
        out_.text("kind", "protobuf");
        out_.flag("open", i.open);
    }
    void write(const forms::ProtobufOneof&) { out_.text("kind", "protobuf_oneof"); }
    void write(const forms::ProtobufField& i) {
        out_.text("kind", "protobuf_field");
        named(i);
        out_.integer("number", i.number);
        out_.integer("position", i.position);
        out_.text("type", wire::protobuf_word(i.kind));
        if (i.map) out_.text("key", wire::protobuf_word(i.key));
        out_.flag("required", i.required);
        out_.flag("expanded", i.expanded);
        out_.flag("closed", i.closed);
        out_.flag("open", i.open);
        if (i.numbers.empty()) return;
        out_.key("numbers").open_array(Layout::flat);
        for (std::int32_t n : i.numbers) out_.integer(n);
        out_.close_array();
    }

    void path(const forms::Path& p) {
        named(p);
        if (p.fields.empty()) return;
        out_.key("fields").open_array(Layout::flat);
        for (std::uint32_t f : p.fields) out_.integer(f);
        out_.close_array();
    }
    void parts(std::string_view key, const forms::Template& all) {
        out_.key(key).open_array();
        for (const forms::TextPart& p : all) {
            out_.open_object(Layout::flat);
            if (p.variable) {
                out_.text("name", names_.text(p.name));
                out_.integer("variable", p.variable.index);
            } else {
                out_.text("text", p.text);
            }
            out_.close_object();
        }
        out_.close_array();
    }
    void parameters(std::string_view key, const std::vector<forms::Parameter>& all) {
        if (all.empty()) return;
        out_.key(key).open_array();
        for (const forms::Parameter& p : all) {
            out_.open_object();
            out_.text("key", p.name);
            parts("parts", p.value);
            out_.close_object();
        }
        out_.close_array();
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
        else if (k == "protobuf")
            i.form = protobuf(value);
        else if (k == "protobuf_oneof")
            i.form = forms::ProtobufOneof{{inner(value)}};
        else if (k == "protobuf_field")
            i.form = protobuf_field(value);
        else if (!document(k, value, i))
            in_.report(codes::json_type, kind, "unknown kind of item");
    }

    // JSON documents and HTTP messages; what does not fit together is reported, since codecs rely on it.
    bool document(std::string_view k, Json value, Item& i) {
        if (k == "json_constant")
            i.form = constant(value);
        else if (k == "json_value")
            i.form = json_value(value);
        else if (k == "json_object")
            i.form = json_object(value);
        else if (k == "json_member")
            i.form = json_member(value);
        else if (k == "json_array")
            i.form = forms::JsonArray{{json_values(value)}};
        else if (k == "json_each")
            i.form = json_each(value);
        else if (k == "request")
            i.form = forms::HttpRequest{in_.text(in_.need(value, "method")), parts(value, "path"),
                                        parameters(value), in_.flag(value, "open")};
        else if (k == "status")
            i.form = status(value);
        else if (k == "header")
            i.form = forms::HttpHeader{in_.text(in_.need(value, "key")), parts(value, "parts")};
        else if (k == "form")
            i.form = forms::FormBody{parameters(value), in_.flag(value, "open")};
        else if (k == "text_body")
            i.form = forms::TextBody{parts(value, "parts")};
        else if (k == "bytes_body")
            i.form = forms::BytesBody{variable(value)};
        else if (k == "any_body")
            i.form = forms::AnyBody{};
        else
            return false;
        return true;
    }

    forms::JsonConstant constant(Json value) {
        std::string type = in_.text(in_.maybe(value, "type")), text = in_.text(in_.maybe(value, "text"));
        forms::JsonConstant i;
        auto number = [&](auto n) {
            auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
            if (error != std::errc() || end != text.data() + text.size())
                in_.report(codes::json_model, value, "not a number");
            i.value = n;
        };
        if (type == "bool")
            i.value = text == "true";
        else if (type == "int")
            number(std::int64_t{0});
        else if (type == "real")
            number(0.0);
        else if (type == "string")
            i.value = std::move(text);
        return i;
    }
    // A variable that must be there.
    forms::Named variable(Json value) {
        forms::Named i;
        named(value, i);
        if (!i.variable) in_.need(value, "variable");
        return i;
    }
    expr::TypeId type_of(const forms::Path& p) const {
        expr::TypeId type = s_.pool->variable(p.variable).type;
        for (std::uint32_t f : p.fields) type = (*s_.types)[type].fields[f].type;
        return type;
    }
    forms::Path path(Json value) {
        forms::Path p{variable(value), {}};
        if (!p.variable) return p;
        expr::TypeId type = s_.pool->variable(p.variable).type;
        Json fields = in_.maybe_array(value, "fields");
        if (!fields) return p;
        for (Json f : fields.items()) {
            bool record = s_.types->kind(type) == expr::TypeKind::record;
            auto count = record ? static_cast<std::int64_t>((*s_.types)[type].fields.size()) : 0;
            if (count == 0) {
                in_.report(codes::json_model, f, "only a record has fields");
                return p;
            }
            p.fields.push_back(static_cast<std::uint32_t>(in_.integer(f, 0, count - 1)));
            if (p.fields.back() >= static_cast<std::uint64_t>(count)) p.fields.back() = 0;
            type = (*s_.types)[type].fields[p.fields.back()].type;
        }
        return p;
    }
    forms::JsonValue json_value(Json value) {
        Transform t = transform(value);
        return {path(value), t == Transform::base64 ? t : Transform::hex};
    }
    std::vector<Item> json_values(Json value) {
        std::vector<Item> all = inner(value);
        for (const Item& i : all)
            if (!model::is_json(i)) in_.report(codes::json_model, value, "expected JSON values inside");
        return all;
    }
    forms::JsonObject json_object(Json value) {
        forms::JsonObject i{{inner(value)}, in_.flag(value, "open")};
        for (const Item& m : i.inner)
            if (!model::is<forms::JsonMember>(m))
                in_.report(codes::json_model, value, "an object consists of members");
        return i;
    }
    forms::JsonMember json_member(Json value) {
        forms::JsonMember i{
            {json_values(value)}, in_.text(in_.need(value, "key")), in_.flag(value, "may_be_absent")};
        if (i.inner.size() != 1) in_.report(codes::json_model, value, "a member has one value");
        const auto* p = i.inner.empty() ? nullptr : model::as<forms::JsonValue>(i.inner[0]);
        bool optional = p && p->variable && s_.types->kind(type_of(*p)) == expr::TypeKind::optional;
        if (i.may_be_absent && !optional)
            in_.report(codes::json_model, value, "only a member with an optional value may be absent");
        return i;
    }
    forms::JsonEach json_each(Json value) {
        forms::JsonEach i{variable(value), {json_values(value)}, {}};
        if (Json list = in_.need(value, "list"); in_.is(list, JsonKind::object)) i.list = path(list);
        if (i.inner.size() != 1) in_.report(codes::json_model, value, "an element has one value");
        if (!i.list.variable || !i.variable) return i;
        expr::TypeId type = type_of(i.list);
        if (s_.types->kind(type) != expr::TypeKind::list ||
            (*s_.types)[type].element != s_.pool->variable(i.variable).type)
            in_.report(codes::json_model, value, "the elements do not have the type of the list");
        return i;
    }
    forms::HttpStatus status(Json value) {
        forms::HttpStatus i;
        named(value, i);
        i.low = static_cast<std::uint32_t>(in_.integer(in_.need(value, "low"), 100, 599));
        i.high = static_cast<std::uint32_t>(in_.integer(in_.need(value, "high"), 100, 599));
        if (i.variable && s_.types->kind(s_.pool->variable(i.variable).type) != expr::TypeKind::integer)
            in_.report(codes::json_model, value, "a status is an integer");
        return i;
    }
    forms::Template parts(Json value, std::string_view key) {
        forms::Template all;
        Json array = in_.need_array(value, key);
        if (!array) return all;
        for (Json one : array.items()) {
            if (!in_.is(one, JsonKind::object)) continue;
            forms::Named name;
            named(one, name);
            all.push_back({name.variable ? "" : in_.text(in_.maybe(one, "text")), name.name, name.variable});
            bool two = all.size() > 1 && all[all.size() - 2].variable && name.variable;
            if (two) in_.report(codes::json_model, one, "two fields need a text between them");
        }
        return all;
    }
    std::vector<forms::Parameter> parameters(Json value) {
        std::vector<forms::Parameter> all;
        Json array = in_.maybe_array(value, "query");
        if (!array) return all;
        for (Json one : array.items())
            if (in_.is(one, JsonKind::object))
                all.push_back({in_.text(in_.need(one, "key")), parts(one, "parts")});
        return all;
    }

    // --- protobuf

    forms::Protobuf protobuf(Json value) { return {{inner(value)}, in_.flag(value, "open")}; }
    forms::ProtobufField protobuf_field(Json value) {
        forms::ProtobufField i;
        named(value, i);
        i.number =
            static_cast<std::uint32_t>(in_.integer(in_.need(value, "number"), 1, wire::most_protobuf_number));
        if (Json position = in_.need(value, "position"))
            i.position = static_cast<std::uint32_t>(in_.integer(position, 0, INT32_MAX));
        i.kind = protobuf_kind(in_.need(value, "type"));
        if (Json key = in_.maybe(value, "key")) {
            i.map = true;
            i.key = protobuf_kind(key);
        }
        i.required = in_.flag(value, "required");
        i.expanded = in_.flag(value, "expanded");
        i.closed = in_.flag(value, "closed");
        i.open = in_.flag(value, "open");
        if (Json numbers = in_.maybe_array(value, "numbers"))
            for (Json n : numbers.items())
                i.numbers.push_back(static_cast<std::int32_t>(in_.integer(n, INT32_MIN, INT32_MAX)));
        i.inner = inner(value);
        return i;
    }
    wire::ProtobufKind protobuf_kind(Json value) {
        auto kind = value ? wire::protobuf_kind(in_.text(value)) : std::nullopt;
        if (value && !kind) in_.report(codes::json_type, value, "unknown type of protobuf");
        return kind.value_or(wire::ProtobufKind::int32);
    }

    forms::Literal literal(Json value) {
        in_.need(value, "text");
        return {in_.text(in_.maybe(value, "text"))};
    }
    forms::Text text(Json value) {
        forms::Text i;
        i.regex = regex(value);
        field(value, i);
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
        i.until = in_.text(in_.maybe(value, "text"));
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

bool is_document(const Item& i) {
    return model::is_json(i) || model::is<forms::JsonMember>(i) || model::is<forms::HttpRequest>(i) ||
           model::is<forms::HttpStatus>(i) || model::is<forms::HttpHeader>(i) ||
           model::is<forms::FormBody>(i) || model::is<forms::TextBody>(i) || model::is<forms::BytesBody>(i) ||
           model::is<forms::AnyBody>(i);
}

bool has_document(std::span<const Item> items) {
    return std::any_of(items.begin(), items.end(),
                       [](const Item& i) { return is_document(i) || has_document(model::inner_of(i)); });
}

// Over http a request or a status, headers and a body; over json one value; over lines one, or no document.
bool fits(Framing framing, std::span<const Item> items) {
    bool one = items.size() == 1 && model::is_json(items[0]);
    if (framing == Framing::json) return one;
    if (framing != Framing::http) return (framing == Framing::lines && one) || !has_document(items);
    for (std::size_t k = 0; k < items.size(); ++k) {
        bool first = model::is<forms::HttpRequest>(items[k]) || model::is<forms::HttpStatus>(items[k]);
        if (first != (k == 0) || !is_document(items[k]) || model::is<forms::JsonMember>(items[k]))
            return false;
    }
    return !items.empty();
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
        if (auto fault = wire::protobuf_fault(*s.pool, layout, layout.items); !fault.empty())
            in.report(codes::json_model, l, fault);
        if (!fits(w.framing, layout.items))
            in.report(codes::json_model, l, "the layout does not have the form that the framing needs");
        w.layouts.push_back(std::move(layout));
    }
    return w;
}

}  // namespace treaty::formats
