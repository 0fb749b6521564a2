// Typing of expressions, bottom-up with a wanted type from above where it helps.
#include "lang/type_expr.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/suggest.h"
#include "expr/evaluate.h"
#include "lang/codes.h"
#include "lang/lexer.h"
#include "lang/operator_types.h"
#include "lang/typer.h"

namespace treaty::lang {

ExprId Typer::type(SyntaxExprId id, TypeId wanted) {
    const SyntaxExpr& e = c_.syntax[id];
    switch (e.kind) {
        case SyntaxExprKind::wrong: return unknown();
        case SyntaxExprKind::integer: return integer(e);
        case SyntaxExprKind::real: return real(e);
        case SyntaxExprKind::string: return pool_.literal(string_value(c_.text(e.span)), types_.string());
        case SyntaxExprKind::bytes:
            return pool_.literal(expr::Bytes{bytes_value(c_.text(e.span))}, types_.bytes());
        case SyntaxExprKind::boolean: return pool_.boolean(e.op == TokenKind::kw_true);
        case SyntaxExprKind::none: return none(wanted);
        case SyntaxExprKind::name: return name(e);
        case SyntaxExprKind::list: return list(e, wanted);
        case SyntaxExprKind::call: return call(e, wanted);
        case SyntaxExprKind::unary: return unary(e);
        case SyntaxExprKind::binary: return binary(e);
        case SyntaxExprKind::matches: return matches(e);
        case SyntaxExprKind::index: return index(e);
        case SyntaxExprKind::field: return field(e);
        case SyntaxExprKind::if_else: return if_else(e, wanted);
        case SyntaxExprKind::slice: return slice(e);
        case SyntaxExprKind::omitted: return unknown();
        case SyntaxExprKind::with: return with(e, wanted);
        case SyntaxExprKind::otherwise: return otherwise(e);
        case SyntaxExprKind::set: return set(e, wanted);
        case SyntaxExprKind::map: return map(e, wanted);
        case SyntaxExprKind::without: return without(e, wanted);
        case SyntaxExprKind::for_all:
        case SyntaxExprKind::exists:
        case SyntaxExprKind::count: return quantifier(e);
        case SyntaxExprKind::each: return comprehension(e, wanted);
        case SyntaxExprKind::fold: return fold(e, wanted);
        case SyntaxExprKind::update: return update(e);
    }
    return unknown();
}

bool Typer::fits(ExprId e, TypeId wanted, Span at, std::string_view what) {
    TypeId given = pool_[e].type;
    if (!types_.fits(given, wanted)) {
        c_.report(codes::type_mismatch, at,
                  fmt::format("{} is {}, but this is {}", what, print(wanted), print(given)));
        return false;
    }
    const expr::Type& t = types_[wanted];
    if (pool_[e].op == Op::literal && t.kind == TypeKind::integer &&
        types_.kind(given) == TypeKind::integer) {
        std::int64_t v = pool_.literal_of(e).integer();
        if ((t.low && v < *t.low) || (t.high && v > *t.high)) {
            c_.report(codes::outside_range, at,
                      fmt::format("{} can never be a value of {}", v, print(wanted)));
            return false;
        }
    }
    return true;
}

ExprId Typer::integer(const SyntaxExpr& e) {
    std::string_view text = c_.text(e.span);
    if (auto value = integer_value(text)) return pool_.integer(*value);
    std::string_view digits = text.starts_with("0x") ? "0123456789abcdefABCDEF" : "0123456789";
    std::size_t begin = text.starts_with("0x") ? 2 : 0;
    if (text.find_first_not_of(digits, begin) == std::string_view::npos)
        c_.report(codes::bad_number, e.span, "this number has more than 63 bits");
    return unknown();  // anything else was reported by the lexer
}

ExprId Typer::real(const SyntaxExpr& e) {
    std::string_view text = c_.text(e.span);
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) {
        c_.report(codes::bad_number, e.span, "this number is too large or too small");
        return unknown();
    }
    if (end != text.data() + text.size()) return unknown();  // reported by the lexer
    return pool_.literal(value, types_.real());
}

ExprId Typer::none(TypeId wanted) {
    bool said = wanted && types_.kind(wanted) == TypeKind::optional;
    return pool_.make(Op::none, said ? wanted : types_.optional(types_.unknown()), {});
}

