// Wires: each layout names a message and defines where its fields are in the bytes.
#include "lang/resolve_wire.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/lexer.h"
#include "lang/resolve_document.h"
#include "lang/resolve_protobuf.h"
#include "lang/type_expr.h"
#include "wire/line_escapes.h"
#include "wire/stream_pattern.h"

namespace treaty::lang {
namespace {

namespace forms = model::forms;
using expr::ExprId;
using expr::TypeId;
using expr::TypeKind;

class LayoutResolver {
public:
    LayoutResolver(Context& context, const model::Wire& wire)
        : c_(context), pool_(*context.spec.pool), types_(*context.spec.types), wire_(wire) {}

    bool run(const LayoutSyntax& l, model::Layout& out) {
        out.span = l.span;
        model::MessageId id = c_.spec.alphabet->find_message(c_.text(l.message.id));
        c_.missing_variables.clear();
        bool silent = c_.broken.contains(l.message.id) || c_.lost.contains(l.message.id);
        if (!id && !silent && c_.missing_messages.insert(l.message.id).second) unknown_message(l.message);
        if (!id || (c_.broken.contains(l.message.id) && !c_.spec.message(id).declared)) return false;
        out.message = id;
        message_ = &c_.spec.messages[id.index];
        message_name_ = c_.text(l.message.id);
        if (!check_fields(l)) return false;
        for (const expr::Field& f : message_->fields) {
            out.fields.push_back(pool_.declare(f.name, f.type));
            all_.bind(f.name, out.fields.back(), l.message.span);
        }
        layout_fields_ = out.fields;
        if (is_document(c_.syntax, l)) return resolve_document(c_, wire_.framing, l, out);
        bool wants_text = wire_.framing == model::Framing::lines;
        bool wants_bits =
            wire_.framing == model::Framing::stream || wire_.framing == model::Framing::length_prefixed;
        if ((wants_text && l.binary) || (wants_bits && !l.binary) || (!wants_text && !wants_bits)) {
            c_.report(codes::wrong_framing, l.span,
                      wants_text   ? "a wire over lines describes text, not bits"
                      : wants_bits ? "this wire describes bits and bytes, in braces"
                      : wire_.framing == model::Framing::json
                          ? "a wire over json has layouts of the form json { ... }, or none"
                          : "a wire over http has requests and responses as layouts, or none");
            return false;
        }
        std::uint32_t bits = 0;
        binary_ = l.binary;
        bounded_ = wire_.framing == model::Framing::length_prefixed;
        collect_names(l.items);
        out.items = items(l.items, bits);
        if (l.binary && bits % 8 != 0) unaligned(l.span, bits);
        std::string missing;
        for (const expr::Field& f : message_->fields)
            if (!carried_.contains(f.name))
                missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", c_.text(f.name));
        if (!missing.empty())
            c_.report(codes::layout_incomplete, l.message.span,
                      fmt::format("this layout does not carry {}", missing));
        return true;
    }

private:
    void unknown_message(const Name& name) {
        std::vector<std::string_view> candidates;
        for (std::size_t i = 0; i < c_.spec.alphabet->message_count(); ++i)
            candidates.push_back(c_.spec.alphabet->name(model::MessageId(i)));
        c_.report(codes::unknown_message, name.span, fmt::format("unknown message `{}`", c_.text(name.id)))
            .help(did_you_mean(c_.text(name.id), candidates));
    }

    // The names in parentheses are the message's fields, in order.
    bool check_fields(const LayoutSyntax& l) {
        auto names = Syntax::part(c_.syntax.names, l.fields);
        if (!l.has_fields) return true;
        if (names.size() != message_->fields.size()) {
            c_.report(codes::wrong_argument_count, l.message.span,
                      fmt::format("`{}` has {} field{}, but {} {} named", message_name_,
                                  message_->fields.size(), message_->fields.size() == 1 ? "" : "s",
                                  names.size(), names.size() == 1 ? "is" : "are"))
                .label(message_->span, "declared here");
            return false;
        }
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i].id != message_->fields[i].name) {
                c_.report(codes::unknown_field, names[i].span,
                          fmt::format("field {} of `{}` is called `{}`", i + 1, message_name_,
                                      c_.text(message_->fields[i].name)));
                return false;
            }
        return true;
    }

