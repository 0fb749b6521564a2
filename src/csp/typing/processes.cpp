#include <fmt/format.h>

#include "csp/codes.h"
#include "csp/typing/inference.h"

namespace treaty::csp::typing {

void Inference::expect_process(AstId id) {
    expect(id, process_, {"{type} is needed here"});
}
void Inference::expect_events(AstId id) {
    expect(id, types_.set_of(event_), {"{type} is needed here"});
}

TypeId Inference::process(const AstNode& node) {
    auto kid = [&](std::size_t i) { return node.kids[i]; };
    switch (node.kind) {
        case Ast::prefix: prefix(node); break;
        case Ast::guard:
            expect(kid(0), boolean_, {"a condition is {type}"});
            expect_process(kid(1));
            break;
        case Ast::external:
        case Ast::internal:
        case Ast::sequential:
        case Ast::sliding:
        case Ast::interrupt:
        case Ast::interleave:
            expect_process(kid(0));
            expect_process(kid(1));
            break;
        case Ast::parallel:
        case Ast::exception:
            expect_process(kid(0));
            expect_events(kid(1));
            expect_process(kid(2));
            break;
        case Ast::alphabetised:
            expect_process(kid(0));
            expect_events(kid(1));
            expect_events(kid(2));
            expect_process(kid(3));
            break;
        case Ast::linked:
            expect_process(kid(0));
            infer(kid(1));
            expect_process(kid(2));
            break;
        case Ast::hide:
            expect_process(kid(0));
            expect_events(kid(1));
            break;
        case Ast::rename:
        case Ast::links: {
            std::size_t first = node.kind == Ast::rename ? 1 : 0;
            if (first == 1) expect_process(kid(0));
            Scope scope(*this);
            std::size_t pairs = first + static_cast<std::size_t>(node.number);
            qualifiers(std::span(node.kids).subspan(pairs), false);
            for (std::size_t i = first; i < pairs; ++i) pair(syntax_[kid(i)]);
            break;
        }
        case Ast::replicated: replicated(node); break;
        default: return unknown_;
    }
    return process_;
}

// Two events, or two channels or parts of events that lack the same fields.
void Inference::pair(const AstNode& node) {
    AstId from = node.kids[0], to = node.kids[1];
    TypeId left = infer(from), right = infer(to);
    base::Span span = syntax_[from].span;
    if (expect(extendable(left, span), event_, span, {"this begins {type}"}))
        expect(right, left, syntax_[to].span, {"the left side of the pair is {type}"});
}

void Inference::prefix(const AstNode& node) {
    Scope scope(*this);
    if (syntax_[node.kids[0]].kind == Ast::communicate)
        communication(syntax_[node.kids[0]]);
    else
        expect(node.kids[0], event_, {"a prefix begins with {type}"});
    expect_process(node.kids[1]);
}

void Inference::communication(const AstNode& node) {
    std::vector<AstId> places{node.kids[0]};
    std::vector<Part> parts{{infer(node.kids[0]), 0}};
    for (std::size_t i = 1; i < node.kids.size(); ++i) {
        const AstNode& field = syntax_[node.kids[i]];
        places.push_back(field.kids[0]);
        auto place = static_cast<std::uint32_t>(i);
        if (field.kind == Ast::output)
            parts.push_back({infer(field.kids[0]), place});
        else
            input(field, i + 1 == node.kids.size(), parts, place);
    }
    TypeId whole = join(std::move(parts), places);
    expect(whole, event_, node.span, {"a prefix begins with {type}"});
}

// An input takes one field; the last one takes all that remain. ?(x.y) takes two, as ?x.y does.
void Inference::input(const AstNode& field, bool last, std::vector<Part>& parts, std::uint32_t place) {
    AstId id = field.kids[0];
    const AstNode& node = syntax_[id];
    if (field.kids.size() > 1) {
        TypeId element = solver_.fresh();
        bool drawn = expect(field.kids[1], types_.set_of(element), {"an input takes its values from {type}"});
        TypeId found = pattern(id, last ? Needs(0) : one_field);
        if (drawn) expect(found, element, node.span, {"the set gives {type}"});
        TypeId taken = types_.resolve(found);
        if (types_.shape(taken) == Shape::field) {
            say(codes::wrong_fields, syntax_[field.kids[1]].span,
                fmt::format("an input takes complete values, but this has {}", types_.describe(taken)));
            taken = unknown_;
        }
        found = taken;
        parts.push_back({found, place});
        return;
    }
    std::vector<AstId> patterns;
    bool several = node.kind == Ast::dot &&
                   !(syntax_[node.kids[0]].kind == Ast::name && scopes_.constant(syntax_[node.kids[0]].name));
    if (several)
        pattern_parts(node, patterns);
    else
        patterns.push_back(id);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
        bool rest = last && i + 1 == patterns.size();
        parts.push_back({pattern(patterns[i], rest ? Needs(0) : one_field), place});
    }
}

void Inference::replicated(const AstNode& node) {
    auto count = static_cast<std::size_t>(node.number);
    if (node.op == Op::parallel) expect_events(node.kids[count]);
    Scope scope(*this);
    qualifiers(std::span(node.kids).first(count), node.op == Op::sequential || node.op == Op::linked);
    if (node.op == Op::alphabetised) expect_events(node.kids[count]);
    if (node.op == Op::linked) infer(node.kids[count]);
    expect_process(node.kids.back());
}

}  // namespace treaty::csp::typing
