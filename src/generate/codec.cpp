#include "generate/codec.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "generate/code_writer.h"
#include "generate/codes.h"
#include "generate/cpp_tables.h"
#include "generate/literals.h"
#include "generate/python_tables.h"

namespace treaty::generate {
namespace {

namespace forms = model::forms;
using expr::TypeKind;
using model::Item;

// A repetition to the end of its block, or as often as a count says, each round of which has one element of
// each of its lists, has code.
std::string_view unsupported_repetition(const forms::Repeat& repeat) {
    if (repeat.more) return "a tree";
    if (!repeat.until.empty()) return "a repetition up to a text";
    std::set<expr::VarId> lists;
    bool takes_bytes = static_cast<bool>(repeat.count);
    for (const Item& item : repeat.inner) {
        if (model::is<forms::Repeat>(item) || model::is<forms::Block>(item) ||
            model::is<forms::Conditional>(item))
            return "a repetition with blocks, conditions or repetitions";
        takes_bytes = takes_bytes || !(model::is<forms::ByteString>(item) || model::is<forms::Check>(item));
        if (expr::VarId list = model::list_of(item); list && !lists.insert(list).second)
            return "a repetition with two values of one list";
    }
    if (!takes_bytes) return "a repetition that may take no bytes";
    return lists.empty() ? "a repetition without a list" : "";
}

// What has no code; nothing for an item that has.
std::string_view unsupported(const Item& item) {
    if (const auto* bytes = model::as<forms::ByteString>(item))
        return bytes->transform == model::Transform::none ? "" : "a transformed field";
    if (const auto* line = model::as<forms::Line>(item))
        return line->transform == model::Transform::none ? "" : "a transformed field";
    if (model::is<forms::Literal>(item) || model::is<forms::Bits>(item) || model::is<forms::Decimal>(item) ||
        model::is<forms::Varint>(item) || model::is<forms::Check>(item) ||
        model::is<forms::Conditional>(item) || model::is<forms::Block>(item))
        return "";
    if (model::is<forms::Pattern>(item) || model::is<forms::Text>(item)) return "a pattern";
    if (const auto* repeat = model::as<forms::Repeat>(item)) return unsupported_repetition(*repeat);
    if (model::is<forms::Part>(item)) return "a part";
    return "this form";
}

std::string_view framing_name(model::Framing framing) {
    switch (framing) {
        case model::Framing::lines: return "lines";
        case model::Framing::json: return "json";
        case model::Framing::http: return "http";
        case model::Framing::stream: return "stream";
        case model::Framing::length_prefixed: break;
    }
    return "length-prefixed";
}

// Lines of code, indented, whose blocks are as the language has them.
class Lines {
public:
    explicit Lines(Language language) : cpp_(language == Language::cpp) {}

    void statement(const std::string& text) { line(cpp_ ? text + ';' : text); }
    void line(const std::string& text) { text_ += std::string(4 * depth_, ' ') + text + '\n'; }
    void begin(const std::string& condition) {
        line(cpp_ ? fmt::format("if ({}) {{", condition) : fmt::format("if {}:", condition));
        ++depth_;
    }
    // A loop.
    void open(const std::string& text) {
        line(text);
        ++depth_;
    }
    void end() {
        --depth_;
        if (cpp_) line("}");
    }
    void indent(std::size_t by) { depth_ += by; }
    const std::string& text() const { return text_; }

private:
    bool cpp_;
    std::size_t depth_ = 0;
    std::string text_;
};

// Both functions of one layout.
class LayoutCode {
public:
    LayoutCode(CodeWriter& writer, Language language, const model::Layout& layout)
        : writer_(writer),
          layout_(layout),
          declared_(writer.specification().message(layout.message)),
          cpp_(language == Language::cpp),
          lines_(language),
          locals_(language) {
        for (const char* taken : {"m_", "r_", "w_"}) locals_.reserve(taken);
        for (std::size_t i = 0; i < layout.fields.size(); ++i)
            fields_[layout.fields[i]] = writer.types().field_name(declared_.fields[i].name);
    }

