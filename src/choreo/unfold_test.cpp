#include "choreo/unfold.h"

#include <gtest/gtest.h>

#include "choreo/pomset.h"
#include "choreo/pomset_language.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/pomsets.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"

namespace treaty::choreo {
namespace {

using testing::read;

std::string unfolded(const std::string& text, std::uint32_t times) {
    auto t = read(text);
    auto result = unfold(*t.protocol, times);
    if (!result) return result.reason;
    return testing::write(*t.spec, *result.protocol) + (result.truncated ? " ..." : "");
}

TEST(Unfold, RepeatBecomesNestedDecisions) {
    EXPECT_EQ(unfolded("rep A { A->B:x } ; A->B:y", 0), "A->B:y");
    EXPECT_EQ(unfolded("rep A { A->B:x } ; A->B:y", 2),
              "ch A { A->B:x ; ch A { A->B:x } { 0 } } { 0 } ; A->B:y");
}

TEST(Unfold, ChoicesAreMadeAnewInEveryRound) {
    EXPECT_EQ(unfolded("rep A { ch A { A->B:x } { A->B:y } }", 2),
              "ch A { ch A { A->B:x } { A->B:y } ; ch A { ch A { A->B:x } { A->B:y } } { 0 } } { 0 }");
}

TEST(Unfold, RecursionLosesTheBranchesThatGoOnTooLong) {
    EXPECT_EQ(unfolded("rec L { A->B:x ; ch A { A->B:y ; cont L } { A->B:z } } ; B->A:e", 1),
              "A->B:x ; ch A { A->B:y ; A->B:x ; A->B:z } { A->B:z } ; B->A:e");
}

TEST(Unfold, WhatFollowsInsideTheRoundIsNotDoneByABranchThatContinues) {
    EXPECT_EQ(unfolded("rec L { ch A { A->B:y ; cont L } { A->B:z } ; B->A:u }", 1),
              "ch A { A->B:y ; A->B:z ; B->A:u } { A->B:z ; B->A:u }");
}

TEST(Unfold, EndlessRecursionIsTruncated) {
    EXPECT_EQ(unfolded("rec L { A->B:x ; cont L }", 2), "A->B:x ; A->B:x ; A->B:x ...");
    EXPECT_EQ(unfolded("ch A { A->B:y ; rec L { A->B:x ; cont L } } { A->B:z }", 1),
              "ch A { A->B:y ; A->B:x ; A->B:x } { A->B:z } ...");
}

TEST(Unfold, LimitsAreReported) {
    auto t = read("rep A { rep A { rep A { A->B:x } } }");
    EXPECT_FALSE(unfold(*t.protocol, 100, 10'000));
    EXPECT_NE(unfold(*t.protocol, 100, 10'000).reason.find("10000"), std::string::npos);
    auto deep = read("rep A { A->B:x }");
    EXPECT_TRUE(unfold(*deep.protocol, 400));
    EXPECT_FALSE(unfold(*deep.protocol, 100'000).reason.empty());
}

TEST(Unfold, JumpsOutOfParallelBranchesAreRefused) {
    auto t = read("rec L { par { A->B:x ; cont L } { C->D:y } }");
    EXPECT_FALSE(unfold(*t.protocol, 2));
}

// The pomsets of the unfolding are those of the protocol with bounded rounds: compared as languages.
TEST(Unfold, KeepsTheWordsUpToTheBound) {
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(400); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.steps = 5;
        shape.depth = 2;
        shape.recursion = true;
        auto protocol = random_protocol(spec, shape, seed);
        std::uint32_t times = 1 + seed % 2;
        auto family = enumerate_pomsets(spec, protocol, {.rounds = times, .branches = 100, .events = 1500});
        auto result = unfold(protocol, times);
        ASSERT_TRUE(result) << "seed " << seed << ": " << result.reason;
        if (!family.reason.empty() || result.truncated) continue;
        ++compared;
        auto language = PomsetLanguage::of(spec, *result.protocol);
        ASSERT_TRUE(language);
        auto outcome = testing::compare_languages(family.branches, *language, *spec.alphabet, 5);
        ASSERT_EQ(outcome, "") << "seed " << seed << "\n"
                               << testing::write(spec, protocol) << "\n"
                               << testing::write(spec, *result.protocol);
    }
    EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace treaty::choreo