    void unaligned(Span span, std::uint32_t bits) {
        c_.report(codes::unaligned, span, fmt::format("{} bits are not a whole number of bytes", bits))
            .help("add the missing bits, for example 0: 3 for three bits that are always zero");
    }

    // `bits` counts the bits since the last byte boundary.
    std::vector<model::Item> items(Range range, std::uint32_t& bits) {
        std::vector<model::Item> result;
        for (std::uint32_t i : Syntax::part(c_.syntax.wire_lists, range))
            result.push_back(item(c_.syntax.wire_items[i], bits));
        return result;
    }

    model::Item item(const WireItemSyntax& s, std::uint32_t& bits) {
        model::Item out;
        out.span = s.span;
        switch (s.kind) {
            case WireItemKind::literal:
                aligned(s, bits);
                out.form = forms::Literal{string_value(c_.text(s.text))};
                break;
            case WireItemKind::pattern:
                if (binary_) aligned(s, bits);
                out.form = forms::Pattern{{pattern_of(s)}};
                break;
            case WireItemKind::field: out.form = binary_ ? text_among_bytes(s, bits) : text_item(s); break;
            case WireItemKind::bits: out.form = bit_field(s, bits); break;
            case WireItemKind::byte_string: out.form = byte_field(s, bits); break;
            case WireItemKind::decimal: out.form = decimal_field(s, bits); break;
            case WireItemKind::line: out.form = line_field(s, bits); break;
            case WireItemKind::varint: out.form = varint_field(s, bits); break;
            case WireItemKind::check:
                out.form = forms::Check{decoded(s.condition, types_.boolean(), "a check")};
                break;
            case WireItemKind::conditional: out.form = conditional(s, bits); break;
            case WireItemKind::repeat: out.form = repeated(s, bits); break;
            case WireItemKind::part: out.form = part(s, bits); break;
            case WireItemKind::block: out.form = block(s, bits); break;
            case WireItemKind::protobuf: out.form = protobuf(s, bits); break;
            default: break;  // those of documents are read by resolve_document
        }
        return out;
    }

    forms::Text text_item(const WireItemSyntax& s) {
        forms::Text out;
        out.name = s.name.id;
        out.regex.pattern = regex_pattern(c_, s.text);
        out.variable = text_field(s.name);
        return out;
    }

    // Among bytes a pattern must be one that can be read byte by byte.
    std::string pattern_of(const WireItemSyntax& s) {
        std::string pattern = regex_pattern(c_, s.text);
        if (!binary_ || pattern.empty()) return pattern;
        if (std::string fault = wire::stream_pattern_fault(pattern); !fault.empty())
            c_.report(codes::bad_regex, s.text, fault);
        return pattern;
    }

    // A text or a number in a binary layout, as long as its pattern goes.
    forms::Text text_among_bytes(const WireItemSyntax& s, std::uint32_t& bits) {
        forms::Text out;
        aligned(s, bits);
        out.regex.pattern = pattern_of(s);
        const Scope::Binding* b = all_.find(s.name.id);
        TypeId type = b ? pool_.variable(b->variable).type : types_.string();
        TypeKind kind = types_.kind(type);
        bool number = kind == TypeKind::integer;
        read(s.name, number ? types_.integer() : b ? types_.bytes() : types_.string(), out);
        if (s.value)
            out.value = scoped(s.value, all_, number ? types_.integer() : pool_.variable(out.variable).type,
                               "this field");
        no_later_parts(s, out.value);
        return out;
    }