    // The statements of encode(), which write the message `m` with `w`.
    std::string encoding() {
        lines_.indent(cpp_ ? 2 : 1);
        declare(layout_.items, true);
        mark_always(layout_.items);
        for (const auto& [variable, name] : fields_)
            if (!always_.contains(variable)) lines_.statement(flag("wrote_" + name, false));
        for (std::size_t i = 0; i < declared_.fields.size(); ++i)
            if (std::string range =
                    writer_.in_range(declared_.fields[i].type, "m." + fields_.at(layout_.fields[i]));
                !range.empty())
                lines_.statement(
                    fmt::format("w.check({}, {})", range,
                                writer_.quoted(fmt::format("{} must be {}", fields_.at(layout_.fields[i]),
                                                           writer_.range_text(declared_.fields[i].type)))));
        write(layout_.items);
        for (const auto& [variable, name] : fields_)
            if (!always_.contains(variable))
                lines_.statement(fmt::format(
                    "w.check(wrote_{} {} {}, {})", name, cpp_ ? "||" : "or", empty(variable, "m." + name),
                    writer_.quoted(
                        fmt::format("{} is not written here, so it must be zero or empty", name))));
        return lines_.text();
    }

    // The statements that read the message with `r`.
    std::string decoding() {
        lines_.indent(cpp_ ? 2 : 1);
        decoding_ = true;
        declare(layout_.items, true);
        if (!cpp_)
            for (const auto& [variable, name] : fields_)
                lines_.statement(kind(variable) == TypeKind::list
                                     ? fmt::format("{}: {} = ()", local(variable),
                                                   writer_.type(type(variable), layout_.span))
                                     : fmt::format("{} = {}", local(variable), initial(variable)));
        read(layout_.items);
        for (const auto& [item, text] : deferred_) {
            if (conditional_.contains(item))
                lines_.begin(fmt::format("seen_{}", local(model::variable_of(*item))));
            lines_.statement(text);
            if (conditional_.contains(item)) lines_.end();
        }
        lines_.statement("r.done()");
        Lines flags(cpp_ ? Language::cpp : Language::python);
        flags.indent(cpp_ ? 2 : 1);
        for (const Item* item : conditional_)
            flags.statement(flag("seen_" + local(model::variable_of(*item)), false));
        return flags.text() + lines_.text();
    }

    // The values of the message in the order of its fields, once it is read.
    std::string values() {
        std::string text;
        for (std::size_t i = 0; i < layout_.fields.size(); ++i)
            text += (i == 0 ? "" : ", ") + local(layout_.fields[i]);
        return text;
    }

private:
    expr::TypeId type(expr::VarId v) const { return writer_.pool().variable(v).type; }
    TypeKind kind(expr::VarId v) const { return writer_.types().types().kind(type(v)); }
    bool is_text(expr::VarId v) const { return kind(v) == TypeKind::string || kind(v) == TypeKind::bytes; }

    std::string local(expr::VarId v) {
        return locals_.name({Declared::variable, v.index},
                            identifier(writer_.pool().names().text(writer_.pool().variable(v).name)) + "_");
    }
    // Where the value is: a field of the message, or of the bytes alone.
    std::string place(expr::VarId v) {
        auto field = fields_.find(v);
        if (field == fields_.end() || (decoding_ && !cpp_)) return local(v);
        return "m." + field->second;
    }
    std::string initial(expr::VarId v) {
        switch (kind(v)) {
            case TypeKind::string: return cpp_ ? "" : "\"\"";
            case TypeKind::bytes: return cpp_ ? "" : "b\"\"";
            case TypeKind::boolean: return cpp_ ? "false" : "False";
            case TypeKind::enumeration: return fmt::format("{}(0)", writer_.type(type(v), layout_.span));
            default: return "0";
        }
    }
    std::string empty(expr::VarId v, const std::string& value) {
        if (kind(v) == TypeKind::string || kind(v) == TypeKind::bytes)
            return cpp_ ? fmt::format("treaty::raw({}).empty()", value) : fmt::format("not {}", value);
        if (kind(v) == TypeKind::list)
            return cpp_ ? fmt::format("{}.empty()", value) : fmt::format("not {}", value);
        return cpp_ ? fmt::format("treaty::number({}) == 0", value) : fmt::format("{} == 0", value);
    }
    std::string flag(const std::string& name, bool value) const {
        if (cpp_) return fmt::format("bool {} = {}", name, value);
        return fmt::format("{} = {}", name, value ? "True" : "False");
    }
    std::string set(const std::string& name) const {
        return fmt::format("{} = {}", name, cpp_ ? "true" : "True");
    }

