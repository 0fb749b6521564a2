#include "lang/resolve_document.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "lang/codes.h"
#include "lang/lexer.h"
#include "lang/type_expr.h"

namespace treaty::lang {
namespace {

namespace forms = model::forms;
using expr::TypeId;
using expr::TypeKind;
using model::Framing;

using FieldPath = std::vector<std::uint32_t>;

class DocumentResolver {
public:
    DocumentResolver(Context& context, const LayoutSyntax& layout, model::Layout& out)
        : c_(context),
          pool_(*context.spec.pool),
          types_(*context.spec.types),
          layout_(layout),
          out_(out),
          message_(context.spec.messages[out.message.index]),
          carried_(out.fields.size()) {}

    bool run() {
        fine_ = true;
        for (std::uint32_t i : Syntax::part(c_.syntax.wire_lists, layout_.items))
            out_.items.push_back(item(c_.syntax.wire_items[i]));
        std::string missing;
        auto lacks = [&](const std::string& path) {
            missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", path);
        };
        for (std::size_t f = 0; f < out_.fields.size(); ++f)
            find_missing(pool_.variable(out_.fields[f]).type, carried_[f], {},
                         std::string(c_.text(message_.fields[f].name)), lacks);
        if (!missing.empty() && fine_)
            c_.report(codes::layout_incomplete, layout_.message.span,
                      fmt::format("this layout does not carry {}", missing));
        return fine_;
    }

private:
    // What values inside a document can be: those of the message's fields, or of one element of a list.
    struct Root {
        NameId name;
        expr::VarId variable;
        std::vector<FieldPath>* carried;
    };

    base::Diagnostic& wrong(Span span, std::string message) {
        fine_ = false;
        return c_.report(codes::wrong_framing, span, std::move(message));
    }

    model::Item item(const WireItemSyntax& s) {
        model::Item out;
        out.span = s.span;
        switch (s.kind) {
            case WireItemKind::request: out.form = request(s); break;
            case WireItemKind::status: out.form = status(s); break;
            case WireItemKind::header: out.form = header(s); break;
            case WireItemKind::form: out.form = form(s); break;
            case WireItemKind::text_body:
                out.form = forms::TextBody{template_of(s.value, Where::text)};
                break;
            case WireItemKind::bytes_body: out.form = bytes_body(s); break;
            case WireItemKind::any_body: out.form = forms::AnyBody{}; break;
            default: out = json(s); break;
        }
        return out;
    }

    // --- JSON

    model::Item json(const WireItemSyntax& s) {
        model::Item out;
        out.span = s.span;
        if (s.kind == WireItemKind::json_object) {
            forms::JsonObject object;
            object.open = s.open;
            absl::flat_hash_map<std::string, Span> keys;
            for (std::uint32_t i : Syntax::part(c_.syntax.wire_lists, s.inner)) {
                const WireItemSyntax& m = c_.syntax.wire_items[i];
                forms::JsonMember member;
                member.key = string_value(c_.text(m.text));
                member.may_be_absent = m.may_be_absent;
                if (auto [first, added] = keys.try_emplace(member.key, m.text); !added) {
                    fine_ = false;
                    c_.report(codes::given_twice, m.text,
                              fmt::format("the object has a member {} already", c_.text(m.text)))
                        .label(first->second, "first here");
                }
                member.inner.push_back(json(value_of(m)));
                if (m.may_be_absent) needs_optional(m, member.inner.front());
                object.inner.push_back({m.span, std::move(member)});
            }
            out.form = std::move(object);
        } else if (s.kind == WireItemKind::json_array) {
            forms::JsonArray array;
            for (std::uint32_t i : Syntax::part(c_.syntax.wire_lists, s.inner))
                array.inner.push_back(json(c_.syntax.wire_items[i]));
            out.form = std::move(array);
        } else if (s.kind == WireItemKind::json_each) {
            out.form = each(s);
        } else {
            out.form = forms::JsonConstant{};
            value(s, out);
        }
        return out;
    }

    const WireItemSyntax& value_of(const WireItemSyntax& member) const {
        return c_.syntax.wire_items[Syntax::part(c_.syntax.wire_lists, member.inner)[0]];
    }

