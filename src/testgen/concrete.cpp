#include "testgen/concrete.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/limits.h"
#include "choreo/determinise.h"
#include "choreo/minimise.h"
#include "expr/has_value.h"
#include "model/message_data.h"
#include "solve/mentioned.h"

namespace treaty::testgen {
namespace {

using expr::TypeId;
using expr::TypeKind;
using expr::Value;
using model::EventKind;
using model::StateId;

constexpr std::size_t max_messages = 500;
constexpr std::size_t max_questions = 100;  // for values that may be sent

using Data = std::vector<Value>;                       // of one message, field by field
using Known = std::map<model::Event, std::set<Data>>;  // by event, told as a send: what is ever sent

// What all machines have in common.
struct Following {
    const ChosenValues& values;
    solve::Solver& solver;
    base::Deadline deadline;
    Known known;
    std::size_t work = 0;
    std::size_t questions = 0;
    bool starved = false;
};

// One machine followed with all values, from scratch each time more messages are known.
class Follower {
public:
    Follower(const model::Specification& specification, const model::Machine& machine, Following& following)
        : specification_(specification),
          pool_(*specification.pool),
          machine_(machine),
          following_(following),
          values_(following.values),
          known_(following.known),
          work_(following.work),
          builder_(machine.name(), machine.alphabet_ptr(), machine.role()) {}

    // Nothing beyond the limit.
    std::optional<model::Machine> run() {
        find_variables();
        meet(machine_.initial(), {});
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (work_ == 0 || following_.deadline.interrupted()) return std::nullopt;
            auto [state, environment] = places_[i];  // a copy: places_ grows
            for (std::size_t e = 0; e < machine_.out(state).size(); ++e) follow(i, state, e, environment);
        }
        return builder_.finish();
    }

private:
    // A state, and what is known there.
    using Place = std::pair<StateId, std::vector<std::pair<expr::VarId, Value>>>;

    void find_variables() {
        for (std::size_t s = 0; machine_.has_data() && s < machine_.state_count(); ++s)
            for (std::size_t e = 0; e < machine_.out(StateId(s)).size(); ++e) {
                const model::EdgeData& data = machine_.data(StateId(s), e);
                for (const model::Argument& argument : data.data)
                    if (argument.bind) variables_.insert(argument.bind);
                for (const model::Assignment& assignment : data.assignments)
                    variables_.insert(assignment.variable);
            }
    }

    StateId meet(StateId state, expr::Environment environment) {
        Place key{state, {}};
        for (expr::VarId variable : variables_)
            if (const Value* value = environment.get(variable)) key.second.emplace_back(variable, *value);
        auto [place, added] = ids_.try_emplace(std::move(key), StateId(places_.size()));
        if (!added) return place->second;
        places_.emplace_back(state, std::move(environment));
        return builder_.state(machine_.final(state));
    }

    void follow(std::size_t from, StateId state, std::size_t e, const expr::Environment& environment) {
        const model::Edge& edge = machine_.out(state)[e];
        const model::EdgeData& data = model::data_of(machine_, state, e);
        if (data.guard && !satisfied(pool_, data.guard, environment)) return;
        model::NodeId node = machine_.node(state, e);
        model::Event event = machine_.alphabet().event(edge.label);
        if (event.kind != EventKind::send && event.kind != EventKind::receive) {
            expr::Environment after = environment;
            if (assign(data, after))
                builder_.edge(StateId(from), edge.label, meet(edge.target, std::move(after)), node);
            return;
        }
        model::Event sent = event;
        sent.kind = EventKind::send;
        std::vector<Data> candidates;
        if (event.kind == EventKind::receive)
            candidates.assign(known_[sent].begin(), known_[sent].end());
        else
            candidates = choices(event.message, data, environment);
        if (event.kind == EventKind::send && !any_fits(event.message, data, candidates, environment))
            candidates = asked(event.message, data, environment);
        for (Data& values : candidates) {
            if (work_ == 0) return;
            --work_;
            expr::Environment after = environment;
            if (!fits(event.message, data, values, after)) continue;
            model::Event concrete = event;
            concrete.message = message(event.message, values);
            if (event.kind == EventKind::send) known_[sent].insert(values);
            builder_.edge(StateId(from), builder_.alphabet().label(concrete),
                          meet(edge.target, std::move(after)), node);
        }
    }

    const std::vector<expr::Field>& fields(model::MessageId id) const {
        return model::fields_of(specification_, id);
    }
    std::vector<std::size_t> all_fields(model::MessageId id) const {
        std::vector<std::size_t> positions(fields(id).size());
        std::iota(positions.begin(), positions.end(), std::size_t{0});
        return positions;
    }

