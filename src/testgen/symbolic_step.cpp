#include "testgen/symbolic_step.h"

#include <algorithm>

#include <fmt/format.h>

#include "expr/simplify.h"

namespace treaty::testgen {

using expr::ExprId;
using expr::Op;
using expr::TypeKind;
using expr::VarId;
using model::EventKind;
using model::StateId;

namespace {

constexpr std::size_t most_silent = 200;  // silent ways from one place

auto position(std::vector<std::pair<VarId, ExprId>>& known, VarId variable) {
    return std::lower_bound(known.begin(), known.end(), variable,
                            [](const auto& one, VarId v) { return one.first < v; });
}

}  // namespace

const ExprId* SymbolicPlace::find(VarId variable) const {
    auto place = std::lower_bound(known.begin(), known.end(), variable,
                                  [](const auto& one, VarId v) { return one.first < v; });
    return place != known.end() && place->first == variable ? &place->second : nullptr;
}

void SymbolicPlace::set(VarId variable, ExprId value) {
    auto place = position(known, variable);
    if (place != known.end() && place->first == variable)
        place->second = value;
    else
        known.insert(place, {variable, value});
}

SymbolicStep::SymbolicStep(model::Specification& specification)
    : specification_(specification), pool_(*specification.pool) {}

void SymbolicStep::give_up(std::string why) {
    if (unsupported_.empty()) unsupported_ = std::move(why);
}

ExprId SymbolicStep::both(ExprId a, ExprId b) {
    return pool_.is_true(a) ? b : pool_.is_true(b) ? a : expr::simplify(pool_, pool_.logical_and(a, b));
}

ExprId SymbolicStep::either(ExprId a, ExprId b) {
    return pool_.is_false(a) ? b : pool_.is_false(b) ? a : expr::simplify(pool_, pool_.logical_or(a, b));
}

ExprId SymbolicStep::opposite(ExprId a) {
    return expr::simplify(pool_, pool_.logical_not(a));
}

const std::vector<expr::Field>& SymbolicStep::fields(model::MessageId message) const {
    static const std::vector<expr::Field> none;
    return message.index < specification_.messages.size() ? specification_.messages[message.index].fields
                                                          : none;
}

// Whether the expression has a value whatever its variables are, and the solver's numbers are ours.
bool SymbolicStep::total(ExprId expression) {
    if (auto found = total_.find(expression); found != total_.end()) return found->second;
    bool all = true;
    for (ExprId part : pool_.parts_of(expression)) {
        Op op = pool_[part].op;
        // What calls a function lacks a value where its body does.
        bool partial = expr::about(op).may_lack_value && !expr::has_function(op);
        all = all && !partial && pool_.types().kind(pool_[part].type) != TypeKind::real;
        if (op == Op::matches) all = all && pool_.pattern_of(part);
        if (expr::has_function(op))
            all = all && total(pool_.function(expr::FunctionId(pool_[part].payload)).body);
    }
    total_.emplace(expression, all);
    return all;
}

// The expression over symbols; nothing if it has no value because a variable is missing.
std::optional<ExprId> SymbolicStep::value_of(ExprId expression, const SymbolicPlace& place) {
    absl::flat_hash_map<VarId, ExprId> by;
    bool missing = false;
    for (VarId variable : pool_.variables_of(expression)) {
        if (const ExprId* value = place.find(variable))
            by.emplace(variable, *value);
        else
            missing = true;
    }
    if (missing) {
        // Unless a part that is never evaluated asks for it.
        for (ExprId part : pool_.parts_of(expression)) {
            Op op = pool_[part].op;
            if (op == Op::logical_and || op == Op::logical_or || op == Op::implies || op == Op::if_else)
                give_up("a condition asks for a value that may not be known");
        }
        return std::nullopt;
    }
    if (!total(expression)) give_up("an expression may have no value, or is about reals");
    return expr::simplify(pool_, expr::substitute(pool_, expression, by));
}

ExprId SymbolicStep::condition_of(ExprId expression, const SymbolicPlace& place) {
    if (!expression) return pool_.boolean(true);
    return value_of(expression, place).value_or(pool_.boolean(false));
}

// Whether the value is one of the type.
ExprId SymbolicStep::in_range(ExprId value, expr::TypeId type) {
    const expr::Types& types = pool_.types();
    expr::TypeId own = pool_[value].type;
    if (own == type) return pool_.boolean(true);
    if (types.kind(own) != types.kind(type)) give_up("a value is not of the type of its field");
    if (types.kind(type) != TypeKind::integer) {
        if (types.base(own) != types.base(type) || types.base(type) != type)
            give_up("a value has parts of which the range is not known");
        return pool_.boolean(true);
    }
    ExprId inside = pool_.boolean(true);
    auto compare = [&](Op op, std::int64_t bound) {
        ExprId sides[] = {value, pool_.integer(bound)};
        inside = both(inside, expr::simplify(pool_, pool_.make(op, types.boolean(), sides)));
    };
    if (types[type].low) compare(Op::greater_equal, *types[type].low);
    if (types[type].high) compare(Op::less_equal, *types[type].high);
    return inside;
}

VarId SymbolicStep::symbol(const FreeField& field, expr::TypeId type) {
    auto [place, added] = by_field_.try_emplace(field);
    if (added) {
        std::string name = fmt::format("{}.{}.{}", field.machine, field.number, field.field);
        place->second = pool_.declare(pool_.names().intern(name), type);
        free_fields_.emplace(place->second, field);
    }
    return place->second;
}

bool SymbolicStep::assign(const model::EdgeData& data, SymbolicPlace& place) {
    for (const model::Assignment& assignment : data.assignments) {
        auto value = value_of(assignment.value, place);
        if (!value) return false;
        place.set(assignment.variable, *value);
    }
    return true;
}

// Every place that silent steps lead to, this one first, with the condition for it.
template <class Visit>
void SymbolicStep::silently(const model::Machine& machine, const SymbolicPlace& at, Visit&& visit) {
    std::vector<std::pair<SymbolicPlace, ExprId>> waiting{{at, pool_.boolean(true)}};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (i == most_silent) return give_up("there are too many silent steps");
        auto [place, condition] = waiting[i];  // a copy: it grows
        visit(place, condition);
        auto edges = machine.out(place.state);
        for (std::size_t e = 0; e < edges.size(); ++e) {
            if (machine.alphabet().event(edges[e].label).kind != EventKind::silent) continue;
            SymbolicPlace next = place;
            next.state = edges[e].target;
            ExprId after = condition;
            if (machine.has_data()) {
                const model::EdgeData& data = machine.data(place.state, e);
                after = both(after, condition_of(data.guard, place));
                if (!assign(data, next)) continue;
            }
            if (!pool_.is_false(after)) waiting.emplace_back(std::move(next), after);
        }
    }
}

