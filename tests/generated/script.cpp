#include "script.h"

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>

#include "choreo/compile_net.h"
#include "choreo/reduce_net.h"
#include "expr/evaluate.h"
#include "expr/has_value.h"
#include "roles/distances.h"
#include "step/net_walk.h"

namespace treaty::generated {
namespace {

using generate::Alternative;
using generate::Condition;
using generate::Operation;
using generate::RoleCode;
using generate::StateCode;

constexpr std::size_t sessions = 3, towards_the_end = 25, most_events = 50;

// A role as it goes through its states, by the evaluator of the product.
class Follower {
public:
    Follower(const model::Specification& specification, const RoleCode& code)
        : specification_(specification), code_(code) {
        for (expr::VarId v : code.variables)
            data_.set(v, expr::default_value(specification.pool->variable(v).type, *specification.types));
    }

    const StateCode& state() const { return code_.states[state_]; }

    bool holds(const std::vector<Condition>& conditions, const expr::Environment& values) const {
        return std::all_of(conditions.begin(), conditions.end(), [&](const Condition& c) {
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
        for (const Operation& o : state().operations)
            if (sends && o.sends && o.peer == event.to && o.message == event.message)
                return refused(o, values);
        return std::nullopt;
    }
    std::optional<step::Values> refused(const Operation& o, const step::Values& values) const {
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
        const StateCode& here = state();
        for (const Operation& o : here.operations) {
            if (o.sends != sends || o.peer != peer || o.message != message) continue;
            for (const Alternative& a : o.alternatives) {
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

private:
    bool allows(const Operation& o, const step::Values& values) const {
        const model::Message& message = specification_.message(o.message);
        expr::Environment known = data_;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!expr::belongs(values[i], message.fields[i].type, *specification_.types)) return false;
            known.set(message.variables[i], values[i]);
        }
        if (message.where && !expr::satisfied(*specification_.pool, message.where, known)) return false;
        return std::any_of(o.alternatives.begin(), o.alternatives.end(),
                           [&](const Alternative& a) { return holds(a.conditions, known); });
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

    const model::Specification& specification_;
    const RoleCode& code_;
    expr::Environment data_;
    std::size_t state_ = 0;
};

class Scripts {
public:
    Scripts(const generate::RoleSource& source, const std::vector<RoleCode>& roles, std::uint64_t seed)
        : source_(source), roles_(roles), random_(seed) {}

    std::vector<Script> run(std::string& fault) {
        auto compiled = choreo::compile_net(source_.specification, source_.protocol);
        if (!compiled) return {};
        model::Net net = choreo::reduce_net(*compiled);
        roles::EndDistance distance(net);
        std::vector<Script> all(sessions);
        for (Script& script : all) {
            walk(net, distance, script);
            follow(script, fault);
            if (!fault.empty()) return {};
        }
        return all;
    }

private:
    void walk(const model::Net& net, const roles::EndDistance& distance, Script& script) {
        step::NetWalk walk(net, {}, &source_.specification, random_());
        while (walk.taken().size() < most_events) {
            if (walk.standing() == step::Standing::over) break;
            if (walk.standing() == step::Standing::may_end && walk.taken().size() >= towards_the_end) break;
            std::vector<std::size_t> possible;
            for (std::size_t i = 0; i < walk.options().size(); ++i)
                if (walk.options()[i].proposal) possible.push_back(i);
            if (possible.empty()) break;
            std::size_t chosen = choose(walk, possible, distance);
            seen_.insert(walk.options()[chosen].node);
            if (!walk.take(chosen, *walk.options()[chosen].proposal)) break;
        }
        auto taken = walk.taken();
        script.events.assign(taken.begin(), taken.end());
        script.ended = walk.standing() == step::Standing::over || walk.standing() == step::Standing::may_end;
    }

    std::size_t choose(const step::NetWalk& walk, const std::vector<std::size_t>& possible,
                       const roles::EndDistance& distance) {
        auto options = walk.options();
        if (walk.taken().size() >= towards_the_end)
            return *std::min_element(possible.begin(), possible.end(), [&](std::size_t a, std::size_t b) {
                return distance.after(options[a].node) < distance.after(options[b].node);
            });
        std::vector<std::size_t> fresh;
        for (std::size_t i : possible)
            if (!seen_.contains(options[i].node)) fresh.push_back(i);
        const auto& from = fresh.empty() ? possible : fresh;
        return from[random_() % from.size()];
    }

    void follow(Script& script, std::string& fault) {
        std::vector<Follower> followers;
        for (const RoleCode& role : roles_) followers.emplace_back(source_.specification, role);
        const model::Alphabet& alphabet = *source_.specification.alphabet;
        for (const step::Taken& taken : script.events) {
            const model::Event& event = alphabet.event(taken.label);
            if (event.kind != model::EventKind::interaction) continue;
            for (bool sends : {true, false}) {
                std::size_t role = position(sends ? event.from : event.to);
                std::optional<step::Values> refused = followers[role].refused(sends, event, taken.values);
                auto step = followers[role].take(role, sends, sends ? event.to : event.from, event.message,
                                                 taken.values);
                if (!step) {
                    fault = fmt::format("{} does not allow {} in {}", alphabet.name(roles_[role].role),
                                        alphabet.print(taken.label), followers[role].state().name);
                    return;
                }
                step->refused = std::move(refused);
                script.steps.push_back(*step);
            }
        }
        depart(script, followers);
    }

    // First those that can close their side by themselves, then those that wait for that.
    void depart(Script& script, const std::vector<Follower>& followers) const {
        std::set<model::RoleId> gone;
        for (bool waiting : {false, true})
            for (std::size_t i = 0; i < followers.size(); ++i) {
                const StateCode& state = followers[i].state();
                bool waits = state.receives() && !state.sends();
                if (waits != waiting) continue;
                Leaving how = Leaving::abandons;
                if (state.is_done())
                    how = Leaving::drops;
                else if (script.ended && followers[i].may_end())
                    how = !waits                     ? Leaving::finishes
                          : all_gone(state, gone)    ? Leaving::is_ended
                          : state.endings[0].empty() ? Leaving::drops
                                                     : Leaving::abandons;
                script.departures.push_back({i, &state, how});
                gone.insert(roles_[i].role);
            }
    }

    static bool all_gone(const StateCode& state, const std::set<model::RoleId>& gone) {
        return std::all_of(state.operations.begin(), state.operations.end(),
                           [&](const Operation& o) { return gone.contains(o.peer); });
    }

    std::size_t position(model::RoleId role) const {
        auto found = std::find_if(roles_.begin(), roles_.end(),
                                  [&](const RoleCode& code) { return code.role == role; });
        return static_cast<std::size_t>(found - roles_.begin());
    }

    const generate::RoleSource& source_;
    const std::vector<RoleCode>& roles_;
    std::mt19937_64 random_;
    std::set<model::NodeId> seen_;
};

}  // namespace

std::vector<Script> scripts_of(const generate::RoleSource& source, const std::vector<RoleCode>& roles,
                               std::uint64_t seed, std::string& fault) {
    return Scripts(source, roles, seed).run(fault);
}

}  // namespace treaty::generated