    // What a sender could put into the message: each free field with every value.
    std::vector<Data> choices(model::MessageId id, const model::EdgeData& data,
                              const expr::Environment& environment) const {
        std::vector<Data> all{{}};
        for (std::size_t f = 0; f < fields(id).size(); ++f) {
            std::vector<Value> options;
            if (!model::is_given(data, f))
                options = values_.of(id, f);
            else if (auto value = model::given_value(specification_, id, data, f, environment))
                options.push_back(std::move(*value));
            std::vector<Data> longer;
            for (const Data& before : all)
                for (const Value& option : options) {
                    longer.push_back(before);
                    longer.back().push_back(option);
                }
            all = std::move(longer);
            if (all.size() > max_messages) all.resize(max_messages);
        }
        return all;
    }

    bool any_fits(model::MessageId id, const model::EdgeData& data, const std::vector<Data>& candidates,
                  const expr::Environment& environment) const {
        return std::any_of(candidates.begin(), candidates.end(), [&](const Data& values) {
            expr::Environment after = environment;
            return fits(id, data, values, after);
        });
    }

    // What a message would carry: what is given, and for the rest the variables of the message.
    struct Draft {
        Data values;
        absl::flat_hash_map<expr::VarId, expr::ExprId> by;
        bool free = false;
    };
    std::optional<Draft> draft(model::MessageId id, const model::EdgeData& data,
                               const expr::Environment& environment) const {
        expr::Pool& pool = *specification_.pool;
        Draft made;
        const model::Message& message = specification_.messages[id.index];
        for (std::size_t f = 0; f < message.fields.size(); ++f) {
            TypeId type = message.fields[f].type;
            bool given = model::is_given(data, f);
            if (message.variables.size() <= f) return std::nullopt;
            expr::ExprId here = pool.var(message.variables[f]);
            made.values.push_back(expr::default_value(type, pool.types()));
            made.free = made.free || !given;
            if (given) {
                auto value = model::given_value(specification_, id, data, f, environment);
                if (!value) return std::nullopt;
                made.values[f] = std::move(*value);
                here = pool.literal(made.values[f], pool.types().base(type));
                made.by.emplace(message.variables[f], here);
            }
            if (f < data.data.size() && data.data[f].bind) made.by[data.data[f].bind] = here;
        }
        return made;
    }

    expr::ExprId said(expr::ExprId condition, const Draft& draft,
                      const expr::Environment& environment) const {
        expr::Pool& pool = *specification_.pool;
        if (!condition) return pool.boolean(true);
        auto all = draft.by;
        for (expr::VarId variable : pool.variables_of(condition))
            if (const Value* value = environment.get(variable); value && !all.contains(variable))
                all.emplace(variable, pool.literal(*value, pool.types().base(pool.variable(variable).type)));
        return expr::substitute(pool, condition, all);
    }

    // What the sender may send, by the solver; nothing if there is nothing.
    std::vector<Data> asked(model::MessageId id, const model::EdgeData& data,
                            const expr::Environment& environment) {
        if (fields(id).empty()) return {};
        const model::Message& message = specification_.messages[id.index];
        auto made = draft(id, data, environment);
        if (!made || !made->free) return {};
        expr::ExprId condition = said(message.where, *made, environment);
        condition = specification_.pool->logical_and(condition, said(data.where, *made, environment));
        Data& values = made->values;
        following_.starved = following_.starved || following_.questions >= max_questions;
        if (following_.questions >= max_questions) return {};
        ++following_.questions;
        auto answer = following_.solver.check(condition);
        if (answer.satisfiable == solve::Satisfiable::no) return {};
        for (std::size_t f = 0; f < values.size(); ++f)
            if (const Value* value = answer.model.get(message.variables[f]))
                if (!made->by.contains(message.variables[f])) values[f] = *value;
        expr::Environment after = environment;
        if (fits(id, data, values, after)) return {values};
        following_.starved = true;
        return {};
    }

    // Whether the event may carry these values; then the variables after it.
    bool fits(model::MessageId id, const model::EdgeData& data, const Data& values,
              expr::Environment& environment) const {
        return model::carries(specification_, id, data, all_fields(id), values, environment) &&
               assign(data, environment);
    }

    bool assign(const model::EdgeData& data, expr::Environment& environment) const {
        for (const model::Assignment& assignment : data.assignments) {
            auto result = expr::evaluate(pool_, assignment.value, environment);
            const auto* value = std::get_if<Value>(&result);
            if (!value) return false;
            environment.set(assignment.variable, *value);
        }
        return true;
    }

    model::MessageId message(model::MessageId id, const Data& values) {
        if (values.empty()) return id;
        return builder_.alphabet().message(model::print_message(specification_, id, all_fields(id), values));
    }

    const model::Specification& specification_;
    const expr::Pool& pool_;
    const model::Machine& machine_;
    Following& following_;
    const ChosenValues& values_;
    Known& known_;
    std::size_t& work_;
    std::set<expr::VarId> variables_;  // that the machine ever sets
    std::map<Place, StateId> ids_;
    model::MachineBuilder builder_;
    std::vector<std::pair<StateId, expr::Environment>> places_;
};

std::size_t message_count(const Known& known) {
    std::size_t n = 0;
    for (const auto& [event, data] : known) n += data.size();
    return n;
}

}  // namespace

