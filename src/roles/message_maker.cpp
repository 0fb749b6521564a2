#include "roles/message_maker.h"

#include <algorithm>
#include <set>

#include "expr/print.h"
#include "roles/near_value.h"
#include "roles/value_class.h"
#include "solve/narrow.h"
#include "wire/constraints.h"

namespace treaty::roles {

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

// What holds of the message at every step.
MessageMaker::Recipe MessageMaker::declared(model::MessageId message, wire::Side side) {
    Recipe recipe;
    expr::Pool& pool = *specification_.pool;
    const model::Message& declared = specification_.message(message);
    absl::flat_hash_map<expr::VarId, ExprId> of_declaration;
    for (std::size_t i = 0; i < declared.fields.size(); ++i) {
        recipe.variables.push_back(pool.declare(declared.fields[i].name, declared.fields[i].type));
        if (i < declared.variables.size())
            of_declaration[declared.variables[i]] = pool.var(recipe.variables.back());
    }
    if (declared.where)
        recipe.of_declaration.push_back(expr::substitute(pool, declared.where, of_declaration));
    if (wire_) {
        recipe.of_wire =
            wire::constraints(pool, *wire_, message.index, shapes_[message.index], recipe.variables, side);
        for (const solve::ElementRule& rule :
             wire::element_rules(pool, *wire_, message.index, recipe.variables, side))
            generator_.options().elements.push_back(rule);
    }
    recipe.condition = all_of({recipe.of_declaration, recipe.of_wire});
    return recipe;
}

// What this step asks of it as well.
void MessageMaker::add_step(Recipe& recipe, const model::Transition& t) {
    expr::Pool& pool = *specification_.pool;
    absl::flat_hash_map<expr::VarId, ExprId> bound;
    for (std::size_t i = 0; i < std::min(recipe.variables.size(), t.data.size()); ++i) {
        ExprId v = pool.var(recipe.variables[i]);
        if (t.data[i].bind) bound[t.data[i].bind] = v;
        if (t.data[i].value)
            recipe.of_step.push_back(
                pool.make(expr::Op::equal, specification_.types->boolean(), std::array{v, t.data[i].value}));
    }
    if (t.where) recipe.of_step.push_back(expr::substitute(pool, t.where, bound));
    recipe.condition = all_of({recipe.of_step, recipe.of_declaration, recipe.of_wire});
}

const MessageMaker::Recipe& MessageMaker::recipe(model::TransitionId transition) {
    auto [place, added] = recipes_.try_emplace(transition);
    Recipe& recipe = place->second;
    if (!added) return recipe;
    const model::Transition& t = net_.transitions()[transition.index];
    recipe = declared(net_.alphabet().event(t.label).message, wire::Side::writing);
    add_step(recipe, t);
    return recipe;
}

// What holds of the message at each step that it is part of; steps that ask the same are one. What was said
// before is left open: the variables of the protocol are among those to be found.
const std::vector<MessageMaker::Recipe>& MessageMaker::occurrences(model::MessageId message) {
    auto [place, added] = occurrences_.try_emplace(message);
    if (!added) return place->second;
    expr::Pool& pool = *specification_.pool;
    std::set<std::vector<ExprId>> met;
    for (const model::Transition& t : net_.transitions()) {
        const model::Event& e = net_.alphabet().event(t.label);
        if (t.silent() || e.message != message) continue;
        bool written = e.kind == model::EventKind::receive;  // by the tester
        std::vector<ExprId> asked{t.guard, t.where, written ? ExprId() : pool.boolean(true)};
        for (const model::Argument& a : t.data) {
            asked.push_back(a.value);
            asked.push_back(a.bind ? pool.var(a.bind) : ExprId());
        }
        if (!met.insert(std::move(asked)).second) continue;
        Recipe& r = place->second.emplace_back(
            declared(message, written ? wire::Side::writing : wire::Side::reading));
        add_step(r, t);
        if (t.guard) r.condition = r.condition ? pool.logical_and(r.condition, t.guard) : t.guard;
        if (!r.condition) continue;
        for (expr::VarId v : pool.variables_of(r.condition))
            if (std::find(r.variables.begin(), r.variables.end(), v) == r.variables.end())
                r.variables.push_back(v);
    }
    // What needs least of the past is most easily possible.
    std::stable_sort(place->second.begin(), place->second.end(), [](const Recipe& a, const Recipe& b) {
        return a.variables.size() < b.variables.size();
    });
    return place->second;
}

solve::Found MessageMaker::possible(model::MessageId message, std::size_t field, std::string_view name,
                                    std::size_t& questions) {
    expr::Pool& pool = *specification_.pool;
    const std::vector<Recipe>& all = occurrences(message);
    if (all.empty()) return solve::Found::unknown;
    for (const Recipe& r : all) {
        if (questions == 0) return solve::Found::unknown;
        --questions;
        ExprId is = class_condition(pool, pool.var(r.variables[field]),
                                    specification_.message(message).fields[field].type, name);
        ExprId asked = r.condition ? pool.logical_and(r.condition, is) : is;
        // Most classes come up when a few values are drawn, which costs less than one question to the solver.
        solve::GenerateOptions usual = generator_.options();
        generator_.options().tries = 6;
        generator_.options().combinations = 0;
        generator_.options().solver = false;
        solve::Choices some(2);
        solve::Found drawn = generator_.generate(r.variables, asked, {}, some).found;
        generator_.options() = std::move(usual);
        if (drawn == solve::Found::yes) return drawn;
        if (drawn == solve::Found::no) continue;
        // The solver can tell without values whether there are some; what it cannot decide is tried out.
        if (!solver_) solver_.emplace(pool, std::chrono::milliseconds(200));
        solve::Satisfiable said = solver_->check(asked).satisfiable;
        if (said == solve::Satisfiable::no) continue;
        if (said == solve::Satisfiable::yes) return solve::Found::yes;
        solve::Choices choices(1);
        solve::Found found = generator_.generate(r.variables, asked, {}, choices).found;
        if (found != solve::Found::no) return found;
    }
    return solve::Found::no;
}

// All of them together; none: nothing is asked.
ExprId MessageMaker::all_of(std::initializer_list<std::span<const ExprId>> lists) {
    expr::Pool& pool = *specification_.pool;
    ExprId all;
    for (std::span<const ExprId> list : lists)
        for (ExprId one : list)
            all =
                all ? pool.make(expr::Op::logical_and, specification_.types->boolean(), std::array{all, one})
                    : one;
    return all;
}

base::Result<std::vector<expr::Value>> MessageMaker::make(model::TransitionId transition,
                                                          const expr::Environment& known,
                                                          solve::Choices& choices, Data data,
                                                          std::optional<model::TransitionId> key) {
    const Recipe& r = recipe(transition);
    model::TransitionId step = key.value_or(transition);
    std::vector<expr::Value> values;
    if (r.variables.empty()) {
        if (combinations_ && !combinations_->known(step)) combinations_->add(step, {});
        return values;
    }
    const model::Event& event = net_.alphabet().event(net_.transitions()[transition.index].label);
    solve::Generated made = combinations_ ? combined(r, transition, step, known, choices)
                                          : generate(r, event.message.index, known, choices);
    if (made.found != solve::Found::yes)
        return base::Fault{made.found == solve::Found::no ? "no data satisfies the conditions of this message"
                                                          : made.reason};
    constexpr unsigned moved_percent = 25;
    if (data == Data::searching && choices.flag(moved_percent)) move_one(r, known, made.values, choices);
    for (expr::VarId v : r.variables) values.push_back(*made.values.get(v));
    if (combinations_) combinations_->sent(step, values);
    return values;
}

std::optional<std::vector<expr::Value>> MessageMaker::make_for(model::TransitionId transition,
                                                               ExprId condition,
                                                               std::span<const expr::VarId> later,
                                                               const expr::Environment& known,
                                                               solve::Choices& choices) {
    const Recipe& r = recipe(transition);
    std::vector<expr::VarId> variables = r.variables;
    variables.insert(variables.end(), later.begin(), later.end());
    if (r.condition)
        condition = condition ? specification_.pool->logical_and(r.condition, condition) : r.condition;
    solve::Generated made = generator_.generate(variables, condition, known, choices);
    if (made.found != solve::Found::yes) return std::nullopt;
    std::vector<expr::Value> values;
    for (expr::VarId v : r.variables) values.push_back(*made.values.get(v));
    return values;
}

// What the profile wishes, if that can be; a wish that contradicts the conditions is dropped.
solve::Generated MessageMaker::generate(const Recipe& r, wire::MessageIndex message,
                                        const expr::Environment& known, solve::Choices& choices) {
    if (profile_) {
        expr::Pool& pool = *specification_.pool;
        std::size_t before = choices.made().size();
        if (ExprId wish = profile_->wish(pool, message, r.variables, choices)) {
            ExprId both = r.condition ? pool.logical_and(r.condition, wish) : wish;
            solve::Generated made = generator_.generate(r.variables, both, known, choices);
            if (made.found == solve::Found::yes) return made;
            choices.rewind(before);
        }
    }
    return generator_.generate(r.variables, r.condition, known, choices);
}

// A few values of each field that the step leaves free: the simplest, those at the ends, some others.
std::vector<Combinations::Levels> MessageMaker::levels(const Recipe& r, model::TransitionId transition,
                                                       const expr::Environment& known) {
    const model::Transition& t = net_.transitions()[transition.index];
    std::vector<Combinations::Levels> result;
    for (std::size_t i = 0; i < r.variables.size(); ++i)
        if (i >= t.data.size() || !t.data[i].value) result.push_back({i, {}});
    constexpr std::uint64_t draws = 16, at_ends = 8;
    for (std::uint64_t n = 0; n < draws; ++n) {
        solve::Choices choices =
            n == 0 ? solve::Choices(std::span<const std::uint64_t>{}) : solve::Choices(n);
        if (n <= at_ends) choices.lean(solve::Lean::edges);
        solve::Generated made = generator_.generate(r.variables, r.condition, known, choices);
        if (made.found != solve::Found::yes) continue;
        for (Combinations::Levels& level : result) {
            const expr::Value& value = *made.values.get(r.variables[level.field]);
            if (level.values.size() < Combinations::most_levels &&
                std::find(level.values.begin(), level.values.end(), value) == level.values.end())
                level.values.push_back(value);
        }
    }
    return result;
}

// The next row of the covering array, or as much of it as the conditions allow.
solve::Generated MessageMaker::combined(const Recipe& r, model::TransitionId transition,
                                        model::TransitionId key, const expr::Environment& known,
                                        solve::Choices& choices) {
    expr::Pool& pool = *specification_.pool;
    if (!combinations_->known(key)) combinations_->add(key, levels(r, transition, known));
    if (auto row = combinations_->next(key)) {
        for (std::size_t wanted : {row->fields.size(), row->needed}) {
            ExprId condition = r.condition;
            for (std::size_t i = 0; i < wanted; ++i) {
                expr::VarId v = r.variables[row->fields[i].first];
                ExprId is = pool.equal(pool.var(v), pool.literal(row->fields[i].second,
                                                                 pool.types().base(pool.variable(v).type)));
                condition = condition ? pool.logical_and(condition, is) : is;
            }
            solve::Generated made = generator_.generate(r.variables, condition, known, choices);
            if (made.found == solve::Found::yes) return made;
        }
        combinations_->refused(key, *row);
    }
    return generator_.generate(r.variables, r.condition, known, choices);
}

std::optional<std::vector<expr::Value>> MessageMaker::make_wrong(model::TransitionId transition,
                                                                 const expr::Environment& known,
                                                                 solve::Choices& choices,
                                                                 std::string& broken) {
    expr::Pool& pool = *specification_.pool;
    const Recipe& r = recipe(transition);
    std::vector<ExprId> parts;
    for (std::span<const ExprId> list : {std::span(r.of_step), std::span(r.of_declaration)})
        for (ExprId one : list)
            for (ExprId part : solve::conjuncts_of(pool, one)) parts.push_back(part);
    std::vector<expr::VarId> variables;  // with the ends of their ranges as conditions like others
    absl::flat_hash_map<expr::VarId, ExprId> wide;
    for (expr::VarId v : r.variables) {
        const expr::Type& type = pool.types()[pool.variable(v).type];
        bool ranged = type.kind == expr::TypeKind::integer && (type.low || type.high);
        variables.push_back(ranged ? pool.declare(pool.variable(v).name, pool.types().integer()) : v);
        ExprId x = pool.var(variables.back());
        wide[v] = x;
        auto end = [&](expr::Op op, std::int64_t bound) {
            parts.push_back(pool.make(op, pool.types().boolean(), std::array{x, pool.integer(bound)}));
        };
        if (ranged && type.low) end(expr::Op::greater_equal, *type.low);
        if (ranged && type.high) end(expr::Op::less_equal, *type.high);
    }
    if (parts.empty()) return std::nullopt;
    auto first = static_cast<std::size_t>(choices.draw(parts.size()));
    for (std::size_t n = 0; n < parts.size(); ++n) {
        std::size_t wrong = (first + n) % parts.size();
        ExprId condition = pool.boolean(true);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            ExprId part = expr::substitute(pool, parts[i], wide);
            condition = pool.logical_and(condition, i == wrong ? pool.logical_not(part) : part);
        }
        for (ExprId one : r.of_wire)
            condition = pool.logical_and(condition, expr::substitute(pool, one, wide));
        solve::Generated made = generator_.generate(variables, condition, known, choices);
        if (made.found != solve::Found::yes) continue;
        broken = expr::print(pool, parts[wrong]);
        std::vector<expr::Value> values;
        values.reserve(variables.size());
        for (expr::VarId v : variables) values.push_back(*made.values.get(v));
        return values;
    }
    return std::nullopt;
}