ExprId Typer::name(const SyntaxExpr& e) {
    if (const Scope::Binding* b = scope_.find(e.name)) return pool_.var(b->variable);
    if (auto k = c_.constants.find(e.name); k != c_.constants.end()) return k->second;
    if (auto m = c_.members.find(e.name); m != c_.members.end())
        return pool_.literal(expr::EnumMember{m->second.index}, m->second.type);
    if (c_.broken.contains(e.name) || c_.lost.contains(e.name)) return unknown();
    if (!c_.missing_variables.insert(e.name).second) return unknown();
    if (const Span* gone = scope_.left_behind(e.name)) {
        c_.report(codes::out_of_scope, e.span, fmt::format("`{}` is not known here", c_.text(e.name)))
            .label(*gone, "it is visible only inside this block")
            .help("bind it before the block");
        return unknown();
    }
    auto& report = c_.report(codes::unknown_name, e.span, fmt::format("unknown name `{}`", c_.text(e.name)));
    std::vector<std::string_view> candidates;
    for (NameId n : scope_.visible()) candidates.push_back(c_.text(n));
    for (const auto& [n, member] : c_.members) candidates.push_back(c_.text(n));
    for (const auto& [n, value] : c_.constants) candidates.push_back(c_.text(n));
    report.help(did_you_mean(c_.text(e.name), candidates));
    return unknown();
}

ExprId Typer::list(const SyntaxExpr& e, TypeId wanted) {
    TypeId element = types_.unknown();
    bool said = wanted && types_.kind(wanted) == TypeKind::list;
    TypeId element_wanted = said ? types_[wanted].element : TypeId();
    std::vector<ExprId> items;
    bool wrong = false;
    for (SyntaxExprId child : c_.syntax.children(e)) {
        ExprId item = type(child, element_wanted);
        if (is_unknown(item)) wrong = true;
        TypeId joined = types_.join(element, types_.base(pool_[item].type));
        if (!joined) {
            c_.report(codes::type_mismatch, c_.syntax[child].span,
                      fmt::format("the list's other elements are {}, but this is {}", print(element),
                                  print(pool_[item].type)));
            return unknown();
        }
        element = joined;
        items.push_back(item);
    }
    if (wrong) return unknown();
    if (types_.kind(element) == TypeKind::unknown && items.empty() && said) element = element_wanted;
    return pool_.make(Op::list, types_.list(element), items);
}

ExprId Typer::call(const SyntaxExpr& e, TypeId wanted) {
    if (auto f = c_.functions.find(e.name); f != c_.functions.end()) return user_call(e, f->second);
    if (auto t = c_.types.find(e.name); t != c_.types.end() && types_.kind(t->second) == TypeKind::record)
        return record(e, t->second);
    std::string_view called = c_.text(e.name);
    if (called == "first" || called == "last") return end_of_list(e, called == "last");
    if ((called == "min" || called == "max") && e.children.count == 1)
        return built_in(e, expr::about(called == "min" ? Op::least : Op::greatest), {});
    if (called == "to_text") return to_text(e);
    for (const expr::Operator& o : expr::operators())
        if (o.notation == expr::Notation::function && o.name == called) return built_in(e, o, wanted);
    for (SyntaxExprId child : c_.syntax.children(e)) type(child, {});
    if (c_.broken.contains(e.name) || c_.lost.contains(e.name) || !c_.missing_functions.insert(e.name).second)
        return unknown();
    auto& report =
        c_.report(codes::unknown_function, e.op_span, fmt::format("unknown function `{}`", c_.text(e.name)));
    std::vector<std::string_view> candidates;
    for (const auto& [n, f] : c_.functions) candidates.push_back(c_.text(n));
    for (const expr::Operator& o : expr::operators())
        if (o.notation == expr::Notation::function) candidates.push_back(o.name);
    for (const char* other : {"first", "last"}) candidates.push_back(other);
    report.help(did_you_mean(c_.text(e.name), candidates));
    return unknown();
}

bool Typer::count_fits(const SyntaxExpr& e, std::size_t wanted) {
    if (e.children.count == wanted) return true;
    c_.report(codes::wrong_argument_count, e.span,
              fmt::format("`{}` takes {} value{}, but has {}", c_.text(e.name), wanted,
                          wanted == 1 ? "" : "s", e.children.count));
    return false;
}