void ChosenValues::add(TypeId type, Value value) {
    std::vector<Value>& values = values_[specification_->types->base(type)];
    if (values.size() < max_values && std::find(values.begin(), values.end(), value) == values.end())
        values.push_back(std::move(value));
}

void ChosenValues::add_mentioned(std::span<const expr::ExprId> conditions) {
    std::set<TypeId> types;
    for (const model::Message& message : specification_->messages)
        for (const expr::Field& field : message.fields) types.insert(specification_->types->base(field.type));
    for (TypeId type : types)
        for (const Value& value : solve::mentioned_values(*specification_->pool, conditions, type))
            add(type, value);
}

void ChosenValues::add_narrow(const std::vector<FieldValue>& values) {
    narrow_ = true;
    for (const FieldValue& one : values) {
        auto& known = narrow_values_[{one.message, one.field}];
        if (known.size() < max_values && std::find(known.begin(), known.end(), one.value) == known.end())
            known.push_back(one.value);
    }
}

std::vector<Value> ChosenValues::of(model::MessageId message, std::size_t field) const {
    TypeId type = specification_->messages[message.index].fields[field].type;
    std::vector<Value> values = of(type);
    if (!narrow_) return values;
    if (auto found = narrow_values_.find({message, field}); found != narrow_values_.end())
        return found->second;
    values.resize(1);
    return values;
}

std::vector<Value> ChosenValues::of(TypeId type) const {
    const expr::Types& types = *specification_->types;
    std::vector<Value> values;
    if (types.kind(type) == TypeKind::boolean) return {Value(false), Value(true)};
    if (types.kind(type) == TypeKind::enumeration) {
        for (std::size_t i = 0; i < types[type].members.size() && i < 16; ++i)
            values.emplace_back(expr::EnumMember{static_cast<std::uint32_t>(i)});
        return values;
    }
    if (auto found = values_.find(types.base(type)); found != values_.end())
        for (const Value& value : found->second)
            if (belongs(value, type, types)) values.push_back(value);
    if (values.empty()) values.push_back(expr::default_value(type, types));
    return values;
}

bool ChosenValues::all_of(TypeId type) const {
    const expr::Types& types = *specification_->types;
    if (narrow_) return false;
    switch (types.kind(type)) {
        case TypeKind::boolean: return true;
        case TypeKind::enumeration: return types[type].members.size() <= 16;
        case TypeKind::integer: {
            const expr::Type& t = types[type];
            return t.low && t.high && *t.high - *t.low < static_cast<std::int64_t>(max_values) &&
                   of(type).size() == static_cast<std::size_t>(*t.high - *t.low + 1);
        }
        default: return false;
    }
}

std::string ChosenValues::print() const {
    std::string out;
    for (const auto& [type, values] : values_) {
        if (specification_->types->kind(type) == TypeKind::boolean) continue;
        for (std::size_t i = 0; i < values.size(); ++i)
            out += (out.empty() ? "" : ", ") +
                   expr::print(values[i], type, *specification_->types, *specification_->names);
    }
    for (const auto& [place, values] : narrow_values_)
        for (const Value& value : values)
            out += fmt::format(
                "{}{} {}", out.empty() ? "" : ", ", specification_->alphabet->name(place.first),
                expr::print(value, specification_->messages[place.first.index].fields[place.second].type,
                            *specification_->types, *specification_->names));
    return out;
}

ConcreteMachines make_concrete(model::Specification& specification,
                               const std::vector<const model::Machine*>& machines, const ChosenValues& values,
                               solve::Solver& solver, std::size_t& work, const base::Deadline& deadline) {
    constexpr std::size_t most_work = 50'000;  // of one protocol
    ConcreteMachines result;
    std::size_t rest = std::min(work, most_work);
    work -= rest;
    Following following{values, solver, deadline, {}, rest};
    const Known& known = following.known;
    for (bool more = true; more;) {
        std::size_t before = message_count(known);
        result.machines.clear();
        for (const model::Machine* machine : machines) {
            auto followed = Follower(specification, *machine, following).run();
            if (!followed || following.work == 0 || message_count(known) > max_messages) {
                result.reason = "there are too many combinations of values";
                result.machines.clear();
                return result;
            }
            result.machines.push_back(std::move(*followed));
        }
        more = message_count(known) > before;
    }
    specification.messages.resize(specification.alphabet->message_count());
    for (model::Machine& machine : result.machines) {
        auto small = choreo::determinise(machine, {most_work, std::size_t{1} << 28, {}});
        if (!small) {
            result.reason = small.reason;
            result.machines.clear();
            return result;
        }
        machine = choreo::minimise(*small);
    }
    work += following.work;
    result.starved = following.starved;
    return result;
}

}  // namespace treaty::testgen