    // The variable of a message field in a text layout.
    expr::VarId text_field(const Name& name) {
        const Scope::Binding* b = all_.find(name.id);
        if (!b) {
            std::vector<std::string_view> candidates;
            for (const expr::Field& f : message_->fields) candidates.push_back(c_.text(f.name));
            c_.report(codes::unknown_field, name.span,
                      fmt::format("`{}` has no field `{}`", message_name_, c_.text(name.id)))
                .help(did_you_mean(c_.text(name.id), candidates));
            return {};
        }
        carry(name);
        TypeId type = pool_.variable(b->variable).type;
        switch (types_.kind(type)) {
            case TypeKind::real:
            case TypeKind::list:
            case TypeKind::set:
            case TypeKind::map:
            case TypeKind::optional:
            case TypeKind::record:
                c_.report(codes::type_mismatch, name.span,
                          fmt::format("`{}` is {}, which cannot be written as text", c_.text(name.id),
                                      types_.print(type, *c_.spec.names)))
                    .help(
                        "a field of a text layout is an int, a bool, a string, bytes or a member of an "
                        "enumeration");
                break;
            default: break;
        }
        return b->variable;
    }

    void carry(const Name& name) {
        if (!carried_.insert(name.id).second)
            c_.report(codes::given_twice, name.span,
                      fmt::format("`{}` occurs twice in this layout", c_.text(name.id)));
    }

    // The constant that a name in the bytes means: then the bytes always have that value. None if it is the
    // name of a field, or of nothing.
    ExprId constant_named(const Name& name) const {
        auto found = c_.constants.find(name.id);
        return found == c_.constants.end() || all_.find(name.id) ? ExprId() : found->second;
    }

    // Makes a name known to what follows: a field of the message, or one that only the bytes have.
    void read(const Name& name, TypeId type, forms::Field& out) {
        out.name = name.id;
        ExprId constant = constant_named(name);
        expr::VarId v;
        if (auto element = elements_.find(name.id); element != elements_.end())
            out.collects = element->second;
        if (const Scope::Binding* b = all_.find(name.id)) {
            v = b->variable;
            TypeId declared = pool_.variable(v).type;
            if (!types_.fits(type, declared) &&
                !(types_.kind(type) == TypeKind::bytes && types_.kind(declared) == TypeKind::string) &&
                !(types_.kind(type) == TypeKind::integer && (types_.kind(declared) == TypeKind::boolean ||
                                                             types_.kind(declared) == TypeKind::enumeration)))
                c_.report(
                    codes::type_mismatch, name.span,
                    fmt::format("`{}` is {}, but here it is {}", c_.text(name.id),
                                types_.print(declared, *c_.spec.names), types_.print(type, *c_.spec.names)));
        } else {
            v = pool_.declare(name.id, type);
            all_.bind(name.id, v, name.span);
        }
        carry(name);
        read_.bind(name.id, v, name.span);
        out.variable = v;
        if (constant) out.value = type_constant_of(c_, constant, name.span, type, "this field");
    }

    // An expression that decoding needs: only what has been read may be used.
    ExprId decoded(SyntaxExprId e, TypeId wanted, std::string_view what) {
        return scoped(e, read_, wanted, what);
    }

    // Tells names that only come later in the layout from names that never come.
    ExprId scoped(SyntaxExprId e, const Scope& scope, TypeId wanted, std::string_view what) {
        base::Diagnostics probe;
        base::Diagnostics* real = c_.diagnostics;
        c_.diagnostics = &probe;
        ExprId result = type_expression(c_, scope, e, wanted, what);
        c_.diagnostics = real;
        for (const base::Diagnostic& d : probe.all()) {
            NameId name = d.code == &codes::unknown_name ? c_.spec.names->find(c_.text(d.span)) : NameId();
            if (name && (all_.find(name) || later_.contains(name)))
                c_.report(codes::used_before_read, d.span,
                          fmt::format("`{}` has not been read yet when this is needed", c_.text(d.span)))
                    .help("decoding goes from left to right: put that field before this one");
            else
                c_.report(*d.code, d.span, d.message) = d;
        }
        return result;
    }

