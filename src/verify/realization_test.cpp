// What the projections of a protocol do together over fifo channels, against its pomset language: for random
// protocols, and for every nesting of choice, loop and parallel block.
#include <cstdio>

#include <gtest/gtest.h>

#include "choreo/pomset_language.h"
#include "choreo/project.h"
#include "choreo/random_protocol.h"
#include "choreo/testing_nestings.h"
#include "choreo/testing_notation.h"
#include "choreo/testing_seeds.h"
#include "choreo/well_branched.h"
#include "verify/testing_language.h"

namespace treaty::verify {
namespace {

using namespace choreo;
using choreo::testing::read;
using choreo::testing::seeds;
using choreo::testing::write;
using testing::compare_with_language;
using testing::LanguageVerdict;

LanguageVerdict verdict_of(const model::Specification& spec, const model::Protocol& protocol) {
    auto system = make_projected_system(spec, protocol, {}, {.states = 3000, .deadline = {}});
    auto language = PomsetLanguage::of(spec, protocol);
    if (!system || !language) return {false, {}, {}, {}, {}};
    return compare_with_language(*system.system, *language, 2, 400);
}

// Two senders fill shared channels in different orders, and the receiver can take neither.
TEST(Realization, SharedChannelsMayDeadlock) {
    auto t = read("par { C->B:w ; A->B:x } { A->B:y ; C->B:z }");
    base::Diagnostics diagnostics;
    auto result = check_branching(*t.spec, *t.protocol, diagnostics);
    EXPECT_TRUE(result.well_branched);
    EXPECT_TRUE(result.separate_messages);
    EXPECT_FALSE(result.separate_channels);
    auto verdict = verdict_of(*t.spec, *t.protocol);
    EXPECT_FALSE(verdict.unsafe.empty());
    EXPECT_TRUE(verdict.extra.empty());
}

TEST(Realization, SharedMessagesMayBeMistaken) {
    auto t = read("par { A->B:x ; A->C:u ; B->D:p } { A->B:x ; A->C:v ; B->D:q }");
    EXPECT_FALSE(verdict_of(*t.spec, *t.protocol).extra.empty());
}

struct Tally {
    int good = 0, decided = 0, rejected = 0, rejected_for_cause = 0;
};

void check_one(const model::Specification& spec, const model::Protocol& protocol, const std::string& name,
               Tally& tally) {
    base::Diagnostics diagnostics;
    auto branching = check_branching(spec, protocol, diagnostics);
    auto verdict = verdict_of(spec, protocol);
    if (!branching.well_branched) {
        ++tally.rejected;
        tally.rejected_for_cause +=
            !verdict.unsafe.empty() || !verdict.extra.empty() || !verdict.missing.empty();
        return;
    }
    ++tally.good;
    if (!verdict.decided) return;
    ++tally.decided;
    if (branching.separate_messages) {
        ASSERT_EQ(verdict.extra, "") << name << "\n" << write(spec, protocol);
    }
    if (branching.separate_channels) {
        ASSERT_EQ(verdict.stuck, "") << name << "\n" << write(spec, protocol);
        if (protocol.loop_count() == 0) {  // a recursion need not have an end
            ASSERT_EQ(verdict.unsafe, "") << name << "\n" << write(spec, protocol);
        }
        ASSERT_EQ(verdict.missing, "") << name << "\n" << write(spec, protocol);
    }
}

TEST(Realization, ProjectionsOfRandomProtocolsRealizeThem) {
    Tally tally;
    for (std::uint64_t seed = 1; seed <= seeds(800); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.roles = 2 + seed % 3;
        shape.steps = 4;
        shape.messages = 3;
        shape.announced = true;
        shape.careless = seed % 4 == 0 ? 0 : 25;
        shape.recursion = seed % 2 == 0;
        shape.separate_channels = seed % 3 != 0;
        auto protocol = random_protocol(spec, shape, seed);
        check_one(spec, protocol, "seed " + std::to_string(seed), tally);
        if (HasFatalFailure()) return;
    }
    std::printf("%d well-branched, %d of them decided; %d not, %d of them with a fault\n", tally.good,
                tally.decided, tally.rejected, tally.rejected_for_cause);
    EXPECT_GT(tally.decided, 300);
    EXPECT_GT(tally.rejected, 100);
}

TEST(Realization, ProjectionsOfArbitraryProtocolsRealizeThemIfWellBranched) {
    Tally tally;
    for (std::uint64_t seed = 1; seed <= seeds(800); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.roles = 2 + seed % 3;
        shape.steps = 4;
        shape.messages = 6;
        shape.recursion = seed % 2 == 0;
        shape.separate_channels = true;
        auto protocol = random_protocol(spec, shape, seed);
        check_one(spec, protocol, "seed " + std::to_string(seed), tally);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(tally.decided, 100);
}

TEST(Realization, OfNestingsTheProjectionsTogetherHaveExactlyTheLanguage) {
    std::size_t decided = 0;
    choreo::testing::for_all_nestings([&](const std::string& text) {
        auto t = read(text);
        base::Diagnostics diagnostics;
        auto branching = check_branching(*t.spec, *t.protocol, diagnostics);
        ASSERT_TRUE(branching.well_branched) << text << "\n" << diagnostics.all()[0].message;
        ASSERT_TRUE(branching.separate_channels) << text;
        auto system = make_projected_system(*t.spec, *t.protocol);
        auto language = PomsetLanguage::of(*t.spec, *t.protocol);
        ASSERT_TRUE(system);
        ASSERT_TRUE(language);
        auto verdict = compare_with_language(*system.system, *language, 1, seeds(150));
        decided += verdict.decided;
        ASSERT_EQ(verdict.unsafe, "") << text;
        ASSERT_EQ(verdict.extra, "") << text;
        ASSERT_EQ(verdict.missing, "") << text;
    });
    EXPECT_GT(decided, 15u);
}

}  // namespace
}  // namespace treaty::verify
