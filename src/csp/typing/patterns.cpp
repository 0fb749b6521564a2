#include "csp/typing/inference.h"

namespace treaty::csp::typing {

void Inference::bind(base::NameId name, Scheme scheme) {
    locals_[name].push_back(std::move(scheme));
    bound_.push_back(name);
}

// The type of the values that the pattern is for; binds its names. `needs` is for a name that it binds.
TypeId Inference::pattern(AstId id, Needs needs) {
    stack_.check();
    const AstNode& node = syntax_[id];
    auto all = [&](std::string_view why) {
        TypeId type = solver_.fresh();
        for (AstId kid : node.kids) expect(pattern(kid), type, syntax_[kid].span, {why});
        return type;
    };
    switch (node.kind) {
        case Ast::wildcard: return solver_.fresh(needs);
        case Ast::name: {
            if (scopes_.constant(node.name)) {
                const Global* global = scopes_.global(node.name);
                bool channel = global->meaning == Meaning::channel;
                return solver_.instance((channel ? channels_ : constructors_)[global->index]);
            }
            TypeId type = solver_.fresh(needs);
            bind(node.name, {type});
            return type;
        }
        case Ast::integer:
        case Ast::negate: return integer_;
        case Ast::boolean: return boolean_;
        case Ast::character: return character_;
        case Ast::tuple: {
            std::vector<TypeId> parts;
            for (AstId kid : node.kids) parts.push_back(pattern(kid));
            return types_.make(Shape::tuple, std::move(parts));
        }
        case Ast::sequence: return types_.sequence_of(all("the element before this is {type}"));
        case Ast::set: return types_.set_of(all("the element before this is {type}"));
        case Ast::both: return all("the other pattern is for {type}");
        case Ast::dot: return dotted_pattern(node);
        case Ast::binary:
            if (node.op == Op::concatenate) {
                TypeId type = types_.sequence_of(solver_.fresh());
                for (AstId kid : node.kids)
                    expect(pattern(kid), type, syntax_[kid].span, {"`^` joins {type} here"});
                return type;
            }
            break;
        default: break;
    }
    // No pattern: evaluation reports it. Its names must be known all the same.
    for (AstId kid : node.kids) pattern(kid);
    return unknown_;
}

// Each part takes one field, and the last one all that remain. A constructor in brackets keeps its fields.
TypeId Inference::dotted_pattern(const AstNode& node) {
    std::vector<AstId> kids;
    pattern_parts(node, kids);
    std::vector<Part> parts;
    for (std::size_t i = 0; i < kids.size(); ++i) {
        bool last = i + 1 == kids.size();
        bool bracketed = syntax_[kids[i]].kind == Ast::dot;
        TypeId type =
            bracketed ? dotted_pattern(syntax_[kids[i]]) : pattern(kids[i], last ? Needs(0) : one_field);
        if (bracketed && !last) type = solver_.completed(type);
        parts.push_back({type, static_cast<std::uint32_t>(i)});
    }
    return join(std::move(parts), kids);
}

void Inference::pattern_parts(const AstNode& node, std::vector<AstId>& into) const {
    stack_.check();
    for (AstId kid : node.kids) {
        const AstNode& part = syntax_[kid];
        const AstNode* head = part.kind == Ast::dot ? &syntax_[part.kids[0]] : nullptr;
        if (head && !(head->kind == Ast::name && scopes_.constant(head->name)))
            pattern_parts(part, into);
        else
            into.push_back(kid);
    }
}

}  // namespace treaty::csp::typing
