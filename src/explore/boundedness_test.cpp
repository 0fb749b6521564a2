#include "explore/boundedness.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/hash.h"
#include "explore/testing/families.h"
#include "explore/testing/random_system.h"
#include "explore/testing/reference.h"

namespace treaty::explore {
namespace {

using model::Channels;
using model::Mode;

std::vector<std::uint32_t> all_machines(const model::System& system) {
    std::vector<std::uint32_t> machines(system.machines().size());
    std::iota(machines.begin(), machines.end(), 0u);
    return machines;
}

// The same machines over unbounded channels.
model::System unbounded(const model::System& system, Mode mode = Mode::fifo) {
    std::vector<model::Machine> machines(system.machines().begin(), system.machines().end());
    return *model::make_system(system.name(), std::move(machines), {mode, std::nullopt});
}

TEST(WeightsBound, knows_the_families) {
    for (std::string_view name : {"pairs3", "ring6", "atm2", "buyer2"}) {
        model::System system = unbounded(*named_family(name));
        EXPECT_TRUE(weights_bound(Semantics(system), all_machines(system))) << name;
    }
    // The source of a pipeline never waits.
    model::System pipe = unbounded(*named_family("pipe3"));
    EXPECT_FALSE(weights_bound(Semantics(pipe), all_machines(pipe)));
}

TEST(WeightsBound, weighs_a_request_as_much_as_its_answers) {
    auto alphabet = std::make_shared<model::Alphabet>();
    model::RoleId c = alphabet->role("C"), s = alphabet->role("S");
    model::MessageId ask = alphabet->message("ask"), part = alphabet->message("part");
    // One question, three answers.
    model::MachineBuilder client("C", alphabet, c), server("S", alphabet, s);
    for (int i = 0; i < 4; ++i) client.state(), server.state();
    client.edge(model::StateId(0u), alphabet->send(c, s, ask), model::StateId(1u));
    server.edge(model::StateId(0u), alphabet->receive(c, s, ask), model::StateId(1u));
    for (std::size_t i = 1; i <= 3; ++i) {
        client.edge(model::StateId(i), alphabet->receive(s, c, part), model::StateId((i + 1) % 4));
        server.edge(model::StateId(i), alphabet->send(s, c, part), model::StateId((i + 1) % 4));
    }
    std::vector<model::Machine> machines;
    machines.push_back(*client.finish());
    machines.push_back(*server.finish());
    auto system = model::make_system("three parts", std::move(machines), {Mode::fifo, std::nullopt});
    ASSERT_TRUE(system);
    EXPECT_TRUE(weights_bound(Semantics(*system), all_machines(*system)));
}

// A system that is proved bounded has finitely many configurations.
TEST(WeightsBound, is_never_wrong) {
    int proved = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        RandomShape shape;
        shape.machines = 2 + static_cast<std::uint32_t>(seed % 2);
        shape.edges = 2 + static_cast<std::uint32_t>(seed / 2 % 2);
        Mode mode = std::array{Mode::fifo, Mode::bag, Mode::mailbox}[seed % 3];
        model::System system = random_system(seed, shape, {mode, std::nullopt});
        if (!weights_bound(Semantics(system), all_machines(system))) continue;
        ++proved;
        EXPECT_TRUE(reference_explore(system, true, 5000).finite) << seed;
    }
    EXPECT_GT(proved, 50);
}

// What is found can be repeated: done again five times, the channel grows by as much each time.
TEST(FindPump, finds_loops_that_repeat) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 1200; ++seed) {
        RandomShape shape;
        shape.machines = 2 + static_cast<std::uint32_t>(seed % 2);
        Mode mode = std::array{Mode::fifo, Mode::bag, Mode::mailbox}[seed % 3];
        model::System system = random_system(seed, shape, {mode, std::nullopt});
        Semantics semantics(system);
        Configuration c = semantics.initial();
        explore::Run run;
        for (std::uint64_t i = 0; i < 40; ++i) {
            auto steps = semantics.steps(c);
            if (steps.empty()) break;
            const explore::Run& step = steps[base::combine(seed, i) % steps.size()];
            c = *semantics.after(c, step);
            run.insert(run.end(), step.begin(), step.end());
        }
        auto pump = find_pump(semantics, run);
        if (!pump) continue;
        ++found;
        explore::Run again(run.begin(), run.begin() + static_cast<long>(pump->end));
        std::size_t length = semantics.replay(again)->contents[pump->channel].size();
        explore::Run start(run.begin(), run.begin() + static_cast<long>(pump->begin));
        std::size_t growth = length - semantics.replay(start)->contents[pump->channel].size();
        ASSERT_GT(growth, 0u);
        for (int times = 0; times < 5; ++times) {
            again.insert(again.end(), run.begin() + static_cast<long>(pump->begin),
                         run.begin() + static_cast<long>(pump->end));
            auto after = semantics.replay(again);
            ASSERT_TRUE(after) << "seed " << seed << ": " << print(system.alphabet(), again);
            length += growth;
            EXPECT_EQ(after->contents[pump->channel].size(), length);
        }
    }
    EXPECT_GT(found, 200);
}

}  // namespace
}  // namespace treaty::explore