    std::string expression(expr::ExprId e, expr::TypeId wanted) {
        return writer_.expression(
            e, wanted, [this](expr::VarId v) { return place(v); }, layout_.span);
    }
    std::string number(expr::ExprId e) {
        return without_parentheses(expression(e, writer_.types().types().integer()));
    }
    std::string condition(expr::ExprId e) {
        return without_parentheses(expression(e, writer_.types().types().boolean()));
    }
    // A value of this variable's type as a number.
    std::string as_number(expr::VarId v, const std::string& value) const {
        if (kind(v) == TypeKind::integer) return value;
        return cpp_ ? fmt::format("treaty::number({})", value) : fmt::format("int({})", value);
    }
    std::string text_of(std::string_view bytes) const {
        if (!cpp_) return bytes_literal(bytes, Language::python);
        std::string literal = bytes_literal(bytes, Language::cpp);  // treaty::Bytes{std::string("...", n)}
        constexpr std::string_view before = "treaty::Bytes{std::string(";
        return fmt::format("std::string_view({}",
                           literal.substr(before.size(), literal.size() - before.size() - 1));
    }
    std::string raw(const std::string& value) const {
        return fmt::format(fmt::runtime(cpp_ ? "treaty::raw({})" : "tc.raw({})"), value);
    }
    std::string name_of(const forms::Named& named) {
        if (!named.name) return writer_.quoted("a number");
        return writer_.quoted(writer_.pool().names().text(named.name));
    }
    std::string yes(bool value) const {
        return cpp_ ? (value ? "true" : "false") : (value ? "True" : "False");
    }

    // Variables that only the bytes have.
    void declare(std::span<const Item> items, bool top) {
        for (const Item& item : items) {
            expr::VarId v = model::variable_of(item);
            if (model::list_of(item)) continue;  // of one round
            if (v && !fields_.contains(v) && declared_here_.insert(v).second) {
                std::string value = initial(v);
                if (cpp_)
                    lines_.statement(fmt::format("[[maybe_unused]] {} {}{}",
                                                 writer_.type(type(v), layout_.span), local(v),
                                                 value.empty() ? "" : " = " + value));
                else
                    lines_.statement(fmt::format("{} = {}", local(v), value));
            }
            declare(model::inner_of(item), false);
        }
        if (top) declared_here_.clear();
    }

    void mark_always(std::span<const Item> items) {
        for (const Item& item : items) {
            if (model::is<forms::Conditional>(item)) continue;
            if (expr::VarId v = model::variable_of(item)) always_.insert(v);
            if (expr::VarId list = model::list_of(item)) always_.insert(list);
            mark_always(model::inner_of(item));
        }
    }

    // ---- Encoding ----

    void write(std::span<const Item> items) {
        for (const Item& item : items) {
            item_ = &item;
            expr::VarId v = model::variable_of(item);
            if (model::is<forms::Repeat>(item))
                for (const Item& inner : model::inner_of(item))
                    if (expr::VarId list = model::list_of(inner); list && !always_.contains(list))
                        lines_.statement(set("wrote_" + fields_.at(list)));
            if (v && fields_.contains(v) && !always_.contains(v))
                lines_.statement(set("wrote_" + fields_.at(v)));
            std::visit([&](const auto& form) { write_form(form); }, item.form);
        }
    }

    // A computed value is assigned, or compared with that of the message.
    void compute(const forms::Field& field) {
        if (!field.value || !field.variable) return;
        std::string value = expression(field.value, type(field.variable));
        if (fields_.contains(field.variable) || field.collects)
            lines_.statement(fmt::format("w.check({} == {}, {})", place(field.variable), value,
                                         writer_.quoted(fmt::format("{} is not what the layout computes",
                                                                    writer_.field_name(field.variable)))));
        else
            lines_.statement(fmt::format("{} = {}", place(field.variable), value));
    }
    // What is written of a number.
    std::string given(const forms::Field& field) {
        compute(field);
        if (field.variable) return as_number(field.variable, place(field.variable));
        return field.value ? number(field.value) : "0";
    }