    void needs_optional(const WireItemSyntax& m, const model::Item& value) {
        const auto* path = model::as<forms::JsonValue>(value);
        if (path && path->variable && types_.kind(type_of(*path)) == TypeKind::optional) return;
        if (!fine_) return;
        wrong(m.span, "a member that may be absent needs a field of an optional type")
            .help("for example message order(note: optional<string>)");
    }

    void value(const WireItemSyntax& s, model::Item& out) {
        forms::JsonValue value;
        if (path_of(s.value, value)) {
            value.transform = transform(s, type_of(value));
            out.form = std::move(value);
            return;
        }
        const SyntaxExpr& e = c_.syntax[s.value];
        if (e.kind == SyntaxExprKind::name && c_.text(e.name) == "null") return;
        if (unknown_name(s.value)) return;
        if (auto constant = constant_of(s.value)) out.form = forms::JsonConstant{std::move(*constant)};
    }

    using Constant = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

    std::optional<Constant> constant_of(SyntaxExprId id) {
        expr::ExprId e = type_constant(c_, Scope(), id);
        TypeId type = pool_[e].type;
        if (pool_[e].op != expr::Op::literal || types_.kind(type) == TypeKind::unknown) {
            fine_ = false;
            return std::nullopt;
        }
        const expr::Value& v = pool_.literal_of(e);
        // By the value: a number may have the type real and be written as an integer.
        if (const auto* truth = std::get_if<bool>(&v.v)) return Constant(*truth);
        if (const auto* integer = std::get_if<std::int64_t>(&v.v)) return Constant(*integer);
        if (const auto* real = std::get_if<double>(&v.v)) return Constant(*real);
        if (const auto* string = std::get_if<std::string>(&v.v)) return Constant(*string);
        const auto* member = std::get_if<expr::EnumMember>(&v.v);
        if (member && types_.kind(type) == TypeKind::enumeration &&
            member->index < types_[type].members.size())
            return Constant(std::string(c_.text(types_[type].members[member->index])));
        wrong(c_.syntax[id].span,
              fmt::format("{} cannot be a constant here", types_.print(type, *c_.spec.names)))
            .help("use a text, a number, true, false or null");
        return std::nullopt;
    }

    forms::JsonEach each(const WireItemSyntax& s) {
        forms::JsonEach out;
        bool known = path_of(s.value, out.list);
        TypeId type = known ? type_of(out.list) : TypeId();
        if (!known && !unknown_name(s.value))
            wrong(c_.syntax[s.value].span, "expected a field that is a list");
        if (known && types_.kind(type) != TypeKind::list) {
            fine_ = false;
            known = false;
            c_.report(codes::type_mismatch, c_.syntax[s.value].span,
                      fmt::format("expected a list, found {}", types_.print(type, *c_.spec.names)));
        }
        TypeId element = known ? types_[type].element : types_.integer();
        out.name = s.name.id;
        out.variable = pool_.declare(s.name.id, element);
        std::vector<FieldPath> carried;
        elements_.push_back({s.name.id, out.variable, &carried});
        out.inner.push_back(json(c_.syntax.wire_items[Syntax::part(c_.syntax.wire_lists, s.inner)[0]]));
        elements_.pop_back();
        std::string missing;
        find_missing(element, carried, {}, std::string(c_.text(s.name.id)), [&](const std::string& path) {
            missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", path);
        });
        if (known && fine_ && !missing.empty()) {
            fine_ = false;
            c_.report(codes::layout_incomplete, s.span, fmt::format("the elements do not carry {}", missing));
        }
        return out;
    }

    model::Transform transform(const WireItemSyntax& s, TypeId type) {
        if (!s.transform.id) return model::Transform::hex;
        std::string_view name = c_.text(s.transform.id);
        bool known = name == "base64" || name == "hex";
        if (!known)
            wrong(s.transform.span, fmt::format("unknown encoding `{}`", name)).help("known: base64, hex");
        else if (types_.kind(type) != TypeKind::bytes)
            wrong(s.transform.span, "only a field of type bytes has an encoding");
        return name == "base64" ? model::Transform::base64 : model::Transform::hex;
    }