std::optional<std::vector<expr::Value>> MessageMaker::make_declared(model::TransitionId transition,
                                                                    solve::Choices& choices) {
    const Recipe& r = recipe(transition);
    std::vector<expr::Value> values;
    solve::Generated made =
        generator_.generate(r.variables, all_of({r.of_declaration, r.of_wire}), {}, choices);
    if (made.found != solve::Found::yes) return std::nullopt;
    for (expr::VarId v : r.variables) values.push_back(*made.values.get(v));
    return values;
}

std::optional<std::vector<expr::Value>> MessageMaker::make_near(model::TransitionId transition,
                                                                std::span<const expr::Value> wanted,
                                                                const expr::Environment& known) {
    expr::Pool& pool = *specification_.pool;
    const Recipe& r = recipe(transition);
    if (r.variables.size() != wanted.size()) return std::nullopt;
    auto made = [&](ExprId condition) {
        for (bool simplest : {true, false}) {  // of values that are free, the simplest
            solve::Choices choices =
                simplest ? solve::Choices(std::span<const std::uint64_t>{}) : solve::Choices(1);
            solve::Generated one = generator_.generate(r.variables, condition, known, choices);
            if (one.found != solve::Found::unknown || !simplest) return one;
        }
        return solve::Generated{};
    };
    ExprId condition = r.condition;
    solve::Generated best = made(condition);
    if (best.found != solve::Found::yes) return std::nullopt;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        expr::TypeId type = pool.variable(r.variables[i]).type;
        if (!expr::belongs(wanted[i], type, pool.types())) continue;
        ExprId kept = pool.equal(pool.var(r.variables[i]), pool.literal(wanted[i], pool.types().base(type)));
        ExprId more = condition ? pool.logical_and(condition, kept) : kept;
        solve::Generated one = made(more);
        if (one.found != solve::Found::yes) continue;
        condition = more;
        best = std::move(one);
    }
    std::vector<expr::Value> values;
    for (expr::VarId v : r.variables) values.push_back(*best.values.get(v));
    return values;
}

