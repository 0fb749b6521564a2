#include "formats/schora/data.h"

#include <charconv>

#include <fmt/format.h>

#include "formats/codes.h"

namespace treaty::formats::schora {
namespace {

bool arithmetic(Token op) {
    return op == Token::plus || op == Token::minus || op == Token::star || op == Token::slash ||
           op == Token::percent;
}
bool logical(Token op) {
    return op == Token::conjunction || op == Token::disjunction;
}
bool ordering(Token op) {
    return op == Token::less || op == Token::less_equal || op == Token::greater || op == Token::greater_equal;
}

expr::Op op_of(Token token) {
    switch (token) {
        case Token::plus: return expr::Op::add;
        case Token::minus: return expr::Op::subtract;
        case Token::star: return expr::Op::multiply;
        case Token::slash: return expr::Op::divide;
        case Token::percent: return expr::Op::modulo;
        case Token::less: return expr::Op::less;
        case Token::less_equal: return expr::Op::less_equal;
        case Token::greater: return expr::Op::greater;
        case Token::greater_equal: return expr::Op::greater_equal;
        case Token::equal: return expr::Op::equal;
        case Token::not_equal: return expr::Op::not_equal;
        case Token::conjunction: return expr::Op::logical_and;
        default: return expr::Op::logical_or;
    }
}

}  // namespace

ScriptData::ScriptData(model::Specification& specification, const std::vector<ComponentText>& components,
                       base::Diagnostics& diagnostics)
    : specification_(specification),
      components_(components),
      diagnostics_(diagnostics),
      variables_(components.size()) {}

template <class Use>
void ScriptData::for_each_event(const Use& use) const {
    for (std::size_t c = 0; c < components_.size(); ++c) {
        for (const Term& term : components_[c].terms)
            if (term.kind == Term::Kind::event) use(c, term.event);
        for (const TransitionText& t : components_[c].transitions)
            if (!t.skip && !t.event.operation.empty()) use(c, t.event);
    }
}

ScriptData::Variable& ScriptData::variable(std::size_t component, const std::string& name, Span span) {
    auto [entry, fresh] = variables_[component].try_emplace(name);
    if (fresh) entry->second.span = span;
    return entry->second;
}

std::string_view ScriptData::say(Kind kind) {
    return kind == Kind::text ? "a text" : kind == Kind::truth ? "a boolean" : "a number";
}

expr::TypeId ScriptData::type_of(Kind kind) const {
    const expr::Types& types = *specification_.types;
    return kind == Kind::text ? types.string() : kind == Kind::truth ? types.boolean() : types.integer();
}

void ScriptData::clash(Span span, Kind found, Kind wanted) {
    diagnostics_.report(codes::schora_type_clash, span,
                        fmt::format("expected {1}, found {0}", say(found), say(wanted)));
}

ScriptData::Kind ScriptData::kind_of(std::size_t component, std::size_t formula) {
    const Formula& f = components_[component].formulas[formula];
    switch (f.kind) {
        case Formula::Kind::number:
        case Formula::Kind::minus: return Kind::number;
        case Formula::Kind::text: return Kind::text;
        case Formula::Kind::truth:
        case Formula::Kind::negation: return Kind::truth;
        case Formula::Kind::name: return variable(component, f.text, f.span).kind;
        case Formula::Kind::binary: return arithmetic(f.op) ? Kind::number : Kind::truth;
    }
    return Kind::unknown;
}

// Gives a name its type, where it has none yet; returns whether it had none.
bool ScriptData::demand(std::size_t component, std::size_t formula, Kind kind) {
    const Formula& f = components_[component].formulas[formula];
    if (f.kind != Formula::Kind::name || kind == Kind::unknown) return false;
    Variable& v = variable(component, f.text, f.span);
    if (v.kind != Kind::unknown) return false;
    v.kind = kind;
    return true;
}

bool ScriptData::infer(std::size_t component, std::size_t formula) {
    const Formula& f = components_[component].formulas[formula];
    if (f.kind == Formula::Kind::name) variable(component, f.text, f.span);
    if (f.kind == Formula::Kind::minus) return demand(component, f.left, Kind::number);
    if (f.kind == Formula::Kind::negation) return demand(component, f.left, Kind::truth);
    if (f.kind != Formula::Kind::binary) return false;
    if (arithmetic(f.op) || logical(f.op)) {
        Kind kind = arithmetic(f.op) ? Kind::number : Kind::truth;
        bool left = demand(component, f.left, kind);
        return demand(component, f.right, kind) || left;
    }
    bool left = demand(component, f.left, kind_of(component, f.right));
    return demand(component, f.right, kind_of(component, f.left)) || left;
}

void ScriptData::resolve() {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t c = 0; c < components_.size(); ++c)
            for (std::size_t f = 0; f < components_[c].formulas.size(); ++f) changed = infer(c, f) || changed;
        for_each_event([&](std::size_t c, const EventText& e) {
            Carried& message = messages_[e.operation];
            if (e.data == EventText::Data::nothing) return;
            Variable& v = variable(c, e.variable, e.variable_span);
            v.bound = v.bound || e.data == EventText::Data::bound;
            message.data = true;
            if (message.field.empty()) message.field = e.variable;
            if (v.kind == message.kind) return;
            if (v.kind == Kind::unknown || message.kind == Kind::unknown) {
                (v.kind == Kind::unknown ? v.kind : message.kind) =
                    v.kind == Kind::unknown ? message.kind : v.kind;
                changed = true;
            }
        });
    }
    model::Specification& s = specification_;
    for (const auto& [name, carried] : messages_) {
        model::MessageId id = s.alphabet->message(name);
        if (s.messages.size() <= id.index) s.messages.resize(id.index + 1);
        model::Message& message = s.messages[id.index];
        message.declared = true;
        if (!carried.data) continue;
        expr::Field field{s.names->intern(carried.field), type_of(carried.kind)};
        message.fields.push_back(field);
        message.variables.push_back(s.pool->declare(field.name, field.type));
    }
    for (std::size_t c = 0; c < components_.size(); ++c)
        for (auto& [name, v] : variables_[c]) {
            v.id = s.pool->declare(s.names->intern(name), type_of(v.kind));
            if (!v.bound)
                diagnostics_.report(
                    codes::schora_free_name, v.span,
                    fmt::format("{1} is not bound by any event of {0}; it can have any one value",
                                components_[c].name, name));
        }
    for_each_event([&](std::size_t c, const EventText& e) {
        if (e.data == EventText::Data::nothing) return;
        Kind own = variables_[c].at(e.variable).kind, wanted = messages_[e.operation].kind;
        if (type_of(own) != type_of(wanted)) clash(e.variable_span, own, wanted);
    });
}

