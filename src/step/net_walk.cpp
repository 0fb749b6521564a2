#include "step/net_walk.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/hash.h"

namespace treaty::step {

using track::Configuration;
using track::EnabledTransition;

namespace {

constexpr std::size_t end_limit = 20'000;  // situations that silent steps may lead to

track::TrackOptions watched_at_the_role() {
    track::TrackOptions options;
    options.asynchronous = false;
    return options;
}

// Each transition once, whatever its environments.
std::vector<model::TransitionId> transitions_of(const std::vector<EnabledTransition>& transitions) {
    std::vector<model::TransitionId> result;
    for (const EnabledTransition& enabled : transitions)
        if (std::find(result.begin(), result.end(), enabled.transition) == result.end())
            result.push_back(enabled.transition);
    return result;
}

}  // namespace

NetWalk::NetWalk(const model::Net& net, model::RoleId subject, model::Specification* specification,
                 std::uint64_t seed)
    : net_(net), inference_(net, subject, watched_at_the_role()), seed_(seed) {
    if (specification) data_ = std::make_unique<EventData>(*specification, net);
    positions_.push_back(position(inference_.start()));
}

NetWalk::Position NetWalk::position(std::vector<Configuration> set) {
    Position result;
    result.set = std::move(set);
    add_options(result);
    for (const Configuration& c : result.set)
        if (!result.at_end) result.at_end = end_of(c, result.gave_up);
    bool may_end = result.at_end.has_value();
    if (result.options.empty() && result.gave_up)
        result.standing = Standing::lost;
    else if (result.options.empty())
        result.standing = may_end ? Standing::over : Standing::stuck;
    else
        result.standing = may_end ? Standing::may_end : Standing::going;
    return result;
}

void NetWalk::add_options(Position& position) {
    std::map<std::pair<model::NodeId, model::LabelId>, std::vector<EnabledTransition>> found;
    for (const Configuration& c : position.set)
        for (EnabledTransition& enabled : inference_.next(c, &position.gave_up)) {
            const model::Transition& t = net_.transitions()[enabled.transition.index];
            found[{t.node, t.label}].push_back(std::move(enabled));
        }
    for (auto& [event, transitions] : found) {
        Option option;
        option.node = event.first;
        option.label = event.second;
        if (!propose(transitions, position.options.size(), option)) continue;
        position.options.push_back(std::move(option));
        position.transitions.push_back(std::move(transitions));
    }
}

bool NetWalk::propose(const std::vector<EnabledTransition>& transitions, std::uint64_t salt, Option& option) {
    if (!data_) {
        option.proposal.emplace();
        return true;
    }
    bool possible = false;
    for (const EnabledTransition& enabled : transitions) {
        solve::Choices choices(base::combine(base::combine(base::mix(seed_), taken_.size()), salt));
        EventData::Made made = data_->make(enabled.transition, enabled.environment, choices);
        possible = possible || made.found != solve::Found::no;
        if (made.found == solve::Found::no) continue;
        option.fixed = std::move(made.fixed);
        if (made.found != solve::Found::yes) continue;
        option.proposal = std::move(made.values);
        break;
    }
    return possible;
}

bool NetWalk::take(std::size_t option, const Values& values) {
    if (option >= here().options.size() || here().standing == Standing::lost) return false;
    const Option& chosen = here().options[option];
    if (data_ && !data_->declared(net_.alphabet().event(chosen.label).message, values)) return false;
    auto after =
        inference_.take(here().set, transitions_of(here().transitions[option]), data_ ? &values : nullptr);
    if (after.verdict == track::EventVerdict::refused) return false;
    taken_.push_back({chosen.label, {}, chosen.node, values});
    if (after.verdict == track::EventVerdict::lost) {
        positions_.emplace_back();
        positions_.back().standing = Standing::lost;
    } else {
        positions_.push_back(position(std::move(after.after)));
    }
    return true;
}

bool NetWalk::back() {
    if (taken_.empty()) return false;
    taken_.pop_back();
    positions_.pop_back();
    return true;
}

std::optional<expr::Environment> NetWalk::end_of(const Configuration& configuration, bool& gave_up) const {
    track::ConfigurationSet seen;
    seen.add({configuration.marking, configuration.environment, {}});
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen.exceeds(end_limit)) {
            gave_up = true;
            break;
        }
        if (track::successful(net_, seen[i].marking)) return seen[i].environment;
        for (const model::Transition& t : net_.transitions()) {
            if (!t.silent() || !track::enabled(seen[i].marking, t)) continue;
            Configuration next{{}, seen[i].environment, {}};
            if (net_.pool() && !track::run_data(*net_.pool(), t, std::nullopt, next.environment)) continue;
            next.marking = track::fired(seen[i].marking, t);
            seen.add(std::move(next));
        }
    }
    return std::nullopt;
}

std::vector<const expr::Environment*> NetWalk::known() const {
    std::vector<const expr::Environment*> all;
    for (const auto& transitions : here().transitions)
        for (const EnabledTransition& enabled : transitions) all.push_back(&enabled.environment);
    if (here().at_end) all.push_back(&*here().at_end);
    if (all.empty())
        for (const Configuration& c : here().set) all.push_back(&c.environment);
    return all;
}

std::vector<std::string> NetWalk::where() const {
    std::vector<std::string> lines;
    const auto& pool = net_.pool();
    auto environments = known();
    if (!pool || environments.empty()) return lines;
    for (std::size_t i = 0; i < pool->variable_count(); ++i) {
        expr::VarId id(i);
        const expr::Value* value = environments.front()->get(id);
        bool agreed = value && std::all_of(environments.begin(), environments.end(), [&](const auto* other) {
                          const expr::Value* its = other->get(id);
                          return its && *its == *value;
                      });
        const expr::Variable& variable = pool->variable(id);
        if (agreed)
            lines.push_back(fmt::format("{} = {}", pool->names().text(variable.name),
                                        expr::print(*value, variable.type, pool->types(), pool->names())));
    }
    return lines;
}

model::Net net_of(const model::Machine& machine) {
    model::NetBuilder builder(machine.name(), machine.alphabet_ptr(), machine.pool());
    for (std::size_t s = 0; s < machine.state_count(); ++s) builder.place();
    model::PlaceId end = builder.place();
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        model::StateId state(s);
        model::PlaceId from(s);
        auto edges = machine.out(state);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            model::Transition t;
            t.label = edges[i].label;
            t.node = machine.node(state, i);
            t.from = {from};
            t.to = {model::PlaceId(edges[i].target.index)};
            if (machine.has_data()) {
                const model::EdgeData& data = machine.data(state, i);
                t.guard = data.guard;
                t.data = data.data;
                t.where = data.where;
                t.assignments = data.assignments;
            }
            builder.transition(std::move(t));
        }
        if (machine.final(state) || edges.empty()) {
            model::Transition t;
            t.label = builder.alphabet().silent();
            t.from = {from};
            t.to = {end};
            builder.transition(std::move(t));
        }
    }
    builder.initial(model::PlaceId(machine.initial().index));
    builder.final(end);
    return *builder.finish();
}

}  // namespace treaty::step