    // --- names

    std::optional<Root> root(NameId name) {
        // Inside [... for x in xs] only x has a value for each element.
        if (!elements_.empty())
            return elements_.back().name == name ? std::optional(elements_.back()) : std::nullopt;
        for (std::size_t f = 0; f < out_.fields.size(); ++f)
            if (message_.fields[f].name == name) return Root{name, out_.fields[f], &carried_[f]};
        return std::nullopt;
    }

    // x, x.f, x.f.g; false, with nothing reported, if the expression is something else.
    bool path_of(SyntaxExprId id, forms::Path& out) {
        std::vector<const SyntaxExpr*> steps;
        const SyntaxExpr* e = &c_.syntax[id];
        for (; e->kind == SyntaxExprKind::field;
             e = &c_.syntax[Syntax::part(c_.syntax.expr_lists, e->children)[0]])
            steps.push_back(e);
        if (e->kind != SyntaxExprKind::name) return false;
        auto from = root(e->name);
        if (!from) return false;
        out.name = from->name;
        out.variable = from->variable;
        TypeId type = pool_.variable(from->variable).type;
        for (std::size_t k = steps.size(); k-- > 0;) {
            const SyntaxExpr& step = *steps[k];
            const auto& fields = types_[type].fields;
            auto found = std::find_if(fields.begin(), fields.end(),
                                      [&](const expr::Field& f) { return f.name == step.name; });
            if (types_.kind(type) != TypeKind::record || found == fields.end()) {
                fine_ = false;
                c_.report(codes::unknown_field, step.span,
                          fmt::format("{} has no field `{}`", types_.print(type, *c_.spec.names),
                                      c_.text(step.name)));
                return true;
            }
            out.fields.push_back(static_cast<std::uint32_t>(found - fields.begin()));
            type = found->type;
        }
        carry(*from, out.fields, c_.syntax[id].span);
        return true;
    }

    TypeId type_of(const forms::Path& path) const {
        TypeId type = pool_.variable(path.variable).type;
        for (std::uint32_t f : path.fields) type = types_[type].fields[f].type;
        return type;
    }

    void carry(const Root& from, const FieldPath& path, Span span) {
        for (const FieldPath& other : *from.carried) {
            std::size_t n = std::min(path.size(), other.size());
            if (!std::equal(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(n), other.begin()))
                continue;
            fine_ = false;
            c_.report(codes::given_twice, span,
                      fmt::format("`{}` occurs twice in this layout", c_.text(span)));
            return;
        }
        from.carried->push_back(path);
    }

    template <class Lacks>
    void find_missing(TypeId type, const std::vector<FieldPath>& carried, const FieldPath& path,
                      const std::string& name, const Lacks& lacks) {
        bool begun = false;
        for (const FieldPath& c : carried) {
            if (c == path) return;
            begun = begun || (c.size() > path.size() && std::equal(path.begin(), path.end(), c.begin()));
        }
        if (!begun) return lacks(name);
        const auto fields = types_[type].fields;
        for (std::uint32_t f = 0; f < fields.size(); ++f) {
            FieldPath inner = path;
            inner.push_back(f);
            find_missing(fields[f].type, carried, inner, fmt::format("{}.{}", name, c_.text(fields[f].name)),
                         lacks);
        }
    }

    // Reports a name that is neither a field nor a constant.
    bool unknown_name(SyntaxExprId id) {
        const SyntaxExpr* e = &c_.syntax[id];
        if (e->kind == SyntaxExprKind::wrong) {
            fine_ = false;
            return true;
        }
        while (e->kind == SyntaxExprKind::field)
            e = &c_.syntax[Syntax::part(c_.syntax.expr_lists, e->children)[0]];
        if (e->kind != SyntaxExprKind::name || c_.constants.contains(e->name) || c_.members.contains(e->name))
            return false;
        no_field(e->name, e->span);
        return true;
    }

