// For the tests of generated code: a role as it goes through the states of its code, by the evaluator of the
// product.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "expr/evaluate.h"
#include "expr/has_value.h"
#include "script.h"

namespace treaty::generated {

class Follower {
public:
    Follower(const model::Specification& specification, const generate::RoleCode& code)
        : specification_(specification), code_(code) {
        for (expr::VarId v : code.variables)
            data_.set(v, expr::default_value(specification.pool->variable(v).type, *specification.types));
    }

    const generate::StateCode& state() const { return code_.states[state_]; }

    bool holds(const std::vector<generate::Condition>& conditions, const expr::Environment& values) const {
        return std::all_of(conditions.begin(), conditions.end(), [&](const generate::Condition& c) {
            return expr::satisfied(*specification_.pool, c.condition, values);
        });
    }
    bool may_end() const {
        return std::any_of(state().endings.begin(), state().endings.end(),
                           [&](const auto& conditions) { return holds(conditions, data_); });
    }

    // The data of a message that is sent with one value changed, so that no step here allows it; nothing if
    // none was found.
    std::optional<step::Values> refused(bool sends, const model::Event& event,
                                        const step::Values& values) const {
        for (const generate::Operation& o : state().operations)
            if (sends && o.sends && o.peer == event.to && o.message == event.message)
                return refused(o, values);
        return std::nullopt;
    }
    std::optional<step::Values> refused(const generate::Operation& o, const step::Values& values) const {
        const auto& fields = specification_.message(o.message).fields;
        for (std::size_t i = 0; i < fields.size(); ++i)
            for (expr::Value& other : others(values[i], fields[i].type)) {
                step::Values changed = values;
                changed[i] = std::move(other);
                if (!allows(o, changed)) return changed;
            }
        return std::nullopt;
    }

    // Nothing if the code does not allow it.
    std::optional<Step> take(std::size_t role, bool sends, model::RoleId peer, model::MessageId message,
                             const step::Values& values) {
        expr::Environment known = data_;
        const auto& fields = specification_.message(message).variables;
        for (std::size_t i = 0; i < fields.size() && i < values.size(); ++i) known.set(fields[i], values[i]);
        const generate::StateCode& here = state();
        for (const generate::Operation& o : here.operations) {
            if (o.sends != sends || o.peer != peer || o.message != message) continue;
            for (const generate::Alternative& a : o.alternatives) {
                if (!holds(a.conditions, known)) continue;
                for (const generate::Update& u : a.updates)
                    if (auto value = expr::evaluate(*specification_.pool, u.value, known);
                        const auto* v = std::get_if<expr::Value>(&value))
                        data_.set(u.variable, *v);
                state_ = a.target;
                return Step{role, &here, &o, a.target, &values};
            }
        }
        return std::nullopt;
    }

    // Values of the same kind.
    std::vector<expr::Value> others(const expr::Value& value, expr::TypeId type) const {
        switch (specification_.types->kind(type)) {
            case expr::TypeKind::boolean: return {!value.boolean()};
            case expr::TypeKind::integer:
                return {value.integer() / 2 + 1, value.integer() / 2 - 1, std::int64_t{1'000'000'007},
                        std::int64_t{-1}};
            case expr::TypeKind::string: return {value.string() + "x", std::string()};
            case expr::TypeKind::enumeration: {
                std::vector<expr::Value> members;
                for (std::uint32_t m = 0; m < (*specification_.types)[type].members.size(); ++m)
                    members.push_back(expr::EnumMember{m});
                return members;
            }
            default: return {};
        }
    }

    // Whether the event is allowed here.
    bool allows(bool sends, model::RoleId peer, model::MessageId message, const step::Values& values) const {
        return std::any_of(
            state().operations.begin(), state().operations.end(), [&](const generate::Operation& o) {
                return o.sends == sends && o.peer == peer && o.message == message && allows(o, values);
            });
    }

private:
    bool allows(const generate::Operation& o, const step::Values& values) const {
        const model::Message& message = specification_.message(o.message);
        expr::Environment known = data_;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!expr::belongs(values[i], message.fields[i].type, *specification_.types)) return false;
            known.set(message.variables[i], values[i]);
        }
        if (message.where && !expr::satisfied(*specification_.pool, message.where, known)) return false;
        return std::any_of(o.alternatives.begin(), o.alternatives.end(),
                           [&](const generate::Alternative& a) { return holds(a.conditions, known); });
    }

    const model::Specification& specification_;
    const generate::RoleCode& code_;
    expr::Environment data_;
    std::size_t state_ = 0;
};

}  // namespace treaty::generated