    void write_form(const forms::Literal& form) {
        lines_.statement(fmt::format("w.literal({})", text_of(form.text)));
    }
    void write_form(const forms::Bits& form) {
        std::string value = given(form);
        lines_.statement(fmt::format("w.bits({}, {}, {}{})", value, form.width, name_of(form),
                                     form.little_endian && form.width % 8 == 0 ? ", " + yes(true) : ""));
    }
    void write_form(const forms::Varint& form) {
        std::string value = given(form);
        lines_.statement(fmt::format("w.varint({}, {}, {})", value, form.most_bytes, name_of(form)));
    }
    void write_form(const forms::Decimal& form) {
        std::string value = given(form);
        lines_.statement(fmt::format("w.decimal({}, {})", value, text_of(form.end)));
    }
    void write_form(const forms::Line& form) {
        compute(form);
        std::string value = form.variable ? raw(place(form.variable)) : text_of("");
        lines_.statement(fmt::format("w.line({}, {}, {})", value, text_of(form.end), name_of(form)));
    }
    void write_form(const forms::ByteString& form) {
        compute(form);
        bool own = form.variable && (fields_.contains(form.variable) || form.collects || form.value);
        std::string value = form.variable ? raw(place(form.variable)) : text_of("");
        if (!own && form.size && !form.key) {
            lines_.statement(fmt::format("w.zeros({})", number(form.size)));
            if (form.variable)
                lines_.statement(cpp_ ? fmt::format("{}.assign(static_cast<std::size_t>({}), '\\0')", value,
                                                    number(form.size))
                                      : fmt::format("{} = {}", place(form.variable), zeros(form)));
            return;
        }
        if (form.size && form.key)
            lines_.statement(fmt::format("w.sized({}, {}, {})", value, number(form.size), name_of(form)));
        if (form.key)
            lines_.statement(fmt::format("w.masked({}, {})", value,
                                         raw(expression(form.key, writer_.pool()[form.key].type))));
        else if (form.size)
            lines_.statement(fmt::format("w.bytes({}, {}, {})", value, number(form.size), name_of(form)));
        else
            lines_.statement(fmt::format("w.rest({})", value));
    }
    std::string zeros(const forms::ByteString& form) {
        std::string bytes = fmt::format("bytes({})", number(form.size));
        return kind(form.variable) == TypeKind::string ? fmt::format("rt.to_text({})", bytes) : bytes;
    }
    void write_form(const forms::Check& form) {
        Place place = place_of(writer_.sources(), item_->span);
        lines_.statement(
            fmt::format("w.check({}, {})", condition(form.condition),
                        writer_.quoted(fmt::format("{}: {} does not hold", place.reference(), place.text))));
    }
    void write_form(const forms::Conditional& form) {
        lines_.begin(condition(form.condition));
        if (!cpp_ && form.inner.empty()) lines_.line("pass");
        write(form.inner);
        lines_.end();
    }
    // Each list has an element for each round.
    void write_form(const forms::Repeat& form) {
        std::string n = std::to_string(++blocks_), times = "times_" + n, k = "k_" + n;
        std::vector<const Item*> elements;
        for (const Item& item : form.inner)
            if (model::list_of(item)) elements.push_back(&item);
        std::string first = place(model::list_of(*elements[0]));
        std::string size = fmt::format(fmt::runtime(cpp_ ? "treaty::size({})" : "len({})"), first);
        lines_.statement(fmt::format("{}{} = {}", cpp_ ? "const std::int64_t " : "", times,
                                     form.count ? fmt::format("w.count({})", number(form.count)) : size));
        for (const Item* item : elements) {
            if (!form.count && item == elements[0]) continue;  // it gave the number
            std::string list = place(model::list_of(*item));
            lines_.statement(fmt::format(
                fmt::runtime(cpp_ ? "w.check(treaty::size({}) == {}, {})" : "w.check(len({}) == {}, {})"),
                list, times, writer_.quoted(list.substr(2) + " does not have an element for each round")));
        }
        if (cpp_)
            lines_.open(fmt::format(
                "for (std::size_t {0} = 0; {0} < static_cast<std::size_t>({1}); ++{0}) {{", k, times));
        else
            lines_.open(fmt::format("for {} in range({}):", k, times));
        for (const Item* item : elements)
            lines_.statement(fmt::format("{}{} = {}[{}]", cpp_ ? "const auto& " : "",
                                         local(model::variable_of(*item)), place(model::list_of(*item)), k));
        write(form.inner);
        lines_.end();
    }
    void write_form(const forms::Block& form) {
        std::string name = fmt::format("block_{}", ++blocks_);
        lines_.statement(
            fmt::format("{}{} = w.open({})", cpp_ ? "const std::size_t " : "", name, form.width));
        write(form.inner);
        lines_.statement(fmt::format("w.close({}, {}, {})", name, form.width, yes(form.little_endian)));
    }
    template <typename Form>
    void write_form(const Form&) {}  // was reported

    // ---- Decoding ----

