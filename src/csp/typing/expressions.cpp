#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/wording.h"
#include "csp/codes.h"
#include "csp/typing/inference.h"

namespace treaty::csp::typing {
namespace {

struct OperatorTexts {
    Op op;
    std::string_view takes, left;
};
constexpr auto operators = std::to_array<OperatorTexts>({
    {Op::add, "`+` takes {type}", {}},
    {Op::subtract, "`-` takes {type}", {}},
    {Op::multiply, "`*` takes {type}", {}},
    {Op::divide, "`/` takes {type}", {}},
    {Op::modulo, "`%` takes {type}", {}},
    {Op::equal, "`==` compares what can be equal", "the left side of `==` is {type}"},
    {Op::unequal, "`!=` compares what can be equal", "the left side of `!=` is {type}"},
    {Op::less, "`<` compares what has an order", "the left side of `<` is {type}"},
    {Op::greater, "`>` compares what has an order", "the left side of `>` is {type}"},
    {Op::at_most, "`<=` compares what has an order", "the left side of `<=` is {type}"},
    {Op::at_least, "`>=` compares what has an order", "the left side of `>=` is {type}"},
    {Op::logical_and, "`and` takes {type}", {}},
    {Op::logical_or, "`or` takes {type}", {}},
    {Op::concatenate, "`^` takes {type}", "the left side of `^` is {type}"},
});

}  // namespace

TypeId Inference::infer(AstId id) {
    stack_.check();
    return value(syntax_[id]);
}

TypeId Inference::value(const AstNode& node) {
    switch (node.kind) {
        case Ast::integer: return integer_;
        case Ast::boolean: return boolean_;
        case Ast::character: return character_;
        case Ast::name: return name(node);
        case Ast::tuple: {
            std::vector<TypeId> parts;
            for (AstId kid : node.kids) parts.push_back(infer(kid));
            return types_.make(Shape::tuple, std::move(parts));
        }
        case Ast::sequence: return types_.sequence_of(elements(node, node.kids.size(), false));
        case Ast::set: return types_.set_of(elements(node, node.kids.size(), true));
        case Ast::sequence_range:
        case Ast::set_range: return range(node);
        case Ast::sequence_of:
        case Ast::set_of: return comprehension(node);
        case Ast::events_of: return events_of(node);
        case Ast::apply: return apply(node);
        case Ast::dot: return dot(node);
        case Ast::negate: return unary(node, integer_, integer_, "`-` takes {type}");
        case Ast::logical_not: return unary(node, boolean_, boolean_, "`not` takes {type}");
        case Ast::length:
            return unary(node, types_.sequence_of(solver_.fresh()), integer_, "`#` takes {type}");
        case Ast::binary: return binary(node);
        case Ast::choose: return choose(node);
        case Ast::let: return let(node);
        case Ast::lambda: return lambda(node);
        case Ast::field_values: return field_values(node);
        case Ast::wildcard:
        case Ast::both:
            say(codes::type_mismatch, node.span, "this is a pattern, and a value is needed here");
            return unknown_;
        default: break;
    }
    return process(node);
}

TypeId Inference::function(std::vector<TypeId> parameters, TypeId result) {
    parameters.push_back(result);
    return types_.make(Shape::function, std::move(parameters));
}

TypeId Inference::name(const AstNode& node) {
    auto use = [&](const Scheme& scheme) {
        if (!scheme.generic) return scheme.type;
        if (!scheme.equations.empty())
            solver_.at(node.span, {"what `{name}` is given must make {type}", text(node.name)});
        return solver_.instance(scheme);
    };
    if (auto local = locals_.find(node.name); local != locals_.end() && !local->second.empty())
        return use(local->second.back());
    const Global* global = scopes_.global(node.name);
    if (!global) return unknown_;
    switch (global->meaning) {
        case Meaning::channel: return use(channels_[global->index]);
        case Meaning::constructor: return use(constructors_[global->index]);
        case Meaning::datatype: return types_.set_of(datatypes_[global->index]);
        case Meaning::type: return types_.set_of(use(nametypes_[global->index]));
        case Meaning::definition: return use(definitions_[global->index]);
        case Meaning::transparent: return function({process_}, process_);
        case Meaning::builtin: break;
    }
    solver_.at(node.span, {"only a channel, an event or a value of a datatype can be extended"});
    return builtin(builtin_names()[global->index]);
}

TypeId Inference::builtin(std::string_view name) {
    if (name == "STOP" || name == "SKIP" || name == "DIV") return process_;
    if (name == "CHAOS" || name == "RUN") return function({types_.set_of(event_)}, process_);
    if (name == "Events") return types_.set_of(event_);
    if (name == "Int") return types_.set_of(integer_);
    if (name == "Bool") return types_.set_of(boolean_);
    TypeId string = types_.sequence_of(character_);
    if (name == "error") return function({string}, solver_.fresh());
    if (name == "show") return function({solver_.fresh()}, string);
    // What these tell of a set compares its elements.
    bool compares = name == "elem" || name == "member" || name == "card" || name == "empty" || name == "seq";
    bool set = name != "head" && name != "tail" && name != "null" && name != "length" && name != "concat" &&
               name != "elem";
    TypeId a = solver_.fresh(compares ? needs_equality : set ? needs_set : Needs(0));
    if (name == "productions" || name == "extensions") {
        TypeId of = solver_.fresh();
        solver_.require(name == "productions" ? Solver::Relation::extends : Solver::Relation::extensions, of,
                        a);
        return function({of}, types_.set_of(a));
    }
    TypeId sets = types_.set_of(a), sequences = types_.sequence_of(a);
    if (name == "union" || name == "inter" || name == "diff") return function({sets, sets}, sets);
    if (name == "Union" || name == "Inter") return function({types_.set_of(sets)}, sets);
    if (name == "member") return function({a, sets}, boolean_);
    if (name == "card") return function({sets}, integer_);
    if (name == "empty") return function({sets}, boolean_);
    if (name == "set") return function({sequences}, sets);
    if (name == "Set") return function({sets}, types_.set_of(sets));
    if (name == "Seq") return function({sets}, types_.set_of(sequences));
    if (name == "seq") return function({sets}, sequences);
    if (name == "head") return function({sequences}, a);
    if (name == "tail") return function({sequences}, sequences);
    if (name == "null") return function({sequences}, boolean_);
    if (name == "length") return function({sequences}, integer_);
    if (name == "elem") return function({a, sequences}, boolean_);
    if (name == "concat") return function({types_.sequence_of(sequences)}, sequences);
    return unknown_;
}

TypeId Inference::elements(const AstNode& node, std::size_t count, bool set) {
    TypeId element = solver_.fresh();
    for (std::size_t i = 0; i < count; ++i) {
        expect(node.kids[i], element, {"the element before this is {type}"});
        if (set)
            expect_needs(element, needs_set, syntax_[node.kids[i]].span,
                         "a set has elements that can be compared");
    }
    return element;
}

TypeId Inference::range(const AstNode& node) {
    for (AstId kid : node.kids) expect(kid, integer_, {"a range begins and ends with {type}"});
    return node.kind == Ast::set_range ? types_.set_of(integer_) : types_.sequence_of(integer_);
}

TypeId Inference::comprehension(const AstNode& node) {
    Scope scope(*this);
    auto heads = static_cast<std::size_t>(node.number);
    bool set = node.kind == Ast::set_of;
    qualifiers(std::span(node.kids).subspan(heads), !set);
    TypeId element = elements(node, heads, set);
    return set ? types_.set_of(element) : types_.sequence_of(element);
}

// Generators bind names until the end of the scope.
void Inference::qualifiers(std::span<const AstId> all, bool ordered) {
    for (AstId id : all) {
        const AstNode& node = syntax_[id];
        if (node.kind != Ast::generator) {
            expect(id, boolean_, {"a condition is {type}"});
            continue;
        }
        TypeId element = solver_.fresh();
        TypeId from = ordered ? types_.sequence_of(element) : types_.set_of(element);
        bool drawn = expect(node.kids[1], from, {"a generator takes its values from {type} here"});
        TypeId found = pattern(node.kids[0]);
        if (drawn) expect(found, element, syntax_[node.kids[0]].span, {"the generator gives {type}"});
    }
}

TypeId Inference::events_of(const AstNode& node) {
    Scope scope(*this);
    auto heads = static_cast<std::size_t>(node.number);
    qualifiers(std::span(node.kids).subspan(heads), false);
    TypeId all = solver_.fresh(needs_set);
    for (std::size_t i = 0; i < heads; ++i) {
        base::Span span = syntax_[node.kids[i]].span;
        expect(extendable(infer(node.kids[i]), span), all, span, {"the element before this makes {type}"});
    }
    return types_.set_of(all);
}

// What a channel, a part of an event or a constructor is with all its fields.
TypeId Inference::extendable(TypeId of, base::Span span) {
    TypeId whole = solver_.fresh();
    Why why{"only a channel, an event or a value of a datatype can be extended"};
    solver_.at(span, why);
    if (solver_.require(Solver::Relation::extends, of, whole)) return whole;
    report(span, why, of, whole);
    return unknown_;
}

TypeId Inference::apply(const AstNode& node) {
    TypeId callee = types_.resolve(infer(node.kids[0]));
    std::size_t given = node.kids.size() - 1;
    std::string called = name_of(node.kids[0]);
    if (called.empty()) called = "this function";
    auto quoted = called == "this function" ? called : fmt::format("`{}`", called);
    auto others = [&] {
        std::vector<TypeId> arguments;
        for (std::size_t i = 1; i <= given; ++i) arguments.push_back(infer(node.kids[i]));
        return arguments;
    };
    if (types_.shape(callee) == Shape::variable) {
        TypeId result = solver_.fresh();
        TypeId wanted = function(others(), result);
        expect(callee, wanted, syntax_[node.kids[0]].span, {"{type} is called here"});
        return result;
    }
    if (types_.shape(callee) != Shape::function) {
        others();
        if (callee != unknown_)
            say(codes::type_mismatch, syntax_[node.kids[0]].span,
                fmt::format("a function is called here, but this is {}", types_.describe(callee)));
        return unknown_;
    }
    std::size_t wanted = types_[callee].parts.size() - 1;
    if (wanted != given) {
        others();
        say(codes::argument_count, node.span,
            fmt::format("{} takes {}, not {}", quoted, base::counted(wanted, "argument"), given));
        return unknown_;
    }
    bool incomparable = false;  // one such fault is enough: the other arguments have the same type
    for (std::size_t i = 0; i < given; ++i) {
        std::string_view text = given == 1 ? "{name} takes {type}" : "argument {number} of {name} is {type}";
        Why why{text, quoted, i + 1};
        TypeId found = infer(node.kids[i + 1]), parameter = types_[callee].parts[i];
        base::Span span = syntax_[node.kids[i + 1]].span;
        solver_.at(span, why);
        if (solver_.equate(found, parameter)) continue;
        bool again = std::exchange(incomparable, solver_.fault() == Fault::incomparable) && incomparable;
        if (!again) report(span, why, found, parameter);
    }
    return types_[callee].parts.back();
}

TypeId Inference::unary(const AstNode& node, TypeId operand, TypeId result, std::string_view takes) {
    return expect(node.kids[0], operand, {takes}) ? result : unknown_;
}

TypeId Inference::binary(const AstNode& node) {
    const OperatorTexts& texts =
        *std::find_if(operators.begin(), operators.end(), [&](const auto& t) { return t.op == node.op; });
    AstId left = node.kids[0], right = node.kids[1];
    auto both = [&](TypeId type, TypeId result) {
        bool fine = expect(left, type, {texts.takes});
        fine = expect(right, type, {texts.takes}) && fine;
        return fine ? result : unknown_;
    };
    switch (node.op) {
        case Op::logical_and:
        case Op::logical_or: return both(boolean_, boolean_);
        case Op::equal:
        case Op::unequal:
        case Op::less:
        case Op::greater:
        case Op::at_most:
        case Op::at_least: {
            TypeId type = infer(left);
            if (!expect(right, type, {texts.left})) return boolean_;
            bool order = node.op != Op::equal && node.op != Op::unequal;
            expect_needs(type, order ? needs_order : needs_equality, syntax_[left].span, texts.takes);
            return boolean_;
        }
        case Op::concatenate: {
            TypeId sequence = types_.sequence_of(solver_.fresh());
            bool fine = expect(left, sequence, {texts.takes});
            expect(right, sequence, {fine ? texts.left : texts.takes});
            return sequence;
        }
        default: return both(integer_, integer_);
    }
}

TypeId Inference::choose(const AstNode& node) {
    expect(node.kids[0], boolean_, {"a condition is {type}"});
    TypeId yes = infer(node.kids[1]);
    return expect(node.kids[2], yes, {"the branch after `then` is {type}"}) ? yes : unknown_;
}

TypeId Inference::lambda(const AstNode& node) {
    Scope scope(*this);
    std::vector<TypeId> parameters;
    for (std::size_t i = 0; i + 1 < node.kids.size(); ++i) parameters.push_back(pattern(node.kids[i]));
    TypeId result = infer(node.kids.back());
    return function(std::move(parameters), result);
}

TypeId Inference::dot(const AstNode& node) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < node.kids.size(); ++i)
        parts.push_back({infer(node.kids[i]), static_cast<std::uint32_t>(i)});
    return join(std::move(parts), node.kids);
}