ExprId Typer::user_call(const SyntaxExpr& e, expr::FunctionId id) {
    std::vector<expr::VarId> parameters = pool_.function(id).parameters;
    TypeId result = pool_.function(id).result;
    bool fine = count_fits(e, parameters.size());
    std::vector<ExprId> arguments;
    auto children = c_.syntax.children(e);
    for (std::size_t i = 0; i < children.size(); ++i) {
        TypeId wanted = i < parameters.size() ? pool_.variable(parameters[i]).type : TypeId();
        arguments.push_back(type(children[i], wanted));
        if (fine && !fits(arguments.back(), wanted, c_.syntax[children[i]].span,
                          fmt::format("`{}`", c_.text(pool_.variable(parameters[i]).name))))
            fine = false;
    }
    if (!fine)
        return pool_.make(Op::none, types_.kind(result) == TypeKind::unknown ? result : types_.unknown(), {});
    return pool_.make(Op::call, result, arguments, id.index);
}

// Point(x = 1, y = 2), or in the order of the fields: Point(1, 2).
ExprId Typer::record(const SyntaxExpr& e, TypeId type_id) {
    std::vector<expr::Field> fields = types_[type_id].fields;
    auto children = c_.syntax.children(e);
    auto names = Syntax::part(c_.syntax.names, e.names);
    std::vector<ExprId> values(fields.size());
    bool fine = true;
    for (std::size_t i = 0; i < children.size(); ++i) {
        std::size_t at = i;
        if (names[i].id) {
            for (at = 0; at < fields.size() && fields[at].name != names[i].id; ++at) {
            }
            if (at == fields.size()) {
                c_.report(codes::unknown_field, names[i].span,
                          fmt::format("`{}` has no field `{}`", c_.text(e.name), c_.text(names[i].id)));
                fine = false;
                continue;
            }
            if (values[at]) {
                c_.report(codes::given_twice, names[i].span,
                          fmt::format("`{}` is given twice", c_.text(names[i].id)));
                fine = false;
                continue;
            }
        }
        if (at >= fields.size()) break;
        values[at] = type(children[i], fields[at].type);
        if (!fits(values[at], fields[at].type, c_.syntax[children[i]].span,
                  fmt::format("`{}`", c_.text(fields[at].name))))
            fine = false;
    }
    if (!fine || !count_fits(e, fields.size())) return unknown();
    for (ExprId v : values)
        if (!v) return unknown();
    return pool_.make(Op::record, type_id, values);
}

ExprId Typer::built_in(const SyntaxExpr& e, const expr::Operator& b, TypeId wanted) {
    std::vector<ExprId> a;
    for (SyntaxExprId child : c_.syntax.children(e))
        a.push_back(type(child, b.op == Op::some && wanted && types_.kind(wanted) == TypeKind::optional
                                    ? types_[wanted].element
                                    : TypeId()));
    if (!count_fits(e, b.operands)) return unknown();
    for (ExprId x : a)
        if (is_unknown(x)) return unknown();
    TypeId first = pool_[a[0]].type;
    std::vector<TypeId> given;
    given.reserve(a.size());
    for (ExprId x : a) given.push_back(pool_[x].type);
    TypeId result = result_of(types_, b.op, given);
    if (result && types_.kind(result) == TypeKind::unknown) {
        c_.report(codes::wrong_operands, e.span, "`none` has no value");
        return unknown();
    }
    if (result) return pool_.make(b.op, result, a);
    c_.report(codes::wrong_operands, e.span,
              fmt::format("`{}` does not work on {}{}{}", c_.text(e.name), print(first),
                          a.size() > 1 ? fmt::format(" and {}", print(pool_[a[1]].type)) : "",
                          a.size() > 2 ? fmt::format(" and {}", print(pool_[a[2]].type)) : ""));
    return unknown();
}

