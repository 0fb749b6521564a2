// Every machine is followed from its initial state with the values of its variables beside the state. What
// may be received is what was found to be sent; so all machines are followed again until nothing new is sent.
#include "symbolic/expand_values.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "choreo/determinise.h"
#include "choreo/minimise.h"
#include "choreo/project.h"
#include "choreo/remove_silent.h"
#include "expr/evaluate.h"
#include "model/message_data.h"
#include "symbolic/message_values.h"
#include "symbolic/stopping.h"
#include "symbolic/value_choice.h"

namespace treaty::symbolic {
namespace {

using expr::Value;
using expr::VarId;
using model::EventKind;
using model::StateId;

constexpr const char* too_many = "too many combinations of messages and values";
constexpr std::string_view no_data = "(no data is allowed)";

using Data = MessageValues::Row;
using Sent = std::map<model::Event, std::set<Data>>;  // by the event of sending

// What following all machines has in common.
struct Common {
    const model::Specification& specification;
    const ValueChoice& choice;
    const ExpandLimits& limits;
    std::shared_ptr<model::Alphabet> alphabet;
    Sent sent;
    std::size_t messages = 0;
    std::map<model::LabelId, model::LabelId> plain;
    std::string reason;
};

class Follower {
public:
    Follower(Common& common, const model::Machine& machine)
        : common_(common),
          pool_(*common.specification.pool),
          machine_(machine),
          values_(common.specification, common.choice),
          builder_(machine.name(), common.alphabet, machine.role()) {}

    // Nothing when a limit is reached; the reason is then in what is common.
    std::optional<model::Machine> run() {
        meet(machine_.initial(), {});
        for (std::size_t i = 0; i < places_.size() && common_.reason.empty(); ++i) {
            if (places_.size() > common_.limits.machine.states)
                common_.reason = "a role has too many states with data";
            if (common_.limits.machine.deadline.passed())
                common_.reason = why_stopped(common_.limits.machine.deadline);
            auto [state, environment] = places_[i];  // a copy: places_ grows
            moved_ = machine_.final(state);
            for (std::size_t e = 0; e < machine_.out(state).size(); ++e)
                follow(StateId(i), state, e, environment);
            if (!moved_ && !machine_.out(state).empty()) wait_for_ever(StateId(i), state);
        }
        if (!common_.reason.empty()) return std::nullopt;
        return builder_.finish();
    }

private:
    StateId meet(StateId state, const expr::Environment& environment) {
        std::pair<StateId, Data> key{state, {}};
        expr::Environment kept;
        for (VarId v : common_.choice.variables) {
            const Value* value = environment.get(v);
            // A variable without a value differs from every one that has one.
            key.second.push_back(value ? expr::Sequence{{*value}} : expr::Sequence{});
            if (value) kept.set(v, *value);
        }
        auto [entry, added] = ids_.try_emplace(std::move(key), StateId(places_.size()));
        if (!added) return entry->second;
        places_.emplace_back(state, std::move(kept));
        return builder_.state(machine_.final(state));
    }

    void follow(StateId from, StateId state, std::size_t e, const expr::Environment& environment) {
        const model::Edge& edge = machine_.out(state)[e];
        const model::EdgeData& data = model::data_of(machine_, state, e);
        if (data.guard && !satisfied(pool_, data.guard, environment)) return;
        model::NodeId node = machine_.node(state, e);
        model::Event event = machine_.alphabet().event(edge.label);
        if (event.kind != EventKind::send && event.kind != EventKind::receive) {
            expr::Environment after = environment;
            values_.assign(data, after);
            add(from, edge.label, edge.target, after, node);
            return;
        }
        model::Event sending = event;
        sending.kind = EventKind::send;
        std::vector<Data> candidates;
        if (event.kind == EventKind::send) {
            auto rows = values_.rows(event.message, data, environment,
                                     {common_.limits.values, common_.limits.messages});
            if (!rows) {
                common_.reason = rows.error();
                return;
            }
            candidates = std::move(*rows);
        } else if (auto found = common_.sent.find(sending); found != common_.sent.end()) {
            candidates.assign(found->second.begin(), found->second.end());
        }
        for (const Data& values : candidates) {
            expr::Environment after = environment;
            if (!values_.fits(event.message, data, values, after)) continue;
            if (event.kind == EventKind::send && common_.sent[sending].insert(values).second)
                ++common_.messages;
            if (common_.messages > common_.limits.messages) common_.reason = too_many;
            if (!common_.reason.empty()) return;
            add(from, label(event, edge.label, values), edge.target, after, node);
        }
    }