    // The names that the bytes have, in any depth.
    void collect_names(Range range) {
        for (std::uint32_t i : Syntax::part(c_.syntax.wire_lists, range)) {
            const WireItemSyntax& item = c_.syntax.wire_items[i];
            if (item.name.id) later_.insert(item.name.id);
            // The bytes of a part can be computed with before they come.
            if (item.kind == WireItemKind::part && !all_.find(item.name.id)) {
                parts_.push_back(pool_.declare(item.name.id, types_.bytes()));
                all_.bind(item.name.id, parts_.back(), item.name.span);
            }
            collect_names(item.inner);
        }
    }

    forms::Bits bit_field(const WireItemSyntax& s, std::uint32_t& bits) {
        forms::Bits out;
        out.little_endian = s.little_endian;
        ExprId width = scoped(s.size, Scope(), types_.integer(), "a number of bits");
        bool number =
            pool_[width].op == expr::Op::literal && types_.kind(pool_[width].type) == TypeKind::integer;
        std::int64_t w = number ? pool_.literal_of(width).integer() : 0;
        if (w < 1 || w > 64) {
            if (number || types_.kind(pool_[width].type) != TypeKind::unknown)
                c_.report(codes::outside_range, c_.syntax[s.size].span,
                          "a bit field has 1 to 64 bits, as a plain number");
            w = 8;
        }
        out.width = static_cast<std::uint32_t>(w);
        bits += out.width;
        TypeId type = w < 63 ? types_.integer(0, (std::int64_t{1} << w) - 1) : types_.integer();
        if (s.fixed)
            out.value = type_expression(c_, Scope(), s.fixed, type, "this field");
        else if (ExprId constant = s.value ? ExprId() : constant_named(s.name))
            out.value = type_constant_of(c_, constant, s.name.span, type, "this field");
        else
            read(s.name, type, out);
        if (s.value) out.value = scoped(s.value, all_, types_.integer(), "this field");
        return out;
    }

    forms::ByteString byte_field(const WireItemSyntax& s, std::uint32_t& bits) {
        forms::ByteString out;
        aligned(s, bits);
        if (s.size) out.size = decoded(s.size, types_.integer(), "a number of bytes");
        if (s.key) out.key = decoded(s.key, types_.bytes(), "a key");
        if (!s.name.id) {
            c_.report(codes::type_mismatch, c_.syntax[s.fixed].span,
                      "a fixed number has a size in bits, not in bytes")
                .help("give the number of bits, or a name and a value: zeros: bytes 2 = 0x\"0000\"");
            return out;
        }
        read(s.name, types_.bytes(), out);
        if (s.value) out.value = scoped(s.value, all_, pool_.variable(out.variable).type, "this field");
        out.transform = transform(s);
        if (!s.size || s.transform.id || s.key) no_later_parts(s, out.value);
        return out;
    }

    model::Transform transform(const WireItemSyntax& s) {
        if (!s.transform.id) return model::Transform::none;
        std::string_view name = c_.text(s.transform.id);
        if (name == "base64") return model::Transform::base64;
        if (name == "hex") return model::Transform::hex;
        if (name == "reversed") return model::Transform::reversed;
        c_.report(codes::wrong_framing, s.transform.span, fmt::format("unknown encoding `{}`", name))
            .help("known: base64, hex, reversed");
        return model::Transform::none;
    }

    // Only a number of bits leaves room for what is computed later.
    void no_later_parts(const WireItemSyntax& s, ExprId value) {
        if (!value) return;
        for (expr::VarId v : pool_.variables_of(value))
            if (std::find(parts_.begin(), parts_.end(), v) != parts_.end() &&
                !read_.find(pool_.variable(v).name))
                c_.report(codes::used_before_read, c_.syntax[s.value].span,
                          fmt::format("the size of this field depends on `{}`, which comes later",
                                      c_.text(pool_.variable(v).name)))
                    .help("only fields of a fixed number of bits or bytes can be computed from later fields");
    }