// first(xs) is xs[0], last(xs) is xs[size(xs) - 1].
ExprId Typer::end_of_list(const SyntaxExpr& e, bool last) {
    std::vector<ExprId> a;
    for (SyntaxExprId child : c_.syntax.children(e)) a.push_back(type(child, {}));
    if (!count_fits(e, 1) || is_unknown(a[0])) return unknown();
    if (kind(a[0]) != TypeKind::list) {
        c_.report(codes::wrong_operands, e.span,
                  fmt::format("`{}` does not work on {}", c_.text(e.name), print(pool_[a[0]].type)));
        return unknown();
    }
    ExprId index = pool_.integer(0);
    if (last) index = pool_.make(Op::subtract, types_.integer(), std::array{size(a[0]), pool_.integer(1)});
    return item(e, a[0], index);
}

// Bytes as a string, a number in decimal digits, true or false, the name of a member.
ExprId Typer::to_text(const SyntaxExpr& e) {
    std::vector<ExprId> a;
    for (SyntaxExprId child : c_.syntax.children(e)) a.push_back(type(child, {}));
    if (!count_fits(e, 1) || is_unknown(a[0])) return unknown();
    auto text = [&](std::string value) { return pool_.literal(std::move(value), types_.string()); };
    switch (kind(a[0])) {
        case TypeKind::string: return a[0];
        case TypeKind::bytes: return pool_.make(Op::to_text, types_.string(), a);
        case TypeKind::integer: return pool_.make(Op::digits, types_.string(), a);
        case TypeKind::boolean:
            return pool_.make(Op::if_else, types_.string(), std::array{a[0], text("true"), text("false")});
        case TypeKind::enumeration: {
            TypeId type = pool_[a[0]].type;
            std::vector<NameId> members = types_[type].members;
            ExprId name = text(std::string(c_.text(members.back())));
            for (std::size_t i = members.size() - 1; i-- > 0;) {
                auto member = expr::EnumMember{static_cast<std::uint32_t>(i)};
                ExprId is = pool_.equal(a[0], pool_.literal(member, type));
                name = pool_.make(Op::if_else, types_.string(),
                                  std::array{is, text(std::string(c_.text(members[i]))), name});
            }
            return name;
        }
        default: break;
    }
    c_.report(codes::wrong_operands, e.span,
              fmt::format("`to_text` does not work on {}", print(pool_[a[0]].type)));
    return unknown();
}

// The least integer has no positive counterpart, so it is read as a whole.
bool Typer::is_least_integer(const SyntaxExpr& e) const {
    const SyntaxExpr& operand = c_.syntax[c_.syntax.children(e)[0]];
    return e.op == TokenKind::minus && operand.kind == SyntaxExprKind::integer &&
           c_.text(operand.span) == "9223372036854775808";
}

ExprId Typer::unary(const SyntaxExpr& e) {
    if (is_least_integer(e)) return pool_.integer(std::numeric_limits<std::int64_t>::min());
    ExprId x = type(c_.syntax.children(e)[0], {});
    if (is_unknown(x)) return unknown();
    bool negation = e.op == TokenKind::kw_not;
    if (negation ? kind(x) != TypeKind::boolean : !numeric(x)) {
        c_.report(codes::wrong_operands, e.span,
                  fmt::format("`{}` does not work on {}", negation ? "not" : "-", print(pool_[x].type)));
        return unknown();
    }
    if (negation) return pool_.make(Op::logical_not, types_.boolean(), std::array{x});
    // A negative number is a number, not an operation.
    if (pool_[x].op == Op::literal) {
        const expr::Value& v = pool_.literal_of(x);
        if (kind(x) == TypeKind::integer) return pool_.integer(-v.integer());
        return pool_.literal(-v.real(), types_.real());
    }
    return pool_.make(Op::negate, types_.base(pool_[x].type), std::array{x});
}