std::vector<SymbolicOption> SymbolicStep::options(const model::Machine& machine, const SymbolicPlace& at) {
    std::vector<SymbolicOption> found;
    silently(machine, at, [&](const SymbolicPlace& place, ExprId condition) {
        auto edges = machine.out(place.state);
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const model::Event& event = machine.alphabet().event(edges[e].label);
            if (event.kind == EventKind::silent) continue;
            if (event.kind != EventKind::send && event.kind != EventKind::receive)
                give_up("there are events that are not messages");
            const model::EdgeData* data = machine.has_data() ? &machine.data(place.state, e) : nullptr;
            ExprId all = data ? both(condition, condition_of(data->guard, place)) : condition;
            if (!pool_.is_false(all)) found.push_back({event, edges[e].target, data, place, all});
        }
    });
    return found;
}

ExprId SymbolicStep::rests(const model::Machine& machine, const SymbolicPlace& at) {
    ExprId ends = pool_.boolean(false);
    silently(machine, at, [&](const SymbolicPlace& place, ExprId condition) {
        bool stuck = place.state == at.state && machine.out(place.state).empty();
        if (machine.final(place.state) || stuck) ends = either(ends, condition);
    });
    return ends;
}

// What the message and the step ask of the data, once it is there.
std::optional<SymbolicEffect> SymbolicStep::finish(const SymbolicOption& option, SymbolicEffect effect) {
    const model::EdgeData* data = option.data;
    for (std::size_t f = 0; data && f < effect.data.size() && f < data->data.size(); ++f)
        if (data->data[f].bind) effect.after.set(data->data[f].bind, effect.data[f]);
    if (!effect.data.empty()) {
        const model::Message& message = specification_.messages[option.event.message.index];
        SymbolicPlace own;
        for (std::size_t f = 0; f < effect.data.size() && f < message.variables.size(); ++f)
            own.set(message.variables[f], effect.data[f]);
        effect.condition = both(effect.condition, condition_of(message.where, own));
    }
    if (data) {
        effect.condition = both(effect.condition, condition_of(data->where, effect.after));
        if (!assign(*data, effect.after)) return std::nullopt;
    }
    if (pool_.is_false(effect.condition)) return std::nullopt;
    return effect;
}

std::optional<SymbolicEffect> SymbolicStep::choose(const SymbolicOption& option, std::uint32_t machine,
                                                   std::uint32_t number) {
    SymbolicEffect effect{option.condition, {}, {}, option.from};
    effect.after.state = option.target;
    const auto& types = fields(option.event.message);
    for (std::size_t f = 0; f < types.size(); ++f) {
        ExprId given = option.data && f < option.data->data.size() ? option.data->data[f].value : ExprId();
        if (given) {
            auto value = value_of(given, option.from);
            if (!value) return std::nullopt;
            effect.condition = both(effect.condition, in_range(*value, types[f].type));
            effect.data.push_back(*value);
        } else {
            FreeField field{machine, number, option.event.message, static_cast<std::uint32_t>(f)};
            effect.fresh.push_back(symbol(field, types[f].type));
            effect.data.push_back(pool_.var(effect.fresh.back()));
        }
    }
    return finish(option, std::move(effect));
}

std::optional<SymbolicEffect> SymbolicStep::meet(const SymbolicOption& option,
                                                 const std::vector<ExprId>& data) {
    SymbolicEffect effect{option.condition, data, {}, option.from};
    effect.after.state = option.target;
    for (std::size_t f = 0; option.data && f < data.size() && f < option.data->data.size(); ++f) {
        ExprId given = option.data->data[f].value;
        if (!given) continue;
        auto value = value_of(given, option.from);
        if (!value) return std::nullopt;
        if (pool_.types().base(pool_[*value].type) != pool_.types().base(pool_[data[f]].type))
            give_up("a value is not of the type of its field");
        effect.condition = both(effect.condition, expr::simplify(pool_, pool_.equal(*value, data[f])));
    }
    return finish(option, std::move(effect));
}

}  // namespace treaty::testgen
