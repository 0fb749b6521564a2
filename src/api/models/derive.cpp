#include "api/models/derive.h"

#include <deque>
#include <map>

#include <fmt/format.h>

#include "api/codes.h"
#include "base/limits.h"
#include "choreo/compile_net.h"
#include "choreo/net_machine.h"
#include "choreo/project.h"
#include "choreo/project_net.h"
#include "choreo/reduce_net.h"
#include "explore/configuration.h"

namespace treaty::api {
namespace {

void explain(const Inquiry& inquiry, base::StopReason stopped, const std::string& reason) {
    if (stopped == base::StopReason::none) {
        inquiry.report(codes::no_meaning, reason);
        return;
    }
    inquiry.answer.verdict = base::Answer::undecided;
    inquiry.answer.reason = reason;
    inquiry.answer.bound.stopped(stopped);
}

// The events of one step as one label: a message that is sent and received at once is an interaction.
model::LabelId label_of(model::Alphabet& alphabet, const explore::Run& step) {
    if (step.size() == 1) return step.front().label;
    model::Event event = alphabet.event(step.front().label);
    return alphabet.interaction(event.from, event.to, event.message);
}

}  // namespace

std::optional<model::Net> derive_net(const Inquiry& inquiry, const ProtocolInput& input,
                                     std::span<const model::RoleId> roles) {
    std::optional<model::Net> net;
    if (!roles.empty()) {
        net = choreo::project_net(input.specification, *input.protocol, roles);
    } else if (auto compiled = choreo::compile_net(input.specification, *input.protocol)) {
        net = choreo::reduce_net(*compiled);
    }
    if (!net)
        inquiry.report(codes::no_meaning, fmt::format("{} has no net: a continue leaves a parallel branch",
                                                      input.protocol->name()));
    return net;
}

std::optional<model::Machine> derive_machine(const Inquiry& inquiry, const ProtocolInput& input,
                                             std::span<const model::RoleId> roles) {
    choreo::MachineResult result;
    if (roles.size() == 1) {
        result = choreo::project(input.specification, *input.protocol, roles.front(),
                                 inquiry.context.machine_limits());
    } else if (!roles.empty()) {
        result =
            choreo::project(input.specification, *input.protocol, roles, inquiry.context.machine_limits());
    } else {
        auto net = derive_net(inquiry, input);
        return net ? machine_of_net(inquiry, *net) : std::nullopt;
    }
    if (!result) explain(inquiry, result.stopped, result.reason);
    return std::move(result.machine);
}

std::optional<model::Machine> machine_of_net(const Inquiry& inquiry, const model::Net& net) {
    auto result = choreo::net_machine(net, inquiry.context.machine_limits());
    if (!result) explain(inquiry, result.stopped, result.reason);
    return std::move(result.machine);
}

std::optional<model::System> derive_system(const Inquiry& inquiry, const ProtocolInput& input,
                                           model::Channels channels, const choreo::MachineLimits& limits) {
    auto result = choreo::make_projected_system(input.specification, *input.protocol, channels, limits);
    if (!result) explain(inquiry, result.stopped, result.reason);
    return std::move(result.system);
}

std::optional<model::System> derive_plain_system(const Inquiry& inquiry, const ProtocolInput& input,
                                                 model::Channels channels,
                                                 const choreo::MachineLimits& limits) {
    auto result = choreo::make_plain_system(input.specification, *input.protocol, channels, limits);
    if (!result) {  // a protocol without finite machines has a meaning all the same
        inquiry.answer.verdict = base::Answer::undecided;
        inquiry.answer.reason = result.reason;
        if (result.stopped != base::StopReason::none) inquiry.answer.bound.stopped(result.stopped);
    }
    return std::move(result.system);
}

std::optional<model::Machine> derive_space(const Inquiry& inquiry, const model::System& system,
                                           std::uint64_t limit) {
    limit = inquiry.context.states.value_or(limit);
    explore::Semantics semantics(system);
    model::MachineBuilder builder(system.name(), system.alphabet_ptr());
    std::map<explore::Configuration, model::StateId> known;
    std::deque<const explore::Configuration*> waiting;
    auto state_of = [&](explore::Configuration configuration) {
        auto [place, added] = known.try_emplace(std::move(configuration));
        if (added) {
            place->second = builder.state(place->first.stable() && semantics.all_rest(place->first));
            waiting.push_back(&place->first);
        }
        return place->second;
    };
    state_of(semantics.initial());
    for (; !waiting.empty(); waiting.pop_front()) {
        const explore::Configuration& here = *waiting.front();
        model::StateId from = known.at(here);
        for (const explore::Run& step : semantics.steps(here)) {
            model::LabelId label = label_of(*system.alphabet_ptr(), step);
            builder.edge(from, label, state_of(semantics.after(here, step).value()));
        }
        base::StopReason stopped = inquiry.context.deadline.reason();
        bool in_time = stopped == base::StopReason::none;
        if (known.size() <= limit && in_time) continue;
        explain(inquiry, in_time ? base::StopReason::states : stopped,
                fmt::format("the space has more than {} configurations", limit));
        return std::nullopt;
    }
    return builder.finish();
}

}  // namespace treaty::api