    void read(std::span<const Item> items) {
        for (const Item& item : items) {
            item_ = &item;
            std::visit([&](const auto& form) { read_form(form); }, item.form);
            if (expr::VarId v = model::variable_of(item)) read_.insert(v);
        }
    }

    std::string low_high(expr::VarId v) const {
        const expr::Type& t = writer_.types().types()[type(v)];
        if (t.kind == TypeKind::boolean) return "0, 1";
        if (t.kind == TypeKind::enumeration) return fmt::format("0, {}", t.members.size() - 1);
        if (!t.low && !t.high) return "";
        Language language = cpp_ ? Language::cpp : Language::python;
        return fmt::format("{}, {}", integer_literal(t.low.value_or(INT64_MIN), language),
                           integer_literal(t.high.value_or(INT64_MAX), language));
    }

    // A number was read by this expression.
    void take(const forms::Field& field, const std::string& read) {
        std::string value = read;
        if (field.variable) {
            if (std::string range = low_high(field.variable); !range.empty())
                value = fmt::format("r.ranged({}, {})", read, range);
            if (kind(field.variable) == TypeKind::boolean) value += " != 0";
            if (kind(field.variable) == TypeKind::enumeration)
                value = fmt::format(fmt::runtime(cpp_ ? "static_cast<{}>({})" : "{}({})"),
                                    writer_.type(type(field.variable), layout_.span), value);
            lines_.statement(fmt::format("{} = {}", place(field.variable), value));
        } else if (field.value) {
            compare(field, read, number(field.value));
            return;
        } else {
            lines_.statement(value);
        }
        if (field.value && field.variable)
            compare(field, place(field.variable), expression(field.value, type(field.variable)));
    }

    // At once if all that the value is computed from was read, otherwise when all is.
    void compare(const forms::Field& field, const std::string& read, const std::string& wanted) {
        std::string text = fmt::format("r.check({} == {})", read, wanted);
        auto uses = writer_.pool().variables_of(field.value);
        bool known = std::all_of(uses.begin(), uses.end(), [&](expr::VarId v) { return read_.contains(v); });
        if (known || !field.variable) return lines_.statement(text);
        deferred_.emplace_back(item_, text);
        if (depth_ == 0) return;
        conditional_.insert(item_);
        lines_.statement(set("seen_" + local(field.variable)));
    }

    void take_text(const forms::Field& field, const std::string& read, const std::string& key = "") {
        if (!field.variable) return lines_.statement(read);
        std::string to = place(field.variable);
        if (cpp_) {
            lines_.statement(fmt::format("treaty::raw({}) = {}", to, read));
            if (!key.empty()) lines_.statement(fmt::format("treaty::mask(treaty::raw({}), {})", to, key));
        } else {
            std::string value = key.empty() ? read : fmt::format("tc.masked({}, {})", read, key);
            lines_.statement(fmt::format(
                "{} = {}", to,
                kind(field.variable) == TypeKind::string ? fmt::format("rt.to_text({})", value) : value));
        }
        if (field.value) compare(field, to, expression(field.value, type(field.variable)));
    }

