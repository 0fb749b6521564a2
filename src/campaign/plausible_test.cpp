#include "campaign/plausible.h"

#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/project_net.h"
#include "choreo/testing/data.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"

namespace treaty::campaign {
namespace {

using base::SeededRandom;
using track::Marking;

struct Fixture {
    explicit Fixture(std::uint64_t seed) {
        choreo::RandomShape shape;
        shape.steps = 10;
        protocol.emplace(choreo::random_protocol(spec, shape, seed));
        spec.messages.resize(spec.alphabet->message_count());
        cut = protocol->roles()[0];
        std::vector<model::RoleId> others(protocol->roles().begin() + 1, protocol->roles().end());
        if (auto made = roles::RolePart::make(spec, *protocol, cut, others, "")) part = std::move(*made);
    }
    model::Specification spec;
    std::optional<model::Protocol> protocol;
    model::RoleId cut;
    std::unique_ptr<roles::RolePart> part;
};

// A walk through the net: the messages to the component, in the order in which it takes them.
std::vector<drive::Exchange> walk(const roles::RolePart& part, SeededRandom& random) {
    std::vector<drive::Exchange> inputs;
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
bool exists(const roles::RolePart& part, const Marking& marking, const std::vector<drive::Exchange>& inputs,
            std::size_t next, std::set<std::pair<std::size_t, Marking>>& met) {
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
            std::vector<drive::Exchange> inputs = walk(*f.part, random);
            EXPECT_TRUE(plausible(*f.part, inputs));
            // One left out, of one role only, so that the slow way has something to say.
            if (inputs.empty()) continue;
            inputs.erase(inputs.begin() + random.below(static_cast<std::uint32_t>(inputs.size())));
            model::RoleId role =
                f.part->played[random.below(static_cast<std::uint32_t>(f.part->played.size()))];
            std::erase_if(inputs, [&](const drive::Exchange& e) { return e.from != role; });
            std::set<std::pair<std::size_t, Marking>> met;
            bool right = exists(*f.part, track::initial_marking(f.part->net), inputs, 0, met);
            EXPECT_EQ(plausible(*f.part, inputs), right);
            ++(right ? allowed : refused);
        }
    }
    EXPECT_GT(refused, 30u);
    EXPECT_GT(allowed, 200u);
}

// What is refused is no longer refused when there is nothing left to find that out with.
TEST(Plausible, BoundsEndItWithTrue) {
    std::size_t refused = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Fixture f(seed);
        if (!f.part) continue;
        SeededRandom random(seed);
        std::vector<drive::Exchange> inputs = walk(*f.part, random);
        if (inputs.empty()) continue;
        inputs.insert(inputs.end(), 3, inputs.back());
        if (plausible(*f.part, inputs)) continue;
        ++refused;
        PlausibleLimits late, poor;
        late.deadline = base::Deadline::after(std::chrono::nanoseconds(0));
        poor.steps = f.part->net.transitions().size() - 1;
        EXPECT_TRUE(plausible(*f.part, inputs, late));
        EXPECT_TRUE(plausible(*f.part, inputs, poor));
        base::StopSource user;
        user.request();
        EXPECT_TRUE(plausible(*f.part, inputs, {base::Deadline().with(user.token())}));
        EXPECT_FALSE(plausible(*f.part, inputs));
    }
    EXPECT_GT(refused, 10u);
}

// The same with data: every value is 0, 1 or 2.
struct DataFixture {
    explicit DataFixture(std::uint64_t seed) {
        protocol.emplace(choreo::testing::RandomData(spec, seed, seed % 2 == 0).make(5));
        cut = protocol->roles()[0];
        auto made =
            roles::RolePart::make(spec, *protocol, cut, {protocol->roles()[1], protocol->roles()[2]}, "");
        if (made) part = std::move(*made);
    }
    model::Specification spec;
    std::optional<model::Protocol> protocol;
    model::RoleId cut;
    std::unique_ptr<roles::RolePart> part;
};

struct Step {
    const model::Transition* transition;
    track::Values values;
    track::Configuration after;
};

// Every step from here, with every value that it may carry.
std::vector<Step> steps_from(const model::Net& net, const track::Configuration& here) {
    std::vector<Step> result;
    for (const model::Transition& t : net.transitions()) {
        if (!track::enabled(here.marking, t)) continue;
        for (std::int64_t value = 0; value < (t.data.empty() ? 1 : 3); ++value) {
            track::Values values(t.data.size(), expr::Value(value));
            std::optional<std::span<const expr::Value>> known;
            if (!t.silent()) known = values;
            track::Configuration after{track::fired(here.marking, t), here.environment, {}};
            if (track::run_data(*net.pool(), t, known, after.environment))
                result.push_back({&t, std::move(values), std::move(after)});
        }
    }
    return result;
}

// Whether some walk has exactly these as the first that this role says. Gives up with true.
bool exists_with_data(const roles::RolePart& part, std::span<const drive::Exchange> inputs) {
    track::ConfigurationSet met;
    met.add({track::initial_marking(part.net), {}, {}});
    for (const drive::Exchange& input : inputs) {
        track::ConfigurationSet after;
        for (std::size_t i = 0; i < met.size(); ++i) {
            if (met.size() > 800) return true;
            track::Configuration here = met[i];
            for (Step& step : steps_from(part.net, here)) {
                const model::Event& e = part.event(step.transition->label);
                if (e.kind != model::EventKind::receive || e.from != input.from)
                    met.add(std::move(step.after));
                else if (e.message == input.message && step.values == input.values)
                    after.add(std::move(step.after));
            }
        }
        met = std::move(after);
    }
    return !met.empty();
}

TEST(Plausible, WhatIsRefusedForItsDataHasNoConversation) {
    std::size_t by_data = 0, allowed = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(300); ++seed) {
        SCOPED_TRACE(seed);
        DataFixture f(seed);
        if (!f.part) continue;
        SeededRandom random(seed);
        for (int round = 0; round < 6; ++round) {
            std::vector<drive::Exchange> inputs;
            track::Configuration here{track::initial_marking(f.part->net), {}, {}};
            for (int step = 0; step < 30; ++step) {
                std::vector<Step> steps = steps_from(f.part->net, here);
                if (steps.empty()) break;
                Step& one = steps[random.below(static_cast<std::uint32_t>(steps.size()))];
                const model::Event& e = f.part->event(one.transition->label);
                if (e.kind == model::EventKind::receive)
                    inputs.push_back({true, e.from, f.cut, e.message, one.values, one.transition->node});
                here = std::move(one.after);
            }
            ASSERT_TRUE(plausible(*f.part, inputs)) << "it has just happened";
            if (inputs.empty()) continue;
            // Another value somewhere, for one role only, so that the slow way has something to say.
            drive::Exchange& changed = inputs[random.below(static_cast<std::uint32_t>(inputs.size()))];
            for (expr::Value& v : changed.values) v = expr::Value(std::int64_t{random.below(3)});
            model::RoleId role = changed.from;
            std::erase_if(inputs, [&](const drive::Exchange& e) { return e.from != role; });
            bool said = plausible(*f.part, inputs);
            if (!said) {
                EXPECT_FALSE(exists_with_data(*f.part, inputs));
            }
            ++(said ? allowed : by_data);
        }
    }
    EXPECT_GT(by_data, 40u);
    EXPECT_GT(allowed, 200u);
}

}  // namespace
}  // namespace treaty::campaign