ExprId Typer::binary(const SyntaxExpr& e) {
    auto children = c_.syntax.children(e);
    const SyntaxExpr& left = c_.syntax[children[0]];
    // The type of `{}` is that of the other side.
    bool other_first = left.kind == SyntaxExprKind::set && left.children.count == 0;
    ExprId b = other_first ? type(children[1], {}) : ExprId();
    ExprId a = type(children[0], b ? pool_[b].type : TypeId());
    if (!b) b = type(children[1], pool_[a].type);
    if (is_unknown(a) || is_unknown(b))
        return is_comparison(e.op) ? pool_.make(Op::none, types_.unknown(), {}) : unknown();
    if ((e.op == TokenKind::slash || e.op == TokenKind::kw_mod) && always_zero(b)) {
        c_.report(codes::division_by_zero, c_.syntax[children[1]].span, "this divides by zero");
        return unknown();
    }
    auto [op, result] = result_of(types_, e.op, pool_[a].type, pool_[b].type);
    if (!result) {
        c_.report(codes::wrong_operands, e.op_span,
                  fmt::format("`{}` does not work on {} and {}", c_.text(e.op_span), print(pool_[a].type),
                              print(pool_[b].type)))
            .label(c_.syntax[children[0]].span, fmt::format("this is {}", print(pool_[a].type)))
            .label(c_.syntax[children[1]].span, fmt::format("this is {}", print(pool_[b].type)));
        return unknown();
    }
    if (op == Op::member && kind(b) == TypeKind::map)
        b = pool_.make(Op::keys, types_.set(types_.base(types_.key_of(pool_[b].type))), std::array{b});
    return pool_.make(op, result, std::array{a, b});
}

bool Typer::is_comparison(TokenKind op) {
    return op == TokenKind::equal || op == TokenKind::not_equal || op == TokenKind::less ||
           op == TokenKind::less_equal || op == TokenKind::greater || op == TokenKind::greater_equal;
}

bool Typer::always_zero(ExprId e) const {
    if (pool_[e].op != Op::literal) return false;
    if (kind(e) == TypeKind::integer) return pool_.literal_of(e).integer() == 0;
    return kind(e) == TypeKind::real && pool_.literal_of(e).real() == 0;
}

ExprId Typer::matches(const SyntaxExpr& e) {
    SyntaxExprId child = c_.syntax.children(e)[0];
    ExprId x = type(child, {});
    std::string pattern = regex_pattern(c_, e.op_span);
    if (is_unknown(x)) return unknown();
    if (kind(x) != TypeKind::string && kind(x) != TypeKind::bytes) {
        c_.report(codes::wrong_operands, c_.syntax[child].span,
                  fmt::format("a pattern does not work on {}", print(pool_[x].type)));
        return unknown();
    }
    ExprId literal = pool_.literal(pattern, types_.string());
    return pool_.make(Op::matches, types_.boolean(), std::array{x}, pool_[literal].payload);
}

ExprId Typer::index(const SyntaxExpr& e) {
    auto children = c_.syntax.children(e);
    ExprId a = type(children[0], {});
    bool map = kind(a) == TypeKind::map;
    ExprId i = type(children[1], map ? types_.key_of(pool_[a].type) : types_.integer());
    if (is_unknown(a) || is_unknown(i)) return unknown();
    return map ? value_at(a, i, c_.syntax[children[1]].span) : item(e, a, i);
}

ExprId Typer::item(const SyntaxExpr& e, ExprId list, ExprId index) {
    if (kind(list) != TypeKind::list || kind(index) != TypeKind::integer) {
        c_.report(
            codes::wrong_operands, e.span,
            kind(list) != TypeKind::list
                ? fmt::format("`[]` needs a list, not {}", print(pool_[list].type))
                : fmt::format("the place of an item is an int, but this is {}", print(pool_[index].type)));
        return unknown();
    }
    TypeId element = types_[pool_[list].type].element;
    if (types_.kind(element) == TypeKind::unknown) {
        c_.report(codes::wrong_operands, e.span, "this list is always empty");
        return unknown();
    }
    return pool_.make(Op::at, element, std::array{list, index});
}

// xs[a..b]; without a bound, from the beginning or to the end.
ExprId Typer::slice(const SyntaxExpr& e) {
    auto children = c_.syntax.children(e);
    ExprId whole = type(children[0], {});
    bool wrong = is_unknown(whole);
    TypeKind k = kind(whole);
    bool sequence = k == TypeKind::list || k == TypeKind::string || k == TypeKind::bytes;
    std::array<ExprId, 3> parts{whole, pool_.integer(0), ExprId()};
    for (std::size_t i : {1u, 2u}) {
        if (c_.syntax[children[i]].kind == SyntaxExprKind::omitted) continue;
        parts[i] = type(children[i], types_.integer());
        wrong = wrong || is_unknown(parts[i]) ||
                !fits(parts[i], types_.integer(), c_.syntax[children[i]].span, "the bound of a slice");
    }
    if (wrong) return unknown();
    if (!sequence) {
        c_.report(codes::wrong_operands, e.span,
                  fmt::format("a slice needs a list, a string or bytes, not {}", print(pool_[whole].type)));
        return unknown();
    }
    if (!parts[2]) parts[2] = size(whole);
    return pool_.make(Op::slice, types_.base(pool_[whole].type), parts);
}