    forms::Part part(const WireItemSyntax& s, std::uint32_t& bits) {
        forms::Part out;
        aligned(s, bits);
        out.name = s.name.id;
        const Scope::Binding* b = all_.find(s.name.id);
        if (!b || std::find(parts_.begin(), parts_.end(), b->variable) == parts_.end())
            c_.report(codes::given_twice, s.name.span,
                      fmt::format("`{}` is a field of the message; a part has a name of its own",
                                  c_.text(s.name.id)));
        else
            out.variable = b->variable;
        carry(s.name);
        out.inner = whole_bytes(s);
        if (out.variable) read_.bind(s.name.id, out.variable, s.name.span);
        return out;
    }

    forms::Conditional conditional(const WireItemSyntax& s, std::uint32_t& bits) {
        forms::Conditional out;
        aligned(s, bits);
        out.condition = decoded(s.condition, types_.boolean(), "a condition");
        out.inner = partial_items(s);
        return out;
    }

    forms::Block block(const WireItemSyntax& s, std::uint32_t& bits) {
        forms::Block out;
        aligned(s, bits);
        out.little_endian = s.little_endian;
        if (s.size)
            out.width = static_cast<std::uint32_t>(
                plain_number(s.size, 8, 64, "the length of a block has 8 to 64 bits, in whole bytes"));
        if (out.width % 8 != 0) unaligned(s.span, out.width);
        bool outer = std::exchange(bounded_, true);
        out.inner = whole_bytes(s);
        bounded_ = outer;
        return out;
    }

    forms::Protobuf protobuf(const WireItemSyntax& s, std::uint32_t& bits) {
        aligned(s, bits);
        if (!bounded_)
            c_.report(codes::wrong_framing, s.span, "a protobuf message does not show where it ends")
                .help("put it into a block: block varint { protobuf { 1: string name } }");
        if (partial_)
            c_.report(codes::wrong_framing, s.span,
                      "a protobuf message cannot be inside `if` or `repeat` of a layout");
        auto resolved = resolve_protobuf(c_, s, *message_, message_name_, layout_fields_);
        for (const Name& name : resolved.carried) {
            carry(name);
            read_.bind(name.id, all_.find(name.id)->variable, name.span);
        }
        return std::move(resolved.form);
    }

    // The items inside `if` and `repeat`, which may not be there.
    std::vector<model::Item> partial_items(const WireItemSyntax& s) {
        bool outer = std::exchange(partial_, true);
        std::vector<model::Item> inner = whole_bytes(s);
        partial_ = outer;
        return inner;
    }

    // The items inside this one, which begin and end at whole bytes.
    std::vector<model::Item> whole_bytes(const WireItemSyntax& s) {
        std::uint32_t bits = 0;
        std::vector<model::Item> inner = items(s.inner, bits);
        if (bits % 8 != 0) unaligned(s.span, bits);
        return inner;
    }

    void aligned(const WireItemSyntax& s, std::uint32_t& bits) {
        if (bits % 8 != 0) unaligned(s.span, bits);
        bits = 0;
    }

    // Inside a repetition a list field of the message means its current element.
    forms::Repeat repeated(const WireItemSyntax& s, std::uint32_t& bits) {
        forms::Repeat out;
        aligned(s, bits);
        if (s.size) out.count = decoded(s.size, types_.integer(), "a count");
        if (s.text.valid()) out.until = end_of(s);
        Scope all = all_, read = read_;
        auto elements = elements_;
        std::vector<NameId> lists;
        for (std::uint32_t i : Syntax::part(c_.syntax.wire_lists, s.inner))
            find_lists(c_.syntax.wire_items[i], lists);
        std::vector<std::pair<NameId, expr::VarId>> fields;
        for (NameId name : lists) {
            expr::VarId list = all_.find(name)->variable;
            fields.emplace_back(name, list);
            elements_[name] = list;
            all_.bind(name, pool_.declare(name, types_[pool_.variable(list).type].element), s.span);
        }
        out.inner = partial_items(s);
        if (s.more) out.more = decoded(s.more, types_.integer(), "a count");
        all_ = std::move(all);
        read_ = std::move(read);
        elements_ = std::move(elements);
        for (auto [name, list] : fields) read_.bind(name, list, s.span);
        return out;
    }