// A dot of these parts, each with its place in the script.
TypeId Inference::join(std::vector<Part> parts, std::span<const AstId> places) {
    solver_.at(syntax_[places[0]].span, {"this must be {type}"});
    Solver::Dot dot = solver_.reduce(std::move(parts));
    if (!dot.failed) return solver_.type_of(dot);
    std::string owner = name_of(places[dot.owner]);
    say(codes::type_mismatch, syntax_[places[dot.value]].span,
        fmt::format("{} carries {} here, but this is {}",
                    owner.empty() ? "the part before" : fmt::format("`{}`", owner),
                    types_.describe(dot.expected), types_.describe(dot.found)));
    return unknown_;
}

// What `$x` selects: the next field of an event, or all that are left. Whether there are any the
// communication says.
TypeId Inference::field_values(const AstNode& node) {
    TypeId part = infer(node.kids[0]);
    bool all = node.number == 1;
    TypeId values = solver_.fresh(all ? Needs(0) : one_field);
    solver_.at(node.span, {"the fields of this must make {type}"});
    Solver::Dot dot = solver_.reduce({{part, 0}, {values, 0}});
    if (all && !dot.failed) solver_.equate(solver_.type_of(dot), event_);
    return types_.set_of(values);
}

}  // namespace treaty::csp::typing