// `o else v`: what the optional holds, or v. `xs[i] else v`: the item, or v where there is none.
ExprId Typer::otherwise(const SyntaxExpr& e) {
    auto children = c_.syntax.children(e);
    const SyntaxExpr& left = c_.syntax[children[0]];
    ExprId present, found;
    if (left.kind == SyntaxExprKind::index) {
        found = index(left);
        if (is_unknown(found)) return unknown();
        if (pool_[found].op == Op::at) {
            std::array list_and_index{pool_.children(found)[0], pool_.children(found)[1]};
            TypeId whole = pool_[list_and_index[0]].type;
            if (types_.kind(whole) == TypeKind::map) {
                ExprId keys = pool_.make(Op::keys, types_.set(types_.base(types_.key_of(whole))),
                                         std::array{list_and_index[0]});
                present = pool_.make(Op::member, types_.boolean(), std::array{list_and_index[1], keys});
            }
            if (!present) {
                ExprId least = pool_.make(Op::greater_equal, types_.boolean(),
                                          std::array{list_and_index[1], pool_.integer(0)});
                ExprId most = pool_.make(Op::less, types_.boolean(),
                                         std::array{list_and_index[1], size(list_and_index[0])});
                present = pool_.logical_and(least, most);
            }
        }
    }
    if (!present) {
        ExprId optional = type(children[0], {});
        if (is_unknown(optional)) return unknown();
        if (kind(optional) != TypeKind::optional) {
            c_.report(codes::wrong_operands, c_.syntax[children[0]].span,
                      fmt::format("`else` needs an optional before it, not {}", print(pool_[optional].type)))
                .help("o else v is what o holds, or v where it holds nothing");
            return unknown();
        }
        present = pool_.make(Op::has, types_.boolean(), std::array{optional});
        found = pool_.make(Op::value, types_[pool_[optional].type].element, std::array{optional});
    }
    TypeId held = pool_[found].type;
    ExprId other = type(children[1], held);
    if (is_unknown(other)) return unknown();
    TypeId joined = types_.join(types_.base(held), types_.base(pool_[other].type));
    if (!joined) {
        c_.report(codes::type_mismatch, c_.syntax[children[1]].span,
                  fmt::format("both sides of an `else` must have the same type, but these are {} and {}",
                              print(held), print(pool_[other].type)));
        return unknown();
    }
    return pool_.make(Op::if_else, joined, std::array{present, found, other});
}

ExprId Typer::field(const SyntaxExpr& e) {
    ExprId x = type(c_.syntax.children(e)[0], {});
    return is_unknown(x) ? unknown() : field_of(x, e.name, e.op_span);
}

ExprId Typer::field_of(ExprId x, NameId name, Span at) {
    const expr::Type& t = types_[pool_[x].type];
    for (std::size_t i = 0; i < t.fields.size(); ++i)
        if (t.fields[i].name == name)
            return pool_.make(Op::field, t.fields[i].type, std::array{x}, static_cast<std::uint32_t>(i));
    std::vector<std::string_view> candidates;
    for (const expr::Field& f : t.fields) candidates.push_back(c_.text(f.name));
    c_.report(codes::unknown_field, at,
              fmt::format("{} has no field `{}`", print(pool_[x].type), c_.text(name)))
        .help(did_you_mean(c_.text(name), candidates));
    return unknown();
}

