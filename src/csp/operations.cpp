// What operators, built-in functions and patterns do with values.

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "csp/codes.h"
#include "csp/evaluator.h"

namespace treaty::csp {

ValueId Evaluator::binary(const AstNode& node, Environment& env) {
    ValueId left = evaluate(node.kids[0], env);
    if (node.op == Op::logical_and || node.op == Op::logical_or) {
        expect_kind(left, Kind::boolean, syntax_[node.kids[0]].span);
        if ((values_.number(left) != 0) == (node.op == Op::logical_or)) return left;
        ValueId right = evaluate(node.kids[1], env);
        expect_kind(right, Kind::boolean, syntax_[node.kids[1]].span);
        return right;
    }
    ValueId right = evaluate(node.kids[1], env);
    switch (node.op) {
        case Op::equal: return values_.boolean(left == right);
        case Op::unequal: return values_.boolean(left != right);
        case Op::concatenate: {
            expect_kind(left, Kind::sequence, syntax_[node.kids[0]].span);
            expect_kind(right, Kind::sequence, syntax_[node.kids[1]].span);
            auto a = values_.parts(left), b = values_.parts(right);
            if (a.size() + b.size() > max_elements)
                fail(codes::too_large, node.span, "more than a million elements");
            std::vector<ValueId> all(a.begin(), a.end());
            all.insert(all.end(), b.begin(), b.end());
            return values_.make(Kind::sequence, 0, all);
        }
        case Op::less:
        case Op::greater:
        case Op::at_most:
        case Op::at_least: return values_.boolean(compare(node.op, left, right, node.span));
        default: return arithmetic(node.op, left, right, node.span);
    }
}

ValueId Evaluator::arithmetic(Op op, ValueId left, ValueId right, base::Span span) {
    expect_kind(left, Kind::integer, span);
    expect_kind(right, Kind::integer, span);
    std::int64_t a = values_.number(left), b = values_.number(right), result = 0;
    bool overflow = false;
    switch (op) {
        case Op::add: overflow = __builtin_add_overflow(a, b, &result); break;
        case Op::subtract: overflow = __builtin_sub_overflow(a, b, &result); break;
        case Op::multiply: overflow = __builtin_mul_overflow(a, b, &result); break;
        case Op::divide:
        case Op::modulo:
            if (b == 0) fail(codes::no_value, span, "division by zero");
            if (b == -1) {
                overflow = __builtin_sub_overflow(std::int64_t(0), a, &result);
                if (op == Op::modulo) result = 0, overflow = false;
                break;
            }
            // Rounds down, so that the remainder has the sign of the divisor.
            result = a / b;
            if (a % b != 0 && (a < 0) != (b < 0)) --result;
            if (op == Op::modulo) result = a - result * b;
            break;
        default: break;
    }
    if (overflow) fail(codes::no_value, span, "the number is too large");
    return values_.integer(result);
}

bool Evaluator::compare(Op op, ValueId left, ValueId right, base::Span span) {
    if (op == Op::greater) return compare(Op::less, right, left, span);
    if (op == Op::at_least) return compare(Op::at_most, right, left, span);
    bool strict = op == Op::less;
    if (values_.kind(left) == Kind::set && values_.kind(right) == Kind::set) {
        auto a = values_.parts(left), b = values_.parts(right);
        return std::includes(b.begin(), b.end(), a.begin(), a.end()) && (!strict || a.size() < b.size());
    }
    if (values_.kind(left) == Kind::sequence && values_.kind(right) == Kind::sequence) {
        auto a = values_.parts(left), b = values_.parts(right);
        return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin()) &&
               (!strict || a.size() < b.size());
    }
    expect_kind(left, Kind::integer, span);
    expect_kind(right, Kind::integer, span);
    std::int64_t a = values_.number(left), b = values_.number(right);
    return strict ? a < b : a <= b;
}