    void find_lists(const WireItemSyntax& item, std::vector<NameId>& lists) {
        if (item.kind == WireItemKind::repeat) return;
        const Scope::Binding* b = item.name.id ? all_.find(item.name.id) : nullptr;
        bool list = b && types_.kind(pool_.variable(b->variable).type) == TypeKind::list &&
                    !elements_.contains(item.name.id);
        if (list && std::find(lists.begin(), lists.end(), item.name.id) == lists.end())
            lists.push_back(item.name.id);
        for (std::uint32_t i : Syntax::part(c_.syntax.wire_lists, item.inner))
            find_lists(c_.syntax.wire_items[i], lists);
    }

    std::int64_t plain_number(SyntaxExprId e, std::int64_t low, std::int64_t high, std::string_view what) {
        ExprId number = scoped(e, Scope(), types_.integer(), "a number");
        bool plain =
            pool_[number].op == expr::Op::literal && types_.kind(pool_[number].type) == TypeKind::integer;
        std::int64_t n = plain ? pool_.literal_of(number).integer() : 0;
        if (n >= low && n <= high) return n;
        if (plain || types_.kind(pool_[number].type) != TypeKind::unknown)
            c_.report(codes::outside_range, c_.syntax[e].span, std::string(what));
        return low;
    }

    // What ends digits or text.
    std::string end_of(const WireItemSyntax& s) {
        std::string end = string_value(c_.text(s.text));
        if (end.empty()) c_.report(codes::wrong_framing, s.text, "this needs a text that ends it");
        return end;
    }

    forms::Decimal decimal_field(const WireItemSyntax& s, std::uint32_t& bits) {
        forms::Decimal out;
        aligned(s, bits);
        out.end = end_of(s);
        read(s.name, types_.integer(), out);
        if (s.value) out.value = scoped(s.value, all_, types_.integer(), "this field");
        no_later_parts(s, out.value);
        return out;
    }

    forms::Line line_field(const WireItemSyntax& s, std::uint32_t& bits) {
        forms::Line out;
        aligned(s, bits);
        out.end = end_of(s);
        read(s.name, all_.find(s.name.id) ? types_.bytes() : types_.string(), out);
        if (s.value) out.value = scoped(s.value, all_, pool_.variable(out.variable).type, "this field");
        no_later_parts(s, out.value);
        out.transform = transform(s);
        return out;
    }

    forms::Varint varint_field(const WireItemSyntax& s, std::uint32_t& bits) {
        forms::Varint out;
        aligned(s, bits);
        out.most_bytes = s.size ? static_cast<std::uint32_t>(plain_number(
                                      s.size, 1, 9, "a varint has 1 to 9 bytes, as a plain number"))
                                : 4;
        read(s.name,
             types_.integer(0, (std::int64_t{1} << std::min<std::uint32_t>(62, 7 * out.most_bytes)) - 1),
             out);
        if (s.value) out.value = scoped(s.value, all_, types_.integer(), "this field");
        no_later_parts(s, out.value);
        return out;
    }

    Context& c_;
    expr::Pool& pool_;
    expr::Types& types_;
    const model::Wire& wire_;
    const model::Message* message_ = nullptr;
    std::string_view message_name_;
    bool binary_ = false;   // the layout is in braces
    bool bounded_ = false;  // what is read ends where its block or message ends
    bool partial_ = false;  // inside `if` or `repeat`
    std::span<const expr::VarId> layout_fields_;
    Scope all_;   // fields of the message and of the bytes
    Scope read_;  // those that have been read so far
    absl::flat_hash_map<NameId, expr::VarId>
        elements_;  // inside repetitions: the list a name is an element of
    absl::flat_hash_set<NameId> carried_;
    absl::flat_hash_set<NameId> later_;  // all names of the layout
    std::vector<expr::VarId> parts_;
};

std::optional<model::Framing> framing_of(std::string_view name) {
    if (name == "lines") return model::Framing::lines;
    if (name == "stream") return model::Framing::stream;
    if (name == "json") return model::Framing::json;
    if (name == "http") return model::Framing::http;
    if (name == "length") return model::Framing::length_prefixed;
    return std::nullopt;
}