ExprId Typer::if_else(const SyntaxExpr& e, TypeId wanted) {
    auto children = c_.syntax.children(e);
    ExprId condition = type_condition(c_, scope_, children[0]);
    ExprId a = type(children[1], wanted);
    ExprId b = type(children[2], wanted ? wanted : pool_[a].type);
    if (is_unknown(condition) || is_unknown(a) || is_unknown(b)) return unknown();
    TypeId joined = types_.join(types_.base(pool_[a].type), types_.base(pool_[b].type));
    if (!joined) {
        c_.report(codes::type_mismatch, c_.syntax[children[2]].span,
                  fmt::format("both branches of an `if` must have the same type, but these are {} and {}",
                              print(pool_[a].type), print(pool_[b].type)))
            .label(c_.syntax[children[1]].span, fmt::format("this is {}", print(pool_[a].type)));
        return unknown();
    }
    return pool_.make(Op::if_else, joined, std::array{condition, a, b});
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& candidates) {
    if (wrong.size() < 2) return {};                    // every other letter is as near
    std::vector<std::string_view> sorted = candidates;  // the same answer whatever table they come from
    std::erase_if(sorted, [](std::string_view candidate) { return candidate.size() < 2; });
    std::sort(sorted.begin(), sorted.end());
    std::string_view best = base::nearest(wrong, sorted);
    return best.empty() ? std::string() : fmt::format("did you mean `{}`?", best);
}

expr::ExprId type_expression(Context& context, const Scope& scope, SyntaxExprId id, expr::TypeId wanted,
                             std::string_view what) {
    Typer typer(context, scope);
    ExprId e = typer.type(id, wanted);
    if (wanted && !typer.fits(e, wanted, context.syntax[id].span, what)) return typer.unknown();
    return e;
}

expr::ExprId type_constant(Context& context, const Scope& scope, SyntaxExprId id, expr::TypeId wanted,
                           std::string_view what) {
    Typer typer(context, scope);
    expr::Pool& pool = *context.spec.pool;
    Span span = context.syntax[id].span;
    ExprId e = type_expression(context, scope, id, wanted, what);
    if (typer.is_unknown(e) || pool.is_literal(e)) return e;
    if (auto variables = pool.variables_of(e); !variables.empty()) {
        context.report(codes::not_constant, span,
                       fmt::format("`{}` is a variable, but a constant is needed here",
                                   context.text(pool.variable(variables[0]).name)));
        return typer.unknown();
    }
    expr::Result result = expr::evaluate(pool, e, {});
    if (const expr::Fault* fault = std::get_if<expr::Fault>(&result)) {
        context.report(codes::not_constant, span, fmt::format("this has no value: {}", fault->reason));
        return typer.unknown();
    }
    ExprId folded = pool.literal(std::get<expr::Value>(result), pool.types().base(pool[e].type));
    return !wanted || typer.fits(folded, wanted, span, what) ? folded : typer.unknown();
}

expr::ExprId type_constant_of(Context& context, expr::ExprId constant, Span span, expr::TypeId wanted,
                              std::string_view what) {
    Scope nothing;
    Typer typer(context, nothing);
    if (typer.is_unknown(constant) || typer.fits(constant, wanted, span, what)) return constant;
    return typer.unknown();
}

expr::ExprId type_condition(Context& context, const Scope& scope, SyntaxExprId id) {
    Typer typer(context, scope);
    ExprId e = typer.type(id, {});
    const expr::Types& types = *context.spec.types;
    expr::TypeId type = (*context.spec.pool)[e].type;
    if (types.kind(type) == TypeKind::boolean) return e;
    if (types.kind(type) != TypeKind::unknown)
        context.report(codes::not_a_condition, context.syntax[id].span,
                       fmt::format("a condition must be a bool, but this is {}",
                                   types.print(type, *context.spec.names)));
    return context.spec.pool->boolean(true);
}

std::string regex_pattern(Context& context, Span token) {
    std::string_view text = context.text(token);
    bool ignore_case = text.size() > 2 && text.back() == 'i';
    if (ignore_case) text.remove_suffix(1);
    if (text.size() < 2 || text.back() != '/') return {};  // reported by the lexer
    text = text.substr(1, text.size() - 2);
    std::string pattern = ignore_case ? "(?i)" : "";
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool escape = text[i] == '\\' && i + 1 < text.size();
        if (escape && text[i + 1] != '/') pattern += text[i];
        if (escape) ++i;
        pattern += text[i];
    }
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(std::int64_t{8} << 20);
    RE2 compiled(pattern, options);
    if (!compiled.ok()) {
        context.report(codes::bad_regex, token, fmt::format("invalid pattern: {}", compiled.error()));
        return {};
    }
    return pattern;
}

}  // namespace treaty::lang