ValueId Evaluator::builtin(std::int64_t which, std::span<const ValueId> arguments, base::Span span) {
    if (which < 0) {  // a function that leaves its process as it is
        if (arguments.size() != 1) fail(codes::no_clause, span, "this function takes one process");
        return arguments[0];
    }
    std::string_view name = builtin_names()[static_cast<std::size_t>(which)];
    bool two = name == "union" || name == "inter" || name == "diff" || name == "member" || name == "elem";
    if (arguments.size() != (two ? 2u : 1u))
        fail(codes::no_clause, span,
             fmt::format("{} takes {} argument{}", name, two ? 2 : 1, two ? "s" : ""));
    if (name == "CHAOS" || name == "RUN") {
        expect_kind(arguments[0], Kind::set, span);
        for (ValueId event : values_.parts(arguments[0])) check_event(event, span);
        return term(name == "RUN" ? Term::run : Term::chaos, arguments);
    }
    if (name == "error") {
        expect_kind(arguments[0], Kind::sequence, span);
        fail(codes::no_value, span, fmt::format("error: {}", print(arguments[0])));
    }
    if (name == "show") {
        std::vector<ValueId> letters;
        for (unsigned char c : print(arguments[0])) letters.push_back(values_.make(Kind::character, c));
        return values_.make(Kind::sequence, 0, letters);
    }
    if (name == "productions" || name == "extensions") return dot_operation(name, arguments[0], span);
    for (std::string_view one : {"head", "tail", "null", "length", "elem", "concat", "set"})
        if (name == one) return sequence_operation(name, arguments, span);
    return set_operation(name, arguments, span);
}

ValueId Evaluator::set_operation(std::string_view name, std::span<const ValueId> arguments, base::Span span) {
    if (name == "member") {
        expect_kind(arguments[1], Kind::set, span);
        return values_.boolean(values_.contains(arguments[1], arguments[0]));
    }
    for (ValueId a : arguments) expect_kind(a, Kind::set, span);
    if (arguments.size() == 2) return combined(name, arguments[0], arguments[1], span);
    if (name == "Seq") return sequences(arguments[0]);
    auto a = finite(arguments[0], span);
    if (name == "card") return values_.integer(static_cast<std::int64_t>(a.size()));
    if (name == "empty") return values_.boolean(a.empty());
    if (name == "Set") return subsets(arguments[0], span);
    if (name == "seq") return values_.make(Kind::sequence, 0, a);
    if (a.empty() && name == "Inter") fail(codes::no_value, span, "the intersection of no sets");
    std::vector<ValueId> result;
    for (std::size_t i = 0; i < a.size(); ++i) {
        expect_kind(a[i], Kind::set, span);
        auto more = finite(a[i], span);
        std::vector<ValueId> next;
        if (i == 0)
            next.assign(more.begin(), more.end());
        else if (name == "Union")
            std::set_union(result.begin(), result.end(), more.begin(), more.end(), std::back_inserter(next));
        else
            std::set_intersection(result.begin(), result.end(), more.begin(), more.end(),
                                  std::back_inserter(next));
        result = std::move(next);
    }
    return values_.set(std::move(result));
}

std::span<const ValueId> Evaluator::finite(ValueId set, base::Span span) {
    if (values_.infinite(set))
        fail(codes::too_large, span, fmt::format("{} has infinitely many elements", print(set)));
    return values_.parts(set);
}

// union, inter and diff; the last two also with an infinite set at the right, which is only asked.
ValueId Evaluator::combined(std::string_view name, ValueId left, ValueId right, base::Span span) {
    if (name == "inter" && values_.infinite(left)) std::swap(left, right);
    auto a = finite(left, span);
    std::vector<ValueId> result;
    if (name == "union") {
        auto b = finite(right, span);
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    } else {
        std::copy_if(a.begin(), a.end(), std::back_inserter(result),
                     [&](ValueId v) { return values_.contains(right, v) == (name == "inter"); });
    }
    return values_.set(std::move(result));
}

// All sequences of these elements: infinitely many, unless there is nothing they could have.
ValueId Evaluator::sequences(ValueId elements) {
    bool none = !values_.infinite(elements) && values_.parts(elements).empty();
    if (none) return values_.set({values_.make(Kind::sequence, 0)});
    ValueId parts[] = {elements};
    return values_.make(Kind::sequences, 0, parts);
}