    void no_field(NameId name, Span span) {
        fine_ = false;
        if (!elements_.empty()) {
            c_.report(codes::unknown_field, span,
                      fmt::format("`{}` is not a value of each element", c_.text(name)))
                .help(fmt::format("inside the brackets only `{}` and constants can be used",
                                  c_.text(elements_.back().name)));
            return;
        }
        std::vector<std::string_view> candidates;
        for (const expr::Field& f : message_.fields) candidates.push_back(c_.text(f.name));
        c_.report(codes::unknown_field, span,
                  fmt::format("`{}` has no field `{}`", c_.text(layout_.message.id), c_.text(name)))
            .help(did_you_mean(c_.text(name), candidates));
    }

    // --- HTTP

    enum class Where : std::uint8_t { path, parameter, header, text };

    forms::HttpRequest request(const WireItemSyntax& s) {
        forms::HttpRequest out;
        out.method = c_.text(s.keyword);
        bool capitals = std::all_of(out.method.begin(), out.method.end(),
                                    [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
        if (!capitals)
            wrong(s.keyword, fmt::format("`{}` is not a method", out.method))
                .help("methods are written in capitals: GET, POST, PUT, PATCH, DELETE");
        std::string target = string_value(c_.text(s.text));
        if (!target.starts_with('/')) {
            wrong(s.text, "a path begins with a slash").help("for example GET \"/items/{id}?page={page}\"");
            return out;
        }
        std::size_t question = target.find('?');
        out.path = parts(target.substr(0, question), s.text, Where::path);
        for (std::size_t i = 0; i + 1 < out.path.size(); ++i)
            if (out.path[i].variable && out.path[i + 1].variable)
                wrong(s.text, "two fields in a path need a text between them");
        if (question == std::string::npos) return out;
        std::string_view rest = std::string_view(target).substr(question + 1);
        for (bool more = true; more;) {
            std::size_t end = rest.find('&');
            std::string_view one = rest.substr(0, end);
            more = end != std::string_view::npos;
            if (more) rest.remove_prefix(end + 1);
            std::size_t equals = one.find('=');
            if (one == "..." && !more) {
                out.open = true;
            } else if (equals == std::string_view::npos || equals == 0) {
                wrong(s.text, fmt::format("expected name=value after the question mark, found \"{}\"", one))
                    .help("for example GET \"/items?page={page}&...\"");
            } else {
                parameter(std::string(one.substr(0, equals)),
                          parts(one.substr(equals + 1), s.text, Where::parameter), s.text, out.query);
            }
        }
        return out;
    }

    void parameter(std::string name, forms::Template value, Span span, std::vector<forms::Parameter>& out) {
        for (const forms::Parameter& p : out)
            if (p.name == name) {
                fine_ = false;
                c_.report(codes::given_twice, span, fmt::format("parameter \"{}\" is given twice", name));
            }
        out.push_back({std::move(name), std::move(value)});
    }

    forms::HttpStatus status(const WireItemSyntax& s) {
        forms::HttpStatus out;
        std::string_view text = c_.text(s.text);
        auto number = [](std::string_view digits) {
            std::uint32_t n = 0;
            auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
            return error == std::errc() && end == digits.data() + digits.size() ? n : 0;
        };
        if (text.ends_with("xx")) {
            out.low = number(text.substr(0, 1)) * 100;
            out.high = out.low + 99;
        } else {
            constexpr std::string_view digits = "0123456789";
            out.low = number(text.substr(0, text.find_first_not_of(digits)));
            out.high = number(text.substr(text.find_last_not_of(digits) + 1));
        }
        if (out.low < 100 || out.high > 599 || out.low > out.high)
            wrong(s.text, "a status is from 100 to 599").help("for example 201, 2xx or 400..499");
        if (!s.name.id) return out;
        auto field = root(s.name.id);
        if (!field) {
            no_field(s.name.id, s.name.span);
            return out;
        }
        out.name = s.name.id;
        out.variable = field->variable;
        carry(*field, {}, s.name.span);
        TypeId type = pool_.variable(field->variable).type;
        if (types_.kind(type) != TypeKind::integer) {
            fine_ = false;
            c_.report(codes::type_mismatch, s.name.span,
                      fmt::format("a status is an int, but `{}` is {}", c_.text(s.name.id),
                                  types_.print(type, *c_.spec.names)));
        }
        return out;
    }

    forms::HttpHeader header(const WireItemSyntax& s) {
        forms::HttpHeader out;
        out.header = string_value(c_.text(s.text));
        auto allowed = [](char c) {
            bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            return alnum || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
        };
        std::string lower = out.header;
        for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        if (out.header.empty() || !std::all_of(out.header.begin(), out.header.end(), allowed))
            wrong(s.text, "not a valid name of a header");
        else if (lower == "content-length" || lower == "transfer-encoding")
            wrong(s.text, "Treaty writes and reads the length of the body itself");
        if (!headers_.insert(lower).second) {
            fine_ = false;
            c_.report(codes::given_twice, s.text, fmt::format("header {} is given twice", c_.text(s.text)));
        }
        out.value = template_of(s.value, Where::header);
        return out;
    }

    forms::FormBody form(const WireItemSyntax& s) {
        forms::FormBody out;
        out.open = s.open;
        for (std::uint32_t i : Syntax::part(c_.syntax.wire_lists, s.inner)) {
            const WireItemSyntax& m = c_.syntax.wire_items[i];
            const WireItemSyntax& value = value_of(m);
            if (value.kind != WireItemKind::json_value || value.transform.id || m.may_be_absent)
                wrong(m.span, "a parameter of a form is a field or a text")
                    .help("a field of an optional type is left out where it has no value");
            else
                parameter(string_value(c_.text(m.text)), template_of(value.value, Where::parameter), m.text,
                          out.parameters);
        }
        return out;
    }

    forms::BytesBody bytes_body(const WireItemSyntax& s) {
        forms::BytesBody out;
        forms::Path path;
        if (!path_of(s.value, path) || !path.fields.empty()) {
            if (!unknown_name(s.value)) wrong(c_.syntax[s.value].span, "expected a field of the message");
            return out;
        }
        out.name = path.name;
        out.variable = path.variable;
        TypeKind kind = types_.kind(type_of(path));
        if (kind != TypeKind::bytes && kind != TypeKind::string) {
            fine_ = false;
            c_.report(codes::type_mismatch, c_.syntax[s.value].span,
                      "a body of bytes needs a field of type bytes");
        }
        return out;
    }

    // A field, or a text with fields in braces.
    forms::Template template_of(SyntaxExprId id, Where where) {
        const SyntaxExpr& e = c_.syntax[id];
        if (e.kind == SyntaxExprKind::string) return parts(string_value(c_.text(e.span)), e.span, where);
        forms::Path path;
        if (e.kind == SyntaxExprKind::name && path_of(id, path)) {
            forms::Template out{{"", path.name, path.variable}};
            check_types(out, e.span, where);
            return out;
        }
        if (unknown_name(id)) return {};
        auto constant = constant_of(id);
        if (!constant) return {};
        if (auto* text = std::get_if<std::string>(&*constant)) return {{*text, {}, {}}};
        if (auto* number = std::get_if<std::int64_t>(&*constant))
            return {{fmt::format("{}", *number), {}, {}}};
        if (auto* flag = std::get_if<bool>(&*constant)) return {{*flag ? "true" : "false", {}, {}}};
        wrong(e.span, "expected a field or a text");
        return {};
    }

    // {name} is the value of a field; {{ and }} are braces.
    forms::Template parts(std::string_view text, Span span, Where where) {
        forms::Template out;
        std::string literal;
        auto flush = [&] {
            if (!literal.empty()) out.push_back({std::move(literal), {}, {}});
            literal.clear();
        };
        for (std::size_t i = 0; i < text.size(); ++i) {
            char c = text[i];
            bool doubled = i + 1 < text.size() && text[i + 1] == c;
            if ((c == '{' || c == '}') && doubled) {
                literal += c;
                ++i;
                continue;
            }
            if (c == '}') {
                wrong(span, "`}` without `{`").help("a brace itself is written twice: }}");
                return out;
            }
            if (c != '{') {
                literal += c;
                continue;
            }
            std::size_t end = text.find('}', i);
            std::string name(text.substr(i + 1, end == std::string_view::npos ? end : end - i - 1));
            NameId id = c_.spec.names->find(name);
            auto field = id ? root(id) : std::nullopt;
            if (end == std::string_view::npos) {
                wrong(span, "`{` without `}`").help("a brace itself is written twice: {{");
                return out;
            }
            if (!field) {
                no_field(c_.spec.names->intern(name), span);
                return out;
            }
            flush();
            carry(*field, {}, span);
            out.push_back({"", id, field->variable});
            i = end;
        }
        flush();
        check_types(out, span, where);
        return out;
    }

    void check_types(const forms::Template& parts, Span span, Where where) {
        std::size_t fields = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!parts[i].variable) continue;
            ++fields;
            if (i > 0 && parts[i - 1].variable && where != Where::path)
                wrong(span, "two fields need a text between them");
            TypeId type = pool_.variable(parts[i].variable).type;
            bool may_be_absent = where == Where::parameter || where == Where::header;
            if (types_.kind(type) == TypeKind::optional && may_be_absent)
                type = types_[type].element;
            else if (types_.kind(type) == TypeKind::list && where == Where::parameter && parts.size() == 1)
                type = types_[type].element;
            switch (types_.kind(type)) {
                case TypeKind::boolean:
                case TypeKind::integer:
                case TypeKind::string:
                case TypeKind::bytes:
                case TypeKind::enumeration:
                case TypeKind::unknown: continue;
                default: break;
            }
            fine_ = false;
            c_.report(codes::type_mismatch, span,
                      fmt::format("`{}` is {}, which cannot be written as text here", c_.text(parts[i].name),
                                  types_.print(pool_.variable(parts[i].variable).type, *c_.spec.names)))
                .help(
                    "use an int, a bool, a string, bytes or a member of an enumeration; optional ones in "
                    "headers, queries and forms");
        }
        bool optional = std::any_of(parts.begin(), parts.end(), [&](const forms::TextPart& p) {
            return p.variable && types_.kind(pool_.variable(p.variable).type) == TypeKind::optional;
        });
        if (optional && fields > 1)
            wrong(span, "an optional field is the only field of its header or parameter");
    }

