#include "drive/message_maker.h"

#include <algorithm>

#include "drive/near_value.h"
#include "wire/constraints.h"

namespace treaty::drive {

using expr::ExprId;

MessageMaker::MessageMaker(model::Specification& specification, const model::Net& net, const wire::Wire* wire,
                           std::span<const wire::MessageShape> shapes)
    : specification_(specification),
      net_(net),
      wire_(wire),
      shapes_(shapes),
      generator_(*specification.pool) {
    for (const model::Transition& t : net.transitions()) {
        for (const model::Argument& a : t.data)
            if (a.bind) bound_.push_back(a.bind);
        for (const model::Assignment& a : t.assignments) bound_.push_back(a.variable);
    }
    std::sort(bound_.begin(), bound_.end());
    bound_.erase(std::unique(bound_.begin(), bound_.end()), bound_.end());
}

const MessageMaker::Recipe& MessageMaker::recipe(model::TransitionId transition) {
    auto [place, added] = recipes_.try_emplace(transition);
    Recipe& recipe = place->second;
    if (!added) return recipe;
    expr::Pool& pool = *specification_.pool;
    const model::Transition& t = net_.transitions()[transition.index];
    model::MessageId message = net_.alphabet().event(t.label).message;
    const model::Message& declared = specification_.message(message);

    std::vector<ExprId> conditions;
    absl::flat_hash_map<expr::VarId, ExprId> bound, of_declaration;
    for (std::size_t i = 0; i < declared.fields.size(); ++i) {
        expr::VarId v = pool.declare(declared.fields[i].name, declared.fields[i].type);
        recipe.variables.push_back(v);
        if (i < declared.variables.size()) of_declaration[declared.variables[i]] = pool.var(v);
        if (i >= t.data.size()) continue;
        if (t.data[i].bind) bound[t.data[i].bind] = pool.var(v);
        if (t.data[i].value)
            conditions.push_back(pool.make(expr::Op::equal, specification_.types->boolean(),
                                           std::array{pool.var(v), t.data[i].value}));
    }
    if (t.where) conditions.push_back(expr::substitute(pool, t.where, bound));
    if (declared.where) conditions.push_back(expr::substitute(pool, declared.where, of_declaration));
    if (wire_)
        for (ExprId one :
             wire::constraints(pool, *wire_, message.index, shapes_[message.index], recipe.variables))
            conditions.push_back(one);
    for (ExprId one : conditions)
        recipe.condition = recipe.condition
                               ? pool.make(expr::Op::logical_and, specification_.types->boolean(),
                                           std::array{recipe.condition, one})
                               : one;
    return recipe;
}

std::optional<std::vector<expr::Value>> MessageMaker::make(model::TransitionId transition,
                                                           const expr::Environment& known,
                                                           expr::Choices& choices, std::string& why,
                                                           Data data) {
    const Recipe& r = recipe(transition);
    std::vector<expr::Value> values;
    if (r.variables.empty()) return values;
    expr::Generated made = generator_.generate(r.variables, r.condition, known, choices);
    if (made.found != expr::Found::yes) {
        why =
            made.found == expr::Found::no ? "no data satisfies the conditions of this message" : made.reason;
        return std::nullopt;
    }
    constexpr unsigned moved_percent = 25;
    if (data == Data::searching && choices.flag(moved_percent)) move_one(r, known, made.values, choices);
    for (expr::VarId v : r.variables) values.push_back(*made.values.get(v));
    return values;
}

// The first field, from one that is drawn, that can be moved.
void MessageMaker::move_one(const Recipe& r, const expr::Environment& known, expr::Environment& made,
                            expr::Choices& choices) {
    const expr::Pool& pool = *specification_.pool;
    auto first = static_cast<std::size_t>(choices.draw(r.variables.size()));
    for (std::size_t i = 0; i < r.variables.size(); ++i) {
        expr::VarId v = r.variables[(first + i) % r.variables.size()];
        const expr::Value was = *made.get(v);
        std::vector<const expr::Value*> former;
        for (expr::VarId b : bound_)
            if (const expr::Value* value = known.get(b); value && value->v.index() == was.v.index())
                former.push_back(value);
        auto moved = near_value(was, former, choices);
        if (!moved || *moved == was || !expr::belongs(*moved, pool.variable(v).type, pool.types())) continue;
        made.set(v, std::move(*moved));
        if (!r.condition || expr::satisfied(pool, r.condition, made)) return;
        made.set(v, was);
    }
}

}  // namespace treaty::drive