    void read_form(const forms::Literal& form) {
        lines_.statement(fmt::format("r.literal({})", text_of(form.text)));
    }
    void read_form(const forms::Bits& form) {
        take(form, fmt::format("r.bits({}{})", form.width,
                               form.little_endian && form.width % 8 == 0 ? ", " + yes(true) : ""));
    }
    void read_form(const forms::Varint& form) { take(form, fmt::format("r.varint({})", form.most_bytes)); }
    void read_form(const forms::Decimal& form) {
        take(form, fmt::format("r.decimal({})", text_of(form.end)));
    }
    void read_form(const forms::Line& form) { take_text(form, fmt::format("r.line({})", text_of(form.end))); }
    void read_form(const forms::ByteString& form) {
        std::string key = form.key ? raw(expression(form.key, writer_.pool()[form.key].type)) : "";
        take_text(form, form.size ? fmt::format("r.bytes({})", number(form.size)) : "r.rest()", key);
    }
    void read_form(const forms::Check& form) {
        lines_.statement(fmt::format("r.check({})", condition(form.condition)));
    }
    void read_form(const forms::Conditional& form) {
        lines_.begin(condition(form.condition));
        ++depth_;
        if (!cpp_ && form.inner.empty()) lines_.line("pass");
        read(form.inner);
        --depth_;
        lines_.end();
    }
    void read_form(const forms::Repeat& form) {
        std::string n = std::to_string(++blocks_);
        std::vector<const Item*> elements;
        for (const Item& item : form.inner)
            if (model::list_of(item)) elements.push_back(&item);
        std::string items;
        if (cpp_) {
            lines_.statement(form.count
                                 ? fmt::format("std::int64_t left_{} = r.count({})", n, number(form.count))
                                 : fmt::format("std::size_t last_{} = treaty::Reader::none", n));
            lines_.open(fmt::format(
                fmt::runtime(form.count ? "while (r.again(left_{})) {{" : "while (r.inside(last_{})) {{"),
                n));
            for (const Item* item : elements)
                lines_.statement(fmt::format("{} {}{{}}",
                                             writer_.type(type(model::variable_of(*item)), layout_.span),
                                             local(model::variable_of(*item))));
        } else {
            for (const Item* item : elements)
                lines_.statement(fmt::format("all_{}: list[{}] = []", local(model::variable_of(*item)),
                                             writer_.type(type(model::variable_of(*item)), layout_.span)));
            lines_.open(form.count ? fmt::format("for _ in r.rounds({}):", number(form.count))
                                   : "for _ in r.rounds():");
        }
        std::size_t deferred = deferred_.size();
        read(form.inner);
        for (std::size_t k = deferred; k < deferred_.size(); ++k) lines_.statement(deferred_[k].second);
        deferred_.resize(deferred);
        for (const Item* item : elements) {
            std::string element = local(model::variable_of(*item));
            lines_.statement(
                cpp_ ? fmt::format("{}.push_back(std::move({}))", place(model::list_of(*item)), element)
                     : fmt::format("all_{0}.append({0})", element));
        }
        lines_.end();
        if (cpp_) return;
        for (const Item* item : elements)
            lines_.statement(fmt::format("{} = tuple(all_{})", place(model::list_of(*item)),
                                         local(model::variable_of(*item))));
    }
    void read_form(const forms::Block& form) {
        std::string name = fmt::format("outer_{}", ++blocks_);
        lines_.statement(fmt::format("{}{} = r.open({}, {})", cpp_ ? "const std::size_t " : "", name,
                                     form.width, yes(form.little_endian)));
        read(form.inner);
        lines_.statement(fmt::format("r.close({})", name));
    }
    template <typename Form>
    void read_form(const Form&) {}  // was reported

    CodeWriter& writer_;
    const model::Layout& layout_;
    const model::Message& declared_;
    bool cpp_;
    bool decoding_ = false;
    Lines lines_;
    Scope locals_;
    std::map<expr::VarId, std::string> fields_;  // of the message, by the variable of the layout
    std::set<expr::VarId> always_;               // written in every message
    std::set<expr::VarId> read_, declared_here_;
    std::vector<std::pair<const Item*, std::string>> deferred_;
    std::set<const Item*> conditional_;  // deferred ones that may not have been read
    const Item* item_ = nullptr;
    std::size_t depth_ = 0;  // of conditions
    std::size_t blocks_ = 0;
};

class Codec {
public:
    Codec(const RoleSource& source, const model::Wire& wire, Language language,
          base::Diagnostics& diagnostics)
        : writer_(source, language, diagnostics, language == Language::cpp ? "messages::" : "messages."),
          wire_(wire),
          language_(language),
          diagnostics_(diagnostics) {}

    std::optional<GeneratedFile> run() {
        bool binary =
            wire_.framing == model::Framing::stream || wire_.framing == model::Framing::length_prefixed;
        if (!binary) report(wire_.span, fmt::format("a wire over {}", framing_name(wire_.framing)));
        if (language_ == Language::typescript) report(wire_.span, "a wire");
        std::vector<const model::Layout*> layouts;
        for (const model::Layout& layout : wire_.layouts) {
            const auto& known = writer_.messages();
            if (std::find(known.begin(), known.end(), layout.message) == known.end()) continue;
            layouts.push_back(&layout);
            if (binary) check(layout.items);
        }
        if (layouts.empty() && !failed_) report(wire_.span, "a wire without messages of the protocol");
        if (failed_) return std::nullopt;
        std::string encoders, decoders, table;
        for (const model::Layout* layout : layouts) add(*layout, encoders, decoders, table);
        if (!writer_.ok()) return std::nullopt;
        return language_ == Language::cpp ? cpp_file(encoders, decoders, table)
                                          : python_file(encoders, decoders, table);
    }

private:
    void report(base::Span at, std::string_view what) {
        diagnostics_.report(codes::no_codec, at,
                            fmt::format("{} has no code in {}", what, to_string(language_)));
        failed_ = true;
    }