// productions(c.1): every event or value that begins so; extensions(c.1): what makes it one.
ValueId Evaluator::dot_operation(std::string_view name, ValueId of, base::Span span) {
    if (name == "productions") return values_.set(extensions(of, span));
    std::vector<ValueId> parts = components(of);
    if (values_.kind(parts[0]) != Kind::atom)
        fail(codes::wrong_kind, span, fmt::format("{} is not a channel or an event", print(of)));
    std::vector<ValueId> left = rest(parts, span);
    if (left.empty())
        fail(codes::no_value, span, fmt::format("{} is already complete: it has no extensions", print(of)));
    return values_.set(following(parts[0], left, Follow::all, span));
}

ValueId Evaluator::sequence_operation(std::string_view name, std::span<const ValueId> arguments,
                                      base::Span span) {
    ValueId sequence = arguments[name == "elem" ? 1 : 0];
    expect_kind(sequence, Kind::sequence, span);
    auto parts = values_.parts(sequence);
    if ((name == "head" || name == "tail") && parts.empty())
        fail(codes::no_value, span, fmt::format("{} of the empty sequence", name));
    if (name == "head") return parts[0];
    if (name == "tail") return values_.make(Kind::sequence, 0, parts.subspan(1));
    if (name == "null") return values_.boolean(parts.empty());
    if (name == "length") return values_.integer(static_cast<std::int64_t>(parts.size()));
    if (name == "elem")
        return values_.boolean(std::find(parts.begin(), parts.end(), arguments[0]) != parts.end());
    if (name == "set") return values_.set({parts.begin(), parts.end()});
    std::vector<ValueId> all;
    for (ValueId part : parts) {
        expect_kind(part, Kind::sequence, span);
        auto inner = values_.parts(part);
        all.insert(all.end(), inner.begin(), inner.end());
        if (all.size() > max_elements) fail(codes::too_large, span, "more than a million elements");
    }
    return values_.make(Kind::sequence, 0, all);
}

ValueId Evaluator::subsets(ValueId set, base::Span span) {
    auto parts = values_.parts(set);
    if (parts.size() > 16)
        fail(codes::too_large, span, fmt::format("a set of {} elements has too many subsets", parts.size()));
    std::vector<ValueId> all;
    for (std::size_t bits = 0; bits < std::size_t(1) << parts.size(); ++bits) {
        std::vector<ValueId> some;
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (bits >> i & 1) some.push_back(parts[i]);
        all.push_back(values_.set(std::move(some)));
    }
    return values_.set(std::move(all));
}

bool Evaluator::match(AstId id, ValueId value, Environment& env) {
    const AstNode& node = syntax_[id];
    auto parts = values_.parts(value);
    switch (node.kind) {
        case Ast::wildcard: return true;
        case Ast::name:
            if (scopes_.constant(node.name))
                return value == values_.make(Kind::atom, atom_ids_.at(node.name));
            env.emplace_back(node.name, value);
            return true;
        case Ast::integer: return value == values_.integer(node.number);
        case Ast::boolean: return value == values_.boolean(node.number != 0);
        case Ast::character: return value == values_.make(Kind::character, node.number);
        case Ast::negate: return value == evaluate(id, env);
        case Ast::both: return match(node.kids[0], value, env) && match(node.kids[1], value, env);
        case Ast::dot: return match_dot(node, value, env);
        case Ast::tuple:
            if (values_.kind(value) != Kind::tuple || parts.size() != node.kids.size()) return false;
            for (std::size_t i = 0; i < parts.size(); ++i)
                if (!match(node.kids[i], parts[i], env)) return false;
            return true;
        case Ast::set:
            if (values_.kind(value) != Kind::set || parts.size() != node.kids.size() || parts.size() > 1)
                return false;
            return parts.empty() || match(node.kids[0], parts[0], env);
        case Ast::sequence:
        case Ast::binary: return match_sequence(node, value, env);
        default: fail(codes::wrong_kind, node.span, "this is not a pattern");
    }
}

