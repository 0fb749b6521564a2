// The part of a conversation that decides what is sent: which message, by which of its steps, with which
// data.
#include <algorithm>

#include <fmt/format.h>

#include "drive/conversation.h"

namespace treaty::drive {

using model::LabelId;
using model::NodeId;

// A message that the component can take, and where its data comes from.
struct Conversation::Input {
    LabelId label;
    model::TransitionId transition;
    const expr::Environment* environment;
};

// A random message of those that the component can take, with data; false if there is none. Only immediate
// ones: those that it takes before it says anything more.
bool Conversation::send_something(expr::Choices& choices, bool only_immediate) {
    std::vector<Input> inputs;
    for (const track::InputChoice& one : tracker_.allowed_inputs()) {
        // What may cross an answer on its way is a race that the component need not win.
        const model::Event& e = part_.event(one.label);
        if (!one.safe || (only_immediate && !one.immediate) || !line_of(e.from)) continue;
        if (director_ && !director_->wants(e.from, e.message)) continue;
        if (part_.profile && part_.profile->weight(e.message.index) == 0) continue;
        for (const track::Way& way : one.ways)
            inputs.push_back({one.label, way.transition, &way.environment});
    }
    // The way to the end is a rough guide: where segments wait for each other it may lead round in one of
    // them.
    std::size_t so_far = outcome_.exchanges.size();
    bool late = so_far >= manners_.length && (so_far < 2 * manners_.length || choices.flag(50));
    bool hurry = !director_ && late;
    if (hurry) part_.to_end->sort(inputs);
    obstacle_ = "there is no message that it is sure to take";
    while (!inputs.empty()) {
        std::size_t at = hurry ? 0 : choose(inputs, choices);
        if (send_input(inputs[at], choices)) return true;
        inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return false;
}

std::size_t Conversation::choose(const std::vector<Input>& inputs, expr::Choices& choices) {
    if (part_.profile) return by_profile(inputs, choices);
    if (part_.combinations) {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (part_.combinations->wants(inputs[i].transition)) open.push_back(i);
        if (!open.empty() && !choices.flag(20)) return open[choices.draw(open.size())];
    }
    return manners_.guided ? towards_unseen(inputs, choices) : choices.draw(inputs.size());
}

// A message by its weight, then any of the ways to send it.
std::size_t Conversation::by_profile(const std::vector<Input>& inputs, expr::Choices& choices) {
    std::vector<std::uint32_t> weights;
    for (const Input& one : inputs)
        weights.push_back(part_.profile->weight(part_.event(one.label).message.index));
    return choices.pick(weights);
}

// Mostly one of those that lead to what was not seen yet by the shortest way; sometimes any.
std::size_t Conversation::towards_unseen(const std::vector<Input>& inputs, expr::Choices& choices) {
    if (choices.flag(20)) return choices.draw(inputs.size());
    std::vector<std::size_t> best;
    std::uint32_t nearest = Guide::nothing_left;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::uint32_t distance = part_.guide.distance(inputs[i].transition);
        if (distance < nearest) best.clear();
        nearest = std::min(nearest, distance);
        if (distance == nearest) best.push_back(i);
    }
    return best[choices.draw(best.size())];
}

bool Conversation::send_input(const Input& one, expr::Choices& choices) {
    const model::Event& e = part_.event(one.label);
    NodeId node = part_.net.transitions()[one.transition.index].node;
    std::string why;
    for (int tries = 0; tries < 5; ++tries) {
        auto values = part_.maker->make(
            one.transition, *one.environment, choices, why,
            part_.profile || part_.combinations ? MessageMaker::Data::plain : MessageMaker::Data::searching);
        if (!values) {
            obstacle_ = fmt::format("{}: {}", part_.name(e.message), why);
            return false;
        }
        if (!tracker_.takes(one.label, *values)) continue;
        // Of several, one with a value of a class that was not seen yet.
        if (manners_.guided && tries < 2 && !values->empty() && !part_.coverage.adds(e.message, *values))
            continue;
        send({true, e.from, part_.cut, e.message, std::move(*values), node, received_});
        return true;
    }
    obstacle_ = fmt::format("{}: the data that was made suits only some of the situations it may be in",
                            part_.name(e.message));
    return false;
}

}  // namespace treaty::drive
