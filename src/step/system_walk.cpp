#include "step/system_walk.h"

#include <fmt/format.h>

#include "model/system.h"

namespace treaty::step {
namespace {

model::NodeId node_of(const model::Machine& machine, model::StateId from, const explore::Step& step) {
    auto edges = machine.out(from);
    for (std::size_t i = 0; i < edges.size(); ++i)
        if (edges[i].label == step.label && edges[i].target == step.target) return machine.node(from, i);
    return {};
}

}  // namespace

SystemWalk::SystemWalk(const model::System& system) : semantics_(system) {
    positions_.push_back(position(semantics_.initial()));
}

Option SystemWalk::option_of(const explore::Configuration& configuration, const explore::Run& step) const {
    const model::System& system = semantics_.system();
    const explore::Step& first = step.front();
    const model::Machine& machine = system.machines()[first.machine];
    Option option;
    option.label = first.label;
    if (step.size() == 2) {
        model::Event event = alphabet().event(first.label);
        option.label = system.alphabet_ptr()->interaction(event.from, event.to, event.message);
    }
    if (alphabet().event(first.label).kind == model::EventKind::silent) option.actor = machine.role();
    option.node = node_of(machine, configuration.states[first.machine], first);
    option.proposal.emplace();
    return option;
}

SystemWalk::Position SystemWalk::position(explore::Configuration configuration) const {
    Position result;
    result.steps = semantics_.steps(configuration);
    for (const explore::Run& step : result.steps) result.options.push_back(option_of(configuration, step));
    bool ends = configuration.stable() && semantics_.all_rest(configuration);
    if (result.options.empty())
        result.standing = ends ? Standing::over : Standing::stuck;
    else
        result.standing = ends ? Standing::may_end : Standing::going;
    result.configuration = std::move(configuration);
    return result;
}

bool SystemWalk::take(std::size_t option, const Values& values) {
    const Position& here = positions_.back();
    if (option >= here.options.size() || !values.empty()) return false;
    auto after = semantics_.after(here.configuration, here.steps[option]);
    if (!after) return false;
    taken_.push_back({here.options[option].label, here.options[option].actor, here.options[option].node, {}});
    positions_.push_back(position(std::move(*after)));
    return true;
}

bool SystemWalk::back() {
    if (taken_.empty()) return false;
    taken_.pop_back();
    positions_.pop_back();
    return true;
}

std::vector<std::string> SystemWalk::where() const {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < semantics_.channels().size(); ++i) {
        const explore::Channel& channel = semantics_.channels()[i];
        const auto& parcels = configuration().contents[i];
        if (parcels.empty()) continue;
        std::string messages;
        for (const explore::Parcel& parcel : parcels)
            messages += fmt::format("{}{}", messages.empty() ? "" : ", ", alphabet().name(parcel.message));
        lines.push_back(channel.from ? fmt::format("from {} to {}: {}", alphabet().name(channel.from),
                                                   alphabet().name(channel.to), messages)
                                     : fmt::format("to {}: {}", alphabet().name(channel.to), messages));
    }
    return lines;
}

}  // namespace treaty::step