std::size_t MessageMaker::solver_calls() const {
    return generator_.solver_calls() + (solver_ ? solver_->query_count() - solver_->remembered_count() : 0);
}

namespace {

// The value and its parts, as far as they are of the same kind as another one: what is stored in the state
// counts like what was sent. Of a collection with many, the ones from a place that is drawn.
void add_parts(const expr::Value& value, const expr::Value& like, solve::Choices& choices,
               std::vector<const expr::Value*>& parts, unsigned depth = 0) {
    constexpr std::size_t most = 48, few = 12;
    constexpr unsigned deepest = 4;
    if (value.v.index() == like.v.index()) parts.push_back(&value);
    const auto* held = std::get_if<expr::Sequence>(&value.v);
    if (!held || depth == deepest) return;
    std::size_t size = held->items.size();
    std::size_t first = size > few ? static_cast<std::size_t>(choices.draw(size)) : 0;
    for (std::size_t i = 0; i < std::min(size, few) && parts.size() < most; ++i)
        add_parts(held->items[(first + i) % size], like, choices, parts, depth + 1);
}

}  // namespace

// The first field, from one that is drawn, that can be moved.
void MessageMaker::move_one(const Recipe& r, const expr::Environment& known, expr::Environment& made,
                            solve::Choices& choices) {
    const expr::Pool& pool = *specification_.pool;
    auto first = static_cast<std::size_t>(choices.draw(r.variables.size()));
    for (std::size_t i = 0; i < r.variables.size(); ++i) {
        expr::VarId v = r.variables[(first + i) % r.variables.size()];
        const expr::Value was = *made.get(v);
        std::vector<const expr::Value*> former;
        for (expr::VarId b : bound_)
            if (const expr::Value* value = known.get(b)) add_parts(*value, was, choices, former);
        auto moved = near_value(was, former, choices);
        if (!moved || *moved == was || !expr::belongs(*moved, pool.variable(v).type, pool.types())) continue;
        made.set(v, std::move(*moved));
        if (!r.condition || expr::satisfied(pool, r.condition, made)) return;
        made.set(v, was);
    }
}

}  // namespace treaty::roles