// <a, b>, or p ^ q where the length of one side is known from its form.
bool Evaluator::match_sequence(const AstNode& node, ValueId value, Environment& env) {
    if (node.kind == Ast::binary && node.op != Op::concatenate)
        fail(codes::wrong_kind, node.span, "this is not a pattern");
    if (values_.kind(value) != Kind::sequence) return false;
    auto parts = values_.parts(value);
    if (node.kind == Ast::sequence) {
        if (parts.size() != node.kids.size()) return false;
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (!match(node.kids[i], parts[i], env)) return false;
        return true;
    }
    const AstNode& left = syntax_[node.kids[0]];
    const AstNode& right = syntax_[node.kids[1]];
    std::size_t cut = 0;
    if (left.kind == Ast::sequence)
        cut = left.kids.size();
    else if (right.kind == Ast::sequence)
        cut = parts.size() - std::min(parts.size(), right.kids.size());
    else
        fail(codes::unsupported, node.span, "a pattern p ^ q of two unknown lengths is not supported");
    if (cut > parts.size()) return false;
    ValueId front = values_.make(Kind::sequence, 0, parts.first(cut));
    ValueId back = values_.make(Kind::sequence, 0, parts.subspan(cut));
    return match(node.kids[0], front, env) && match(node.kids[1], back, env);
}

// The parts of a dotted pattern in a row: (x.y).z is x.y.z, but (P.x).z has two, as a constructor in brackets
// keeps its fields together.
void Evaluator::dotted_parts(const AstNode& node, std::vector<AstId>& into) const {
    for (AstId kid : node.kids) {
        const AstNode& part = syntax_[kid];
        if (part.kind == Ast::dot && !names_constant(part.kids[0]))
            dotted_parts(part, into);
        else
            into.push_back(kid);
    }
}

bool Evaluator::names_constant(AstId pattern) const {
    const AstNode& node = syntax_[pattern];
    return node.kind == Ast::name && scopes_.constant(node.name);
}

// A channel or constructor matches itself, and its fields are matched by what follows it in the pattern.
// Any other part takes one field, whole, and the last one all that is left. Of a single value such as P.1.2
// the first part is P; of several in a row it is the first of them.
bool Evaluator::match_dot(const AstNode& node, ValueId value, Environment& env) {
    if (values_.kind(value) != Kind::dot) return false;
    std::vector<AstId> patterns;
    dotted_parts(node, patterns);
    auto flat = values_.parts(value);
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < patterns.size(); ++i) {
        if (at == flat.size()) return false;
        std::size_t end = component_end(flat, at);
        bool bracketed = syntax_[patterns[i]].kind == Ast::dot;
        if (names_constant(patterns[i]) || (at == 0 && end == flat.size() && !bracketed)) end = at + 1;
        if (!match(patterns[i], values_.dot(flat.subspan(at, end - at)), env)) return false;
        at = end;
    }
    return at < flat.size() && match(patterns.back(), values_.dot(flat.subspan(at)), env);
}

std::string Evaluator::print(ValueId value) const {
    auto list = [&](std::string_view open, std::string_view between, std::string_view close) {
        std::string out(open);
        bool first = true;
        for (ValueId part : values_.parts(value)) {
            if (!first) out += between;
            first = false;
            out += print(part);
            if (out.size() > 10000) return out + "...";
        }
        return out.append(close);
    };
    switch (values_.kind(value)) {
        case Kind::integer: return std::to_string(values_.number(value));
        case Kind::boolean: return values_.number(value) != 0 ? "true" : "false";
        case Kind::atom:
            return std::string(
                syntax_.names.text(atoms_[static_cast<std::size_t>(values_.number(value))].name));
        case Kind::dot: return list("", ".", "");
        case Kind::tuple: return list("(", ",", ")");
        case Kind::character:
            return fmt::format("'{}'",
                               base::escaped(std::string(1, static_cast<char>(values_.number(value)))));
        case Kind::sequence: {
            auto parts = values_.parts(value);
            bool string = !parts.empty() && std::ranges::all_of(parts, [&](ValueId part) {
                return values_.kind(part) == Kind::character;
            });
            if (!string) return list("<", ",", ">");
            std::string text;
            for (ValueId part : parts) text += static_cast<char>(values_.number(part));
            return base::quoted_bytes(text);
        }
        case Kind::set: return list("{", ",", "}");
        case Kind::integers: return "Int";
        case Kind::sequences: return list("Seq(", "", ")");
        case Kind::function:
        case Kind::partial:
        case Kind::lambda:
        case Kind::builtin: return "a function";
        case Kind::local:
        case Kind::process: return "a process";
    }
    return {};
}

}  // namespace treaty::csp