// A wire over lines consists of text or of JSON documents: one document could be both.
void one_kind_of_layout(Context& c, const model::Wire& wire) {
    auto is_json = [](const model::Layout& l) { return !l.items.empty() && model::is_json(l.items[0]); };
    if (wire.framing != model::Framing::lines || wire.layouts.empty()) return;
    const model::Layout& first = wire.layouts.front();
    for (const model::Layout& l : wire.layouts)
        if (is_json(l) != is_json(first)) {
            c.report(codes::wrong_framing, l.span, "this wire has both text and JSON documents")
                .label(first.span, is_json(first) ? "this is a JSON document" : "this is text")
                .help("write all layouts of a wire in one way");
            return;
        }
    if (is_json(first) && !wire.escapes.empty())
        c.report(codes::wrong_framing, first.span,
                 "JSON escapes line breaks itself; this wire needs no escapes");
}

}  // namespace

void resolve_wires(Context& c) {
    absl::flat_hash_map<NameId, Span> names;
    for (const WireSyntax& w : c.syntax.wires) {
        auto [it, added] = names.try_emplace(w.name.id, w.name.span);
        if (!added)
            c.report(codes::declared_twice, w.name.span,
                     fmt::format("wire `{}` is declared twice", c.text(w.name.id)))
                .label(it->second, "first here");
        model::Wire wire;
        wire.name = w.name.id;
        wire.span = w.span;
        auto framing = framing_of(c.text(w.framing.id));
        if (!framing) {
            c.report(codes::wrong_framing, w.framing.span,
                     fmt::format("unknown framing `{}`", c.text(w.framing.id)))
                .help("use lines, stream, json, http or length-prefixed");
            continue;
        }
        wire.framing = *framing;
        if (w.terminator.valid() && *framing == model::Framing::json) {
            wire.selector = string_value(c.text(w.terminator));
        } else if (w.terminator.valid()) {
            wire.terminator = string_value(c.text(w.terminator));
            if (wire.terminator.empty())
                c.report(codes::wrong_framing, w.terminator, "lines need a terminator");
        }
        auto written = Syntax::part(c.syntax.escapes, w.escapes);
        std::vector<model::Escape> escapes;
        for (const EscapeSyntax& e : written)
            escapes.push_back({string_value(c.text(e.text)), string_value(c.text(e.written)), e.at_start});
        if (auto fine = wire::check_escapes(escapes, wire.terminator); !fine)
            c.report(codes::wrong_framing, base::cover(written.front().text, written.back().written),
                     fine.error())
                .help(
                    "two different contents must not look the same as lines: \"\\\\\" as \"\\\\\\\\\", then "
                    "escapes that begin with it");
        if (*framing == model::Framing::lines) wire.escapes = std::move(escapes);
        if (w.prefix) {
            ExprId size =
                type_expression(c, Scope(), w.prefix, c.spec.types->integer(1, 8), "the size of the prefix");
            const expr::Pool& pool = *c.spec.pool;
            // A literal of another type has been reported.
            if (pool[size].op == expr::Op::literal &&
                std::holds_alternative<std::int64_t>(pool.literal_of(size).v))
                wire.prefix_bytes = static_cast<std::uint32_t>(pool.literal_of(size).integer());
        }
        absl::flat_hash_map<NameId, Span> messages;
        for (const LayoutSyntax& l : Syntax::part(c.syntax.layouts, w.layouts)) {
            auto [first, fresh] = messages.try_emplace(l.message.id, l.message.span);
            if (!fresh) {
                c.report(codes::declared_twice, l.message.span,
                         fmt::format("`{}` has a layout in this wire already", c.text(l.message.id)))
                    .label(first->second, "first here");
                continue;
            }
            model::Layout layout;
            if (LayoutResolver(c, wire).run(l, layout)) wire.layouts.push_back(std::move(layout));
        }
        one_kind_of_layout(c, wire);
        c.spec.wires.push_back(std::move(wire));
    }
}

}  // namespace treaty::lang
