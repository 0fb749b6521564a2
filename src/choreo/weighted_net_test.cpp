// Several tokens on a place and arcs of any weight: what the engines of this folder make of them, compared
// with the plain token game.
#include <gtest/gtest.h>

#include "choreo/net_machine.h"
#include "choreo/reduce_net.h"
#include "choreo/testing/seeds.h"
#include "choreo/testing/traces.h"
#include "choreo/testing/weighted_nets.h"

namespace treaty::choreo {
namespace {

using testing::TokenGame;

// State counts as the literature gives them.
TEST(WeightedNets, WellKnownStateSpaces) {
    auto states = [](const model::Net& net) {
        auto machine = net_machine(net);
        return machine ? machine->state_count() : 0;
    };
    EXPECT_EQ(states(testing::kanban(1)), 160u);
    EXPECT_EQ(states(testing::kanban(2)), 4600u);
    EXPECT_EQ(states(testing::manufacturing(1)), 120u);
    EXPECT_EQ(states(testing::manufacturing(2)), 3444u);
    EXPECT_EQ(states(testing::philosophers(5)), 243u);
    model::Net table = testing::philosophers(5);
    TokenGame::Space space = TokenGame(table).explore(1000);
    EXPECT_EQ(space.states, 243u);
    EXPECT_EQ(space.dead, 2u);  // everybody has the left fork, or everybody the right one
    EXPECT_EQ(TokenGame(testing::kanban(1)).explore(1000).states, 160u);
}

// The number of tokens is not what costs: two hundred thousand of them, taken one hundred thousand at a time.
TEST(WeightedNets, LargeNumbersAreOnlyNumbers) {
    auto machine = net_machine(testing::net_of_lines("pairs", "200000*a", {"go: 100000*a -> 50000*b"}));
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->state_count(), 3u);
}

TEST(WeightedNets, GrowthIsFoundAndNamed) {
    auto more = net_machine(testing::net_of_lines("more", "3*a b", {"x: 2*a -> 2*a c", "y: b -> b"}));
    EXPECT_FALSE(more);
    EXPECT_EQ(more.reason, "place `c` can hold any number of tokens, so there is no finite machine");
    auto twice = net_machine(testing::net_of_lines("twice", "a", {"x: a -> 2*a"}));
    EXPECT_EQ(twice.reason, "place `a` can hold any number of tokens, so there is no finite machine");
    // A hundred tokens at the start are not growth.
    EXPECT_TRUE(net_machine(testing::net_of_lines("few", "100*a", {"x: 2*a -> b"})));
    // Bounded, and beyond any count: each token becomes ten million others, twice.
    auto huge = net_machine(testing::net_of_lines("huge", "1000*a", {"x: a -> 9000000*b"}));
    EXPECT_FALSE(huge);
    EXPECT_EQ(huge.reason, "a place can hold more than 2147483648 tokens");
}

// Walks machine and game together, by the events, which are unique.
void compare(const model::Net& net, const model::Machine& machine, std::uint64_t seed) {
    TokenGame game(net);
    std::map<TokenGame::Counts, std::uint32_t> states{{game.initial(), machine.initial().index}};
    std::deque<TokenGame::Counts> work{game.initial()};
    for (; !work.empty(); work.pop_front()) {
        model::StateId at(states.at(work.front()));
        ASSERT_EQ(machine.final(at), game.successful(work.front())) << "seed " << seed;
        std::size_t possible = 0;
        for (const model::Transition& t : net.transitions()) {
            auto next = game.fire(work.front(), t);
            if (!next) continue;
            ++possible;
            auto edges = machine.out(at);
            auto edge = std::find_if(edges.begin(), edges.end(),
                                     [&](const model::Edge& e) { return e.label == t.label; });
            ASSERT_NE(edge, edges.end()) << "seed " << seed;
            auto [known, added] = states.try_emplace(*next, edge->target.index);
            ASSERT_EQ(known->second, edge->target.index) << "seed " << seed;
            if (added) work.push_back(*next);
        }
        ASSERT_EQ(machine.out(at).size(), possible) << "seed " << seed;
    }
    ASSERT_EQ(states.size(), machine.state_count()) << "seed " << seed;
}

TEST(WeightedNets, TheMachineIsTheTokenGame) {
    std::size_t built = 0, endless = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(3000); ++seed) {
        model::Net net = testing::random_weighted_net(
            {.silent = false, .own_labels = true, .clears = seed % 4 == 0, .conservative = seed % 2 == 0},
            seed);
        auto machine = net_machine(net, {.states = 3000, .deadline = {}});
        if (machine) {
            ++built;
            compare(net, *machine, seed);
            if (HasFatalFailure()) return;
        } else if (machine.stopped == base::StopReason::none) {
            ++endless;
            ASSERT_FALSE(TokenGame(net).explore(3000).complete) << "seed " << seed << ": " << machine.reason;
        }
    }
    EXPECT_GT(built, 2000u);
    EXPECT_GT(endless, 100u);
}

TEST(WeightedNets, ReductionKeepsTracesAndEnds) {
    std::size_t decided = 0, removed = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(3000); ++seed) {
        model::Net net = testing::random_weighted_net(
            {.silent = true, .clears = seed % 4 == 0, .conservative = seed % 3 == 0}, seed);
        model::Net smaller = reduce_net(net);
        removed += net.transitions().size() - smaller.transitions().size();
        auto outcome =
            testing::same_weak_traces(testing::net_steps(net), testing::net_steps(smaller), 4, 150);
        decided += outcome.decided;
        ASSERT_TRUE(outcome.same) << "seed " << seed << ": " << outcome.difference;
    }
    EXPECT_GT(decided, 1500u);
    EXPECT_GT(removed, 300u);
}

}  // namespace
}  // namespace treaty::choreo
