// Types after `::`. A type ends with its line, unless it cannot end there, and what cannot be read is kept as
// a fault of the annotation: scripts are evaluated without their types.

#include "csp/parser_impl.h"

namespace treaty::csp {

// f, g :: Type, the first name already taken.
bool Parser::several_annotated() const {
    std::size_t at = 0;
    while (peek(at).is(",") && peek(at + 1).kind == TokenKind::name) at += 2;
    bool glued = at > 0 && peek(at - 1).text.find("::") != std::string_view::npos;
    return at > 0 && (glued || (peek(at).is(":") && peek(at + 1).is(":")));
}

void Parser::annotation(Declarations& into, const std::vector<Token>& names) {
    Annotation made;
    try {
        needs(made);
        TypeNodeId found = type(0);
        if (peek().kind != TokenKind::end && !peek().starts_line)
            throw TypeFault{peek().span, "the end of the type"};
        made.type = found;
    } catch (const TypeFault& fault) {
        made.fault = fault.span;
        made.expected = fault.expected;
    }
    while (peek().kind != TokenKind::end && !peek().starts_line) take();
    for (const Token& name : names) {
        made.name = name_of(name);
        made.span = name.span;
        into.annotations.push_back(made);
    }
}

bool Parser::at_need(std::size_t ahead) const {
    const Token& what = peek(ahead);
    bool known = what.text == "Eq" || what.text == "Ord" || what.text == "Set" || what.text == "Yieldable" ||
                 what.text == "Inputable" || what.text == "Complete";
    return known && peek(ahead + 1).kind == TokenKind::name && !peek(ahead + 1).starts_line;
}

// Eq a =>, or (Eq a, Ord b) =>
void Parser::needs(Annotation& made) {
    bool several = is("(") && at_need(1);
    if (!several && !at_need(0)) return;
    if (several) take();
    do {
        if (!at_need(0)) throw TypeFault{peek().span, "a constraint such as Eq a"};
        base::NameId what = name_of(take());
        made.needs.push_back({what, name_of(take())});
    } while (several && is(",") && (take(), true));
    if (several) expect_in_type(")");
    if (!arrow_ahead()) throw TypeFault{peek().span, "`=>`"};
    take();
    take();
}

void Parser::expect_in_type(std::string_view word) {
    if (!is(word)) throw TypeFault{peek().span, fmt::format("`{}`", word)};
    take();
}

TypeNodeId Parser::type_node(TypeNode::Kind kind, base::Span begin, std::vector<TypeNodeId> parts) {
    syntax_.type_nodes.push_back({kind, {}, from(begin), std::move(parts)});
    return TypeNodeId(syntax_.type_nodes.size() - 1);
}

TypeNodeId Parser::type(int depth) {
    if (depth > max_type_depth)
        throw TypeFault{peek().span, fmt::format("a type that nests at most {} deep", max_type_depth)};
    base::Span begin = peek().span;
    bool bracketed = is("(") && !peek(1).is("|");
    TypeNodeId left = dotted_type(depth);
    if (is("->")) {
        if (!bracketed || syntax_.type_nodes[left.index].kind != TypeNode::Kind::tuple)
            throw TypeFault{peek().span, "the parameters of a function in brackets, as in (Int) -> Int"};
        take();
        std::vector<TypeNodeId> parts = syntax_.type_nodes[left.index].parts;
        parts.push_back(type(depth + 1));
        return type_node(TypeNode::Kind::function, begin, std::move(parts));
    }
    if (arrow_ahead()) {
        take();
        take();
        bool star = is("*");
        if (star) take();
        TypeNodeId right = type(depth + 1);
        return type_node(star ? TypeNode::Kind::extends : TypeNode::Kind::yields, begin, {left, right});
    }
    return left;
}

TypeNodeId Parser::dotted_type(int depth) {
    base::Span begin = peek().span;
    std::vector<TypeNodeId> parts{simple_type(depth)};
    while (is(".")) {
        take();
        parts.push_back(simple_type(depth + 1));
    }
    return parts.size() == 1 ? parts[0] : type_node(TypeNode::Kind::dot, begin, std::move(parts));
}

// In <a>=>b the words are `<`, `a`, `>=`, `>` and `b`.
void Parser::close_sequence_type() {
    if (!is(">=")) return expect_in_type(">");
    Token& token = tokens_[at_];
    token.text.remove_prefix(1);
    ++token.span.begin;
}

TypeNodeId Parser::simple_type(int depth) {
    Token token = peek();
    if ((token.starts_line && depth == 0) || token.kind == TokenKind::end)
        throw TypeFault{token.span, "a type"};
    if (token.kind == TokenKind::name && token.text != "_") {
        take();
        TypeNodeId made = type_node(TypeNode::Kind::name, token.span, {});
        syntax_.type_nodes[made.index].name = name_of(token);
        return made;
    }
    if (token.is("<")) {
        take();
        TypeNodeId element = type(depth + 1);
        close_sequence_type();
        return type_node(TypeNode::Kind::sequence, token.span, {element});
    }
    if (token.is("{")) {
        take();
        TypeNodeId element = type(depth + 1);
        expect_in_type("}");
        return type_node(TypeNode::Kind::set, token.span, {element});
    }
    expect_in_type("(");
    if (is("|")) {
        take();
        TypeNodeId key = type(depth + 1);
        if (!is("|")) throw TypeFault{peek().span, "`|)`"};
        take();
        expect_in_type(")");
        return type_node(TypeNode::Kind::map, token.span, {key});
    }
    std::vector<TypeNodeId> parts;
    if (!is(")")) {
        parts.push_back(type(depth + 1));
        while (is(",")) {
            take();
            parts.push_back(type(depth + 1));
        }
    }
    expect_in_type(")");
    return type_node(TypeNode::Kind::tuple, token.span, std::move(parts));
}

}  // namespace treaty::csp
