#include "lang/format_exprs.h"

#include <fmt/format.h>

namespace treaty::lang {
namespace {

// Joins what `text` makes of each element.
template <class Items, class F>
std::string join(const Items& items, F text) {
    std::string result;
    for (const auto& item : items) {
        if (!result.empty()) result += ", ";
        result += text(item);
    }
    return result;
}

}  // namespace

std::string SyntaxText::expression(SyntaxExprId id) const {
    const SyntaxExpr& e = syntax[id];
    auto children = syntax.children(e);
    std::string text;
    switch (e.kind) {
        case SyntaxExprKind::wrong:
        case SyntaxExprKind::name:
        case SyntaxExprKind::integer:
        case SyntaxExprKind::real:
        case SyntaxExprKind::string:
        case SyntaxExprKind::bytes:
        case SyntaxExprKind::boolean:
        case SyntaxExprKind::none: text = source(e.span); break;
        case SyntaxExprKind::omitted: break;
        case SyntaxExprKind::slice:
            text = fmt::format("{}[{}..{}]", expression(children[0]), expression(children[1]),
                               expression(children[2]));
            break;
        case SyntaxExprKind::with:
            text = fmt::format("{} with {} = {}", expression(children[0]), expression(children[1]),
                               expression(children[2]));
            break;
        case SyntaxExprKind::otherwise:
            text = fmt::format("{} else {}", expression(children[0]), expression(children[1]));
            break;
        case SyntaxExprKind::set:
            text = fmt::format("{{{}}}", join(children, [&](SyntaxExprId c) { return expression(c); }));
            break;
        case SyntaxExprKind::map:
            for (std::size_t i = 0; i < children.size(); ++i)
                text += (i == 0 ? "{" : i % 2 == 0 ? ", " : ": ") + expression(children[i]);
            text += '}';
            break;
        case SyntaxExprKind::without:
            text = fmt::format("{} without {}", expression(children[0]), expression(children[1]));
            break;
        case SyntaxExprKind::for_all:
        case SyntaxExprKind::exists:
        case SyntaxExprKind::count:
            text = fmt::format("{} {} in {}: {}", source(e.op_span), list(e.names), expression(children[0]),
                               expression(children[1]));
            break;
        case SyntaxExprKind::update:
            text = fmt::format("{} = {}", expression(children[0]), expression(children[1]));
            break;
        case SyntaxExprKind::each: text = comprehension(e); break;
        case SyntaxExprKind::fold: {
            auto bound = Syntax::part(syntax.names, e.names);
            text = fmt::format("fold {} = {} for {} in {}: {}", name(bound[0]), expression(children[0]),
                               name(bound[1]), expression(children[1]), expression(children[2]));
            break;
        }
        case SyntaxExprKind::list:
            text = fmt::format("[{}]", join(children, [&](SyntaxExprId c) { return expression(c); }));
            break;
        case SyntaxExprKind::call: {
            auto arg_names = Syntax::part(syntax.names, e.names);
            std::string inner;
            for (std::size_t i = 0; i < children.size(); ++i) {
                if (i > 0) inner += ", ";
                if (arg_names[i].id) inner += fmt::format("{} = ", names.text(arg_names[i].id));
                inner += expression(children[i]);
            }
            text = fmt::format("{}({})", names.text(e.name), inner);
            break;
        }
        case SyntaxExprKind::unary:
            text = fmt::format("{}{}", e.op == TokenKind::kw_not ? "not " : "-", expression(children[0]));
            break;
        case SyntaxExprKind::binary:
            text =
                fmt::format("{} {} {}", expression(children[0]), source(e.op_span), expression(children[1]));
            break;
        case SyntaxExprKind::matches:
            text = fmt::format("{} matches {}", expression(children[0]), source(e.op_span));
            break;
        case SyntaxExprKind::index:
            text = fmt::format("{}[{}]", expression(children[0]), expression(children[1]));
            break;
        case SyntaxExprKind::field:
            text = fmt::format("{}.{}", expression(children[0]), names.text(e.name));
            break;
        case SyntaxExprKind::if_else:
            text = fmt::format("if {} then {} else {}", expression(children[0]), expression(children[1]),
                               expression(children[2]));
            break;
    }
    return e.in_parens ? fmt::format("({})", text) : text;
}

std::string SyntaxText::comprehension(const SyntaxExpr& e) const {
    auto children = syntax.children(e);
    bool braces = e.op == TokenKind::left_brace;
    std::string text = (braces ? "{" : "[") + expression(children[1]);
    if (children.size() == 4) text += ": " + expression(children[2]);
    text += fmt::format(" for {} in {}", list(e.names), expression(children[0]));
    if (syntax[children.back()].kind != SyntaxExprKind::omitted) text += " if " + expression(children.back());
    return text + (braces ? '}' : ']');
}

std::string SyntaxText::type(TypeSyntaxId id) const {
    const TypeSyntax& t = syntax[id];
    std::string text = name(t.name);
    if (t.key) text += fmt::format("<{}, {}>", type(t.key), type(t.element));
    if (t.element && !t.key) text += fmt::format("<{}>", type(t.element));
    if (t.low) text += fmt::format(" in {}..{}", expression(t.low), expression(t.high));
    return text;
}

std::string SyntaxText::field(const FieldSyntax& f) const {
    return fmt::format("{}{}: {}", f.handed_back ? "let " : "", name(f.name), type(f.type));
}

std::string SyntaxText::fields(Range range) const {
    return join(Syntax::part(syntax.fields, range), [&](const FieldSyntax& f) { return field(f); });
}

std::string SyntaxText::list(Range range) const {
    return join(Syntax::part(syntax.names, range), [&](const Name& n) { return name(n); });
}

std::string SyntaxText::argument(const ArgumentSyntax& a) const {
    std::string prefix = a.field.id ? fmt::format("{} = ", names.text(a.field.id)) : "";
    if (a.bind.id) return fmt::format("{}let {}", prefix, names.text(a.bind.id));
    return prefix + (a.value ? expression(a.value) : "_");
}

std::string SyntaxText::arguments(Range range) const {
    return join(Syntax::part(syntax.arguments, range), [&](const ArgumentSyntax& a) { return argument(a); });
}

std::string SyntaxText::interaction(const Step& s) const {
    std::string text = fmt::format("{} -> {}: {}", name(s.role), list(s.roles), name(s.name));
    if (s.has_arguments) text += fmt::format("({})", arguments(s.arguments));
    if (s.condition) text += fmt::format(" where {}", expression(s.condition));
    if (s.within.valid()) text += fmt::format(" within {}", source(s.within));
    return text;
}

std::string SyntaxText::match_case(const CaseSyntax& c) const {
    if (c.values.count == 0) return "else";
    return join(Syntax::part(syntax.case_values, c.values), [&](const CaseValueSyntax& v) {
        return v.high ? fmt::format("{}..{}", expression(v.low), expression(v.high)) : expression(v.low);
    });
}

std::string SyntaxText::pattern(const PatternSyntax& p) const {
    std::string text = fmt::format("{} -> {}: {}", name(p.from), name(p.to), name(p.message));
    if (p.arguments.count > 0) text += fmt::format("({})", arguments(p.arguments));
    if (p.where) text += fmt::format(" where {}", expression(p.where));
    return text;
}

}  // namespace treaty::lang