    Context& c_;
    expr::Pool& pool_;
    expr::Types& types_;
    const LayoutSyntax& layout_;
    model::Layout& out_;
    const model::Message& message_;
    std::vector<std::vector<FieldPath>> carried_;  // by field
    std::vector<Root> elements_;                   // of the lists around the place, the innermost last
    absl::flat_hash_set<std::string> headers_;
    bool fine_ = true;
};

bool is_http(WireItemKind kind) {
    return kind >= WireItemKind::request;
}

}  // namespace

bool is_document(const Syntax& syntax, const LayoutSyntax& layout) {
    auto items = Syntax::part(syntax.wire_lists, layout.items);
    return !items.empty() && syntax.wire_items[items[0]].kind >= WireItemKind::json_value;
}

bool resolve_document(Context& c, Framing framing, const LayoutSyntax& layout, model::Layout& out) {
    auto items = Syntax::part(c.syntax.wire_lists, layout.items);
    bool http = is_http(c.syntax.wire_items[items[0]].kind);
    if (!http && framing != Framing::lines && framing != Framing::json) {
        c.report(codes::wrong_framing, layout.span, "this wire describes bits and bytes, in braces")
            .help("JSON documents are for wires over lines, json and http");
        return false;
    }
    if (!DocumentResolver(c, layout, out).run()) return false;
    // Where one document follows another, only brackets show where it ends.
    const auto* value = model::as<forms::JsonValue>(out.items[0]);
    TypeKind kind = TypeKind::unknown;
    if (value) {
        TypeId type = c.spec.pool->variable(value->variable).type;
        for (std::uint32_t f : value->fields) type = (*c.spec.types)[type].fields[f].type;
        kind = c.spec.types->kind(type);
    }
    bool bare = model::is<forms::JsonConstant>(out.items[0]) ||
                (value && kind != TypeKind::record && kind != TypeKind::list);
    if (framing != Framing::json || !bare) return true;
    c.report(codes::wrong_framing, out.items[0].span, "a document over json is an object or a list")
        .help("over lines it can be any value");
    return false;
}

}  // namespace treaty::lang
