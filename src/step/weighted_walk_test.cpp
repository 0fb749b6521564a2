// Walking nets with several tokens on a place, compared with the plain token game.
#include <gtest/gtest.h>

#include <set>

#include "choreo/testing/seeds.h"
#include "choreo/testing/weighted_nets.h"
#include "step/net_walk.h"

namespace treaty::step {
namespace {

using choreo::testing::TokenGame;
using Situations = std::set<TokenGame::Counts>;

// Everything that silent steps lead to; nothing where it has no end.
std::optional<Situations> closure(const model::Net& net, Situations situations) {
    TokenGame game(net);
    std::vector<TokenGame::Counts> work(situations.begin(), situations.end());
    while (!work.empty()) {
        TokenGame::Counts now = work.back();
        work.pop_back();
        for (const model::Transition& t : net.transitions()) {
            auto next = t.silent() ? game.fire(now, t) : std::nullopt;
            if (next && situations.insert(*next).second) work.push_back(*next);
        }
        if (situations.size() > 300) return std::nullopt;
    }
    return situations;
}

std::set<std::uint32_t> labels_of(const NetWalk& walk) {
    std::set<std::uint32_t> labels;
    for (const Option& option : walk.options()) labels.insert(option.label.index);
    return labels;
}

TEST(WeightedWalk, OptionsAndEndsAreThoseOfTheTokenGame) {
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(300); ++seed) {
        model::Net net = choreo::testing::random_weighted_net(
            {.silent = true, .clears = seed % 4 == 0, .conservative = seed % 2 == 0}, seed);
        TokenGame game(net);
        NetWalk walk(net, {}, nullptr, seed);
        std::mt19937_64 random(seed);
        auto now = closure(net, {game.initial()});
        for (int turn = 0; turn < 6 && now; ++turn) {
            std::map<std::uint32_t, Situations> after;
            bool ends = false;
            for (const TokenGame::Counts& c : *now) {
                ends = ends || game.successful(c);
                for (const model::Transition& t : net.transitions())
                    if (auto next = t.silent() ? std::nullopt : game.fire(c, t))
                        after[t.label.index].insert(*next);
            }
            std::set<std::uint32_t> possible;
            for (const auto& [label, _] : after) possible.insert(label);
            ASSERT_EQ(labels_of(walk), possible) << "seed " << seed;
            ASSERT_EQ(walk.standing() == Standing::over || walk.standing() == Standing::may_end, ends)
                << "seed " << seed;
            ++compared;
            if (possible.empty()) break;
            std::size_t option = random() % walk.options().size();
            model::LabelId label = walk.options()[option].label;
            ASSERT_TRUE(walk.take(option, {})) << "seed " << seed;
            now = closure(net, after[label.index]);
        }
    }
    EXPECT_GT(compared, 500u);
}

// Silent growth is given up, not followed to the end of memory.
TEST(WeightedWalk, EndlessSilentGrowthIsGivenUp) {
    auto alphabet = std::make_shared<model::Alphabet>();
    model::NetBuilder builder("grows", alphabet);
    model::PlaceId p = builder.place(), q = builder.place(), r = builder.place();
    builder.initial(p);
    model::Transition grow, use;
    grow.label = alphabet->silent();
    grow.from = {p};
    grow.to.assign(100'000, q);
    grow.to.push_back(p);
    use.label = alphabet->plain("use");
    use.from = {q, r};
    builder.transition(grow);
    builder.transition(use);
    model::Net net = *builder.finish();
    NetWalk walk(net, {}, nullptr, 0);
    EXPECT_TRUE(walk.options().empty());
    EXPECT_EQ(walk.standing(), Standing::lost);
}

}  // namespace
}  // namespace treaty::step
