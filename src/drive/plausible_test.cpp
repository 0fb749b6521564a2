#include "drive/plausible.h"

#include <gtest/gtest.h>

#include "choreo/project_net.h"
#include "choreo/random_protocol.h"

namespace treaty::drive {
namespace {

using choreo::SeededRandom;
using track::Marking;

struct Fixture {
    explicit Fixture(std::uint64_t seed) {
        choreo::RandomShape shape;
        shape.steps = 10;
        protocol.emplace(choreo::random_protocol(spec, shape, seed));
        spec.messages.resize(spec.alphabet->message_count());
        cut = protocol->roles()[0];
        std::vector<model::RoleId> others(protocol->roles().begin() + 1, protocol->roles().end());
        std::string fault;
        part = Part::make(spec, *protocol, cut, others, "", fault);
    }
    model::Specification spec;
    std::optional<model::Protocol> protocol;
    model::RoleId cut;
    std::unique_ptr<Part> part;
};

// A walk through the net: the messages to the component, in the order in which it takes them.
std::vector<Exchange> walk(const Part& part, SeededRandom& random) {
    std::vector<Exchange> inputs;
    Marking marking = track::initial_marking(part.net);
    for (int step = 0; step < 60; ++step) {
        std::vector<const model::Transition*> enabled;
        for (const model::Transition& t : part.net.transitions())
            if (track::enabled(marking, t)) enabled.push_back(&t);
        if (enabled.empty()) break;
        const model::Transition& t = *enabled[random.below(static_cast<std::uint32_t>(enabled.size()))];
        const model::Event& e = part.event(t.label);
        if (e.kind == model::EventKind::receive)
            inputs.push_back({true, e.from, part.cut, e.message, {}, t.node});
        marking = track::fired(marking, t);
    }
    return inputs;
}

// Whether some walk has exactly these as the first that this role says: by trying everything, one step after
// the other.
bool exists(const Part& part, const Marking& marking, const std::vector<Exchange>& inputs, std::size_t next,
            std::set<std::pair<std::size_t, Marking>>& met) {
    if (next == inputs.size()) return true;
    if (!met.emplace(next, marking).second) return false;
    for (const model::Transition& t : part.net.transitions()) {
        if (!track::enabled(marking, t)) continue;
        const model::Event& e = part.event(t.label);
        bool from_it = e.kind == model::EventKind::receive && e.from == inputs[next].from;
        if (from_it && e.message != inputs[next].message) continue;
        if (exists(part, track::fired(marking, t), inputs, next + from_it, met)) return true;
    }
    return false;
}

TEST(Plausible, WhatTheNetDoesIsAndWhatItCannotDoIsNot) {
    std::size_t refused = 0, allowed = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        SCOPED_TRACE(seed);
        Fixture f(seed);
        if (!f.part) continue;
        SeededRandom random(seed);
        for (int round = 0; round < 8; ++round) {
            std::vector<Exchange> inputs = walk(*f.part, random);
            EXPECT_TRUE(plausible(*f.part, inputs));
            // One left out, of one role only, so that the slow way has something to say.
            if (inputs.empty()) continue;
            inputs.erase(inputs.begin() + random.below(static_cast<std::uint32_t>(inputs.size())));
            model::RoleId role =
                f.part->played[random.below(static_cast<std::uint32_t>(f.part->played.size()))];
            std::erase_if(inputs, [&](const Exchange& e) { return e.from != role; });
            std::set<std::pair<std::size_t, Marking>> met;
            bool right = exists(*f.part, track::initial_marking(f.part->net), inputs, 0, met);
            EXPECT_EQ(plausible(*f.part, inputs), right);
            ++(right ? allowed : refused);
        }
    }
    EXPECT_GT(refused, 30u);
    EXPECT_GT(allowed, 200u);
}

}  // namespace
}  // namespace treaty::drive