std::vector<model::Argument> ScriptData::arguments(std::size_t component, const EventText& event) {
    if (!messages_[event.operation].data) return {};
    model::Argument argument;
    argument.span = event.variable_span;
    if (event.data != EventText::Data::nothing) {
        expr::VarId id = variables_[component].at(event.variable).id;
        if (event.data == EventText::Data::bound)
            argument.bind = id;
        else
            argument.value = specification_.pool->var(id);
    }
    return {argument};
}

std::optional<expr::ExprId> ScriptData::guard(std::size_t component, std::size_t formula) {
    auto built = build(component, formula);
    if (!built) return std::nullopt;
    if (specification_.types->kind((*specification_.pool)[*built].type) == expr::TypeKind::boolean)
        return built;
    clash(components_[component].formulas[formula].span, kind_of(component, formula), Kind::truth);
    return std::nullopt;
}

std::optional<expr::ExprId> ScriptData::build(std::size_t component, std::size_t formula) {
    const Formula& f = components_[component].formulas[formula];
    expr::Pool& pool = *specification_.pool;
    const expr::Types& types = *specification_.types;
    switch (f.kind) {
        case Formula::Kind::number: {
            std::int64_t value = 0;
            auto [end, error] = std::from_chars(f.text.data(), f.text.data() + f.text.size(), value);
            if (error == std::errc()) return pool.integer(value);
            diagnostics_.report(codes::schora_syntax, f.span, "this number is too large");
            return std::nullopt;
        }
        case Formula::Kind::text: return pool.literal(expr::Value(f.text), types.string());
        case Formula::Kind::truth: return pool.boolean(f.text == "true");
        case Formula::Kind::name: return pool.var(variables_[component].at(f.text).id);
        case Formula::Kind::minus:
        case Formula::Kind::negation: {
            bool negation = f.kind == Formula::Kind::negation;
            auto inner = build(component, f.left);
            if (!inner) return std::nullopt;
            if (pool[*inner].type != (negation ? types.boolean() : types.integer())) {
                clash(components_[component].formulas[f.left].span, kind_of(component, f.left),
                      negation ? Kind::truth : Kind::number);
                return std::nullopt;
            }
            expr::ExprId parts[] = {*inner};
            return negation ? pool.logical_not(*inner) : pool.make(expr::Op::negate, types.integer(), parts);
        }
        case Formula::Kind::binary: return build_binary(component, f);
    }
    return std::nullopt;
}

std::optional<expr::ExprId> ScriptData::build_binary(std::size_t component, const Formula& f) {
    expr::Pool& pool = *specification_.pool;
    const expr::Types& types = *specification_.types;
    auto a = build(component, f.left), b = build(component, f.right);
    if (!a || !b) return std::nullopt;
    expr::TypeId left = pool[*a].type, right = pool[*b].type;
    auto span = [&](std::size_t i) { return components_[component].formulas[i].span; };
    auto kind = [&](std::size_t i) { return kind_of(component, i); };
    if (arithmetic(f.op) || logical(f.op)) {
        expr::TypeId wanted = arithmetic(f.op) ? types.integer() : types.boolean();
        Kind want = arithmetic(f.op) ? Kind::number : Kind::truth;
        if (left != wanted) clash(span(f.left), kind(f.left), want);
        if (right != wanted) clash(span(f.right), kind(f.right), want);
        if (left != wanted || right != wanted) return std::nullopt;
        bool divides = f.op == Token::slash || f.op == Token::percent;
        if (divides && pool.is_literal(*b) && pool.literal_of(*b).integer() == 0) {
            diagnostics_.report(codes::schora_division, f.span, "this divides by zero");
            return std::nullopt;
        }
        expr::ExprId parts[] = {*a, *b};
        return pool.make(op_of(f.op), wanted, parts);
    }
    if (left != right || (ordering(f.op) && left == types.boolean())) {
        clash(span(f.right), kind(f.right),
              left == right || kind(f.left) == Kind::truth ? Kind::number : kind(f.left));
        return std::nullopt;
    }
    expr::ExprId parts[] = {*a, *b};
    return pool.make(op_of(f.op), types.boolean(), parts);
}

}  // namespace treaty::formats::schora
