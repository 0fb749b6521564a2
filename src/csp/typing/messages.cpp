#include <fmt/format.h>

#include "base/wording.h"
#include "csp/codes.h"
#include "csp/typing/inference.h"

namespace treaty::csp::typing {
namespace {

std::string filled(const Why& why, const std::string& type) {
    std::string out;
    for (std::string_view rest = why.text; !rest.empty();) {
        std::size_t open = rest.find('{');
        out += rest.substr(0, open);
        if (open == std::string_view::npos) break;
        std::size_t close = rest.find('}', open);
        std::string_view word = rest.substr(open + 1, close - open - 1);
        if (word == "type")
            out += type;
        else if (word == "name")
            out += why.name;
        else
            out += std::to_string(why.number);
        rest.remove_prefix(close + 1);
    }
    return out;
}

const base::Code& code_of(Fault fault) {
    switch (fault) {
        case Fault::infinite: return codes::infinite_type;
        case Fault::incomparable: return codes::not_comparable;
        case Fault::fields: return codes::wrong_fields;
        case Fault::none:
        case Fault::mismatch: break;
    }
    return codes::type_mismatch;
}

}  // namespace

// A module is read once per instance and some definitions are read as several: each fault is reported once.
base::Diagnostic* Inference::say(const base::Code& code, base::Span span, std::string message) {
    if (!reported_.emplace(code.number, span.file.index, span.begin, span.end).second) return nullptr;
    return &diagnostics_.report(code, span, std::move(message));
}

void Inference::report(base::Span span, const Why& why, TypeId found, TypeId expected) {
    Fault fault = solver_.fault();
    found = types_.resolve(found);
    if (types_.shape(found) == Shape::dot) {
        // As far as its fields fit: an event that lacks a field is called one.
        Solver::Dot dot = solver_.reduce({{found, 0}});
        if (!dot.failed && !dot.unknown) found = solver_.type_of(dot);
    }
    std::string message =
        fmt::format("{}, but this is {}", filled(why, types_.describe(expected)), described(found));
    if (fault == Fault::infinite) message += ", and no type contains itself";
    expected = types_.resolve(expected);
    Shape got = types_.shape(found), wanted = types_.shape(expected);
    bool lacks = got == Shape::field && (wanted == Shape::event || wanted == Shape::datatype);
    base::Diagnostic* said = say(lacks ? codes::wrong_fields : code_of(fault), span, std::move(message));
    if (!said) return;
    if (lacks && wanted == Shape::event) said->help("write the rest after a dot, `!` or `?`");
    if (got == Shape::set && wanted == Shape::set) {
        Shape element = types_.shape(types_.resolve(types_[found].parts[0]));
        if (element == Shape::field) said->help("{| c |} are all events of a channel c");
    }
    if (got == Shape::function && wanted != Shape::function) said->help("give it its arguments");
}

std::string Inference::described(TypeId type) const {
    type = types_.resolve(type);
    bool dot = types_.shape(type) == Shape::dot;
    TypeId head = dot ? types_.resolve(types_[type].parts[0]) : type;
    if (!dot || types_.shape(head) != Shape::event) return types_.describe(type);
    std::size_t more = types_[type].parts.size() - 1;
    return fmt::format("an event with {} too many", base::counted(more, "field"));
}

bool Inference::expect(TypeId found, TypeId expected, base::Span span, Why why) {
    solver_.at(span, why);
    if (solver_.equate(found, expected)) return true;
    report(span, why, found, expected);
    return false;
}

bool Inference::expect(AstId expression, TypeId expected, Why why) {
    return expect(infer(expression), expected, syntax_[expression].span, std::move(why));
}

void Inference::expect_needs(TypeId type, Needs needs, base::Span span, std::string_view what) {
    if (solver_.require_needs(type, needs)) return;
    say(codes::not_comparable, span, fmt::format("{}, but this is {}", what, types_.describe(type)));
}

std::string Inference::name_of(AstId expression) const {
    const AstNode& node = syntax_[expression];
    return node.kind == Ast::name ? text(node.name) : std::string();
}

}  // namespace treaty::csp::typing