    void check(std::span<const Item> items) {
        for (const Item& item : items) {
            base::Span at = item.span.valid() ? item.span : wire_.span;
            if (std::string_view what = unsupported(item); !what.empty())
                report(at, what);
            else
                check(model::inner_of(item));
            if (const auto* field = model::as<forms::Field>(item)) check(field->value, at);
            if (const auto* bytes = model::as<forms::ByteString>(item)) {
                check(bytes->size, at);
                check(bytes->key, at);
            }
            if (const auto* own = model::as<forms::Check>(item)) check(own->condition, at);
            if (const auto* own = model::as<forms::Repeat>(item)) check(own->count, at);
            if (const auto* own = model::as<forms::Conditional>(item)) check(own->condition, at);
        }
    }

    // Functions are beside the messages: those that the protocol and its messages need.
    void check(expr::ExprId e, base::Span at) {
        if (!e) return;
        auto known = writer_.functions();
        for (expr::ExprId part : writer_.pool().parts_of(e)) {
            if (!expr::has_function(writer_.pool()[part].op)) continue;
            expr::FunctionId f(writer_.pool()[part].payload);
            const expr::Function& function = writer_.pool().function(f);
            if (function.name && std::find(known.begin(), known.end(), f) == known.end())
                report(at, fmt::format("the function {}, which only the wire uses,",
                                       writer_.pool().names().text(function.name)));
        }
    }

    std::size_t prefix() const {
        return wire_.framing == model::Framing::length_prefixed ? wire_.prefix_bytes : 0;
    }
    std::string_view wire_name() const { return writer_.pool().names().text(wire_.name); }

    void add(const model::Layout& layout, std::string& encoders, std::string& decoders, std::string& table) {
        const std::string& name = writer_.name(layout.message);
        const model::Message& declared = writer_.specification().message(layout.message);
        LayoutCode encoder(writer_, language_, layout), decoder(writer_, language_, layout);
        std::string encoding = encoder.encoding(), decoding = decoder.decoding();
        std::string where = declared.where ? writer_.condition({{declared.where, ""}},
                                                               {layout.message, "m.", ""}, declared.span)
                                           : "";
        Place place = place_of(writer_.sources(), layout.span);
        std::string comment = fmt::format("{}: {}", place.reference(), place.text);
        if (language_ == Language::cpp) {
            encoders += fmt::format(
                "// {1}\ninline void encode(const messages::{0}&{3}, std::string& out) {{\n    "
                "treaty::Writer w(out, {4});\n"
                "    try {{\n{2}        w.done();\n    }} catch (const treaty::NoValue&) {{\n"
                "        throw treaty::CodecError(\"{5}: a value of the layout cannot be computed\");\n    "
                "}}\n}}\n\n",
                name, comment, encoding, declared.fields.empty() ? "" : " m", prefix(), place.reference());
            decoders += fmt::format(
                "// {1}\ninline bool read_{0}(treaty::Reader& r, Message& out) {{\n    {6}auto& m = "
                "out.emplace<messages::{0}>();\n"
                "    try {{\n{2}    }} catch (const treaty::NoValue&) {{\n        r.fault();\n    }}\n"
                "    return {4};\n}}\n\n",
                name, comment, decoding, "",
                where.empty() ? "true" : fmt::format("treaty::holds([&] {{ return {}; }})", where), 0,
                declared.fields.empty() ? "[[maybe_unused]] " : "");
            table += fmt::format("    read_{},\n", name);
            carried_ += ", messages::" + name;
            return;
        }
        encoders += fmt::format("\n\ndef _write_{0}(m: messages.{0}, w: tc.Writer) -> None:\n    # {1}\n{2}",
                                name, comment, encoding.empty() ? "    pass\n" : encoding);
        decoders += fmt::format(
            "\n\ndef _read_{0}(r: tc.Reader) -> tuple[rt.Message, bool]:\n    # {1}\n{2}    m = "
            "messages.{0}({3})\n    return m, {4}\n",
            name, comment, decoding, decoder.values(),
            where.empty() ? "True" : fmt::format("rt.holds(lambda: {})", where));
        table += fmt::format("_read_{}, ", name);
        writers_ += fmt::format("        case messages.{0}():\n            _write_{0}(m, w)\n", name);
    }

