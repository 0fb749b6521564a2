#include "step/event_data.h"

#include <array>

namespace treaty::step {

using expr::ExprId;

EventData::EventData(model::Specification& specification, const model::Net& net)
    : specification_(specification), net_(net), generator_(*specification.pool) {}

const EventData::Recipe& EventData::recipe(model::TransitionId transition) {
    auto [place, added] = recipes_.try_emplace(transition);
    Recipe& recipe = place->second;
    if (!added) return recipe;
    expr::Pool& pool = *specification_.pool;
    const model::Transition& t = net_.transitions()[transition.index];
    const model::Message& declared = specification_.message(net_.alphabet().event(t.label).message);
    auto require = [&](ExprId condition) {
        recipe.condition = recipe.condition ? pool.logical_and(recipe.condition, condition) : condition;
    };
    absl::flat_hash_map<expr::VarId, ExprId> bound, of_declaration;
    for (std::size_t i = 0; i < declared.fields.size(); ++i) {
        expr::VarId v = pool.declare(declared.fields[i].name, declared.fields[i].type);
        recipe.variables.push_back(v);
        if (i < declared.variables.size()) of_declaration[declared.variables[i]] = pool.var(v);
        if (i >= t.data.size()) continue;
        if (t.data[i].bind) bound[t.data[i].bind] = pool.var(v);
        if (t.data[i].value) require(pool.equal(pool.var(v), t.data[i].value));
    }
    if (t.where) require(expr::substitute(pool, t.where, bound));
    if (declared.where) require(expr::substitute(pool, declared.where, of_declaration));
    return recipe;
}

EventData::Made EventData::make(model::TransitionId transition, const expr::Environment& known,
                                solve::Choices& choices) {
    const Recipe& r = recipe(transition);
    const model::Transition& t = net_.transitions()[transition.index];
    Made result;
    result.fixed.resize(r.variables.size());
    for (std::size_t i = 0; i < r.variables.size() && i < t.data.size(); ++i) {
        if (!t.data[i].value) continue;
        auto value = expr::evaluate(*specification_.pool, t.data[i].value, known);
        if (auto* one = std::get_if<expr::Value>(&value))
            result.fixed[i] = expr::convert(*one, specification_.pool->variable(r.variables[i]).type,
                                            *specification_.types);
    }
    if (r.variables.empty() && !r.condition) {
        result.found = solve::Found::yes;
        return result;
    }
    solve::Generated made = generator_.generate(r.variables, r.condition, known, choices);
    result.found = made.found;
    if (made.found == solve::Found::yes)
        for (expr::VarId v : r.variables) result.values.push_back(*made.values.get(v));
    return result;
}

bool EventData::declared(model::MessageId message, const std::vector<expr::Value>& values) const {
    const model::Message& m = specification_.message(message);
    if (values.size() != m.fields.size()) return false;
    expr::Environment environment;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!expr::belongs(values[i], m.fields[i].type, *specification_.types)) return false;
        if (i < m.variables.size()) environment.set(m.variables[i], values[i]);
    }
    return !m.where || expr::satisfied(*specification_.pool, m.where, environment);
}

}  // namespace treaty::step