    void add(StateId from, model::LabelId label, StateId to, const expr::Environment& after,
             model::NodeId node) {
        moved_ = true;
        builder_.edge(from, label, meet(to, after), node);
    }

    // A role that has something to do and cannot must not look like one that has nothing left to do: it waits
    // for a message that no role sends.
    void wait_for_ever(StateId from, StateId state) {
        std::optional<model::Event> wanted = first_event(state);
        for (std::size_t s = 0; !wanted && s < machine_.state_count(); ++s) wanted = first_event(StateId(s));
        if (!wanted) return;
        model::Event event = *wanted;
        if (event.kind == EventKind::send) {
            std::swap(event.from, event.to);
            event.kind = EventKind::receive;
            event.message = common_.alphabet->message(
                fmt::format("{}{}", machine_.alphabet().name(event.message), no_data));
        }
        model::LabelId never = common_.alphabet->label(event);
        common_.plain[never] = never;
        builder_.edge(from, never, from);
    }
    std::optional<model::Event> first_event(StateId state) const {
        for (const model::Edge& edge : machine_.out(state)) {
            const model::Event& event = machine_.alphabet().event(edge.label);
            if (event.kind == EventKind::send || event.kind == EventKind::receive) return event;
        }
        return std::nullopt;
    }

    model::LabelId label(model::Event event, model::LabelId plain, const Data& values) {
        if (!values.empty()) event.message = common_.alphabet->message(values_.name(event.message, values));
        model::LabelId result = common_.alphabet->label(event);
        common_.plain[result] = plain;
        return result;
    }

    Common& common_;
    const expr::Pool& pool_;
    const model::Machine& machine_;
    MessageValues values_;
    model::MachineBuilder builder_;
    bool moved_ = false;  // the place at hand is an end, or leads on
    std::vector<std::pair<StateId, expr::Environment>> places_;
    std::map<std::pair<StateId, Data>, StateId> ids_;
};

// The same roles, messages and labels under the same numbers.
std::shared_ptr<model::Alphabet> copied(const model::Alphabet& from) {
    auto to = std::make_shared<model::Alphabet>();
    for (std::size_t i = 0; i < from.role_count(); ++i) to->role(from.name(model::RoleId(i)));
    for (std::size_t i = 0; i < from.message_count(); ++i) to->message(from.name(model::MessageId(i)));
    for (std::size_t i = 0; i < from.label_count(); ++i) to->label(from.event(model::LabelId(i)));
    return to;
}

// All machines, until nothing new is sent.
std::vector<model::Machine> follow_all(Common& common, const std::vector<model::Machine>& machines) {
    for (std::size_t before = SIZE_MAX; before != common.messages;) {
        before = common.messages;
        std::vector<model::Machine> result;
        for (const model::Machine& machine : machines) {
            auto one = Follower(common, machine).run();
            if (!one) return {};
            result.push_back(std::move(*one));
        }
        if (before == common.messages) return result;
    }
    return {};
}

}  // namespace

std::string_view without_data(std::string_view name) {
    return name.ends_with(no_data) ? name.substr(0, name.size() - no_data.size()) : std::string_view();
}

base::Result<ExpandedValues> expand_values(const model::Specification& specification,
                                           const model::Protocol& protocol, model::Channels channels,
                                           const ExpandLimits& limits) {
    std::vector<model::Machine> machines;
    for (model::RoleId role : protocol.roles()) {
        auto made = choreo::project(specification, protocol, role, limits.machine);
        if (!made) return base::Fault{made.reason};
        machines.push_back(std::move(*made));
    }
    ValueChoice choice = choose_values(specification, machines, limits.values);
    Common common{specification, choice, limits, copied(*specification.alphabet), {}, 0, {}, {}};
    std::vector<model::Machine> expanded = follow_all(common, machines);
    if (!common.reason.empty()) return base::Fault{common.reason};
    for (model::Machine& machine : expanded) {
        auto plain = choreo::determinise(choreo::remove_silent(machine), limits.machine);
        if (!plain) return base::Fault{plain.reason};
        machine = choreo::minimise(*plain);
    }
    std::string fault;
    auto system = model::make_system(std::string(protocol.name()), std::move(expanded), channels, &fault);
    if (!system) return base::Fault{fault};
    ExpandedValues result{std::move(*system), {}};
    for (std::size_t l = 0; l < common.alphabet->label_count(); ++l) {
        auto found = common.plain.find(model::LabelId(l));
        result.plain.push_back(found == common.plain.end() ? model::LabelId(l) : found->second);
    }
    return result;
}

}  // namespace treaty::symbolic