    std::optional<GeneratedFile> cpp_file(const std::string& encoders, const std::string& decoders,
                                          const std::string& table) {
        const std::string& name = writer_.protocol_name();
        std::string text = fmt::format(
            "// Messages of the protocol {0} as bytes: the wire {1}. Written by treaty generate from {2}; do "
            "not edit.\n"
            "#pragma once\n\n#include \"treaty_codec.hpp\"\n#include \"{3}_messages.hpp\"\n\nnamespace "
            "{3}::codec {{\n\n"
            "// encode() appends the bytes of a message. It throws treaty::CodecError if they could not be "
            "read back, and leaves\n"
            "// `out` as it was.\n\n",
            writer_.protocol().name(), wire_name(), writer_.source_file(), name);
        text += cpp_patterns(writer_.patterns()) + encoders;
        text += fmt::format(
            "template <class M>\ninline constexpr bool carried = treaty::is_one_of<M{2}>;\n\n"
            "inline void encode(const Message& message, std::string& out) {{\n    std::visit(\n        "
            "[&](const auto& m) {{\n"
            "            if constexpr (carried<std::decay_t<decltype(m)>>) encode(m, out);\n"
            "            else throw treaty::CodecError(\"the wire {1} has no layout for this message\");\n"
            "        }},\n        message);\n}}\n\n"
            "{0}// The message at the front of the bytes. ended: no more bytes will come.\n"
            "inline treaty::Decoded<Message> decode(std::string_view bytes, bool ended = false) {{\n"
            "    static constexpr treaty::Layout<Message> layouts[] = {{\n",
            decoders, wire_name(), carried_);
        std::string rows;
        for (std::size_t at = 0; at < table.size();) {
            std::size_t end = table.find('\n', at);
            rows += "    " + table.substr(at, end + 1 - at);
            at = end + 1;
        }
        text += rows + fmt::format(
                           "    }};\n    return treaty::decode<Message>(bytes, ended, {}, "
                           "layouts);\n}}\n\n}}  // namespace "
                           "{}::codec\n",
                           prefix(), name);
        return GeneratedFile{name + "_codec.hpp", std::move(text)};
    }

    std::optional<GeneratedFile> python_file(const std::string& encoders, const std::string& decoders,
                                             const std::string& table) {
        const std::string& name = writer_.protocol_name();
        std::string text = fmt::format(
            "\"\"\"Messages of the protocol {0} as bytes: the wire {1}. Written by treaty generate from {2}; "
            "do not edit.\"\"\"\n"
            "from __future__ import annotations\n\nimport {3}_messages as messages\n"
            "import treaty_codec as tc\nimport treaty_runtime as rt\n",
            writer_.protocol().name(), wire_name(), writer_.source_file(), name);
        text += python_patterns(writer_.patterns()) + encoders + decoders;
        text += fmt::format(
            "\n\ndef encode(m: rt.Message) -> bytes:\n"
            "    \"\"\"The bytes of a message; tc.CodecError if they could not be read back.\"\"\"\n"
            "    w = tc.Writer({0})\n    try:\n        _write(m, w)\n    except rt.NoValue:\n"
            "        raise tc.CodecError(\"a value of the layout cannot be computed\") from None\n    return "
            "w.done()\n"
            "\n\ndef _write(m: rt.Message, w: tc.Writer) -> None:\n    match m:\n{1}        case _:\n"
            "            raise tc.CodecError(\"the wire {2} has no layout for this message\")\n"
            "\n\nLAYOUTS = ({3})\n"
            "\n\ndef decode(data: bytes, ended: bool = False) -> tc.Decoded | None:\n"
            "    \"\"\"The message at the front of the bytes; None if more are needed, tc.Malformed if it is "
            "no message.\n\n"
            "    ended: no more bytes will come.\n    \"\"\"\n    return tc.decode(data, ended, {0}, "
            "LAYOUTS)\n",
            prefix(), writers_, wire_name(), table.substr(0, table.size() - 1));
        return GeneratedFile{name + "_codec.py", std::move(text)};
    }

    CodeWriter writer_;
    const model::Wire& wire_;
    Language language_;
    base::Diagnostics& diagnostics_;
    std::string writers_;  // Python: cases of _write()
    std::string carried_;  // C++: the messages
    bool failed_ = false;
};

}  // namespace

std::optional<GeneratedFile> codec(const RoleSource& source, const model::Wire& wire, Language language,
                                   base::Diagnostics& diagnostics) {
    return Codec(source, wire, language, diagnostics).run();
}

}  // namespace treaty::generate
