#include "choreo/testing/random_protocol.h"

#include <gtest/gtest.h>

#include "choreo/compile_net.h"
#include "choreo/testing/notation.h"
#include "choreo/well_branched.h"

namespace treaty::choreo {
namespace {

TEST(RandomProtocol, TheSameSeedGivesTheSameProtocol) {
    RandomShape shape;
    shape.recursion = shape.interrupts = shape.semaphores = true;
    model::Specification a, b;
    for (std::uint64_t seed : {1u, 2u, 77u})
        EXPECT_EQ(testing::write(a, random_protocol(a, shape, seed)),
                  testing::write(b, random_protocol(b, shape, seed)));
    EXPECT_NE(testing::write(a, random_protocol(a, shape, 1)),
              testing::write(a, random_protocol(a, shape, 2)));
}

TEST(RandomProtocol, ShapesAreKept) {
    RandomShape shape;
    shape.choices = shape.loops = shape.parallel = false;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        model::Specification spec;
        auto p = random_protocol(spec, shape, seed);
        for (std::size_t i = 0; i < p.size(); ++i) {
            auto kind = p[model::NodeId(i)].kind;
            EXPECT_TRUE(kind == model::NodeKind::sequence || kind == model::NodeKind::interaction);
        }
    }
}

TEST(RandomProtocol, EveryResultCompiles) {
    RandomShape shape;
    shape.recursion = shape.interrupts = shape.semaphores = true;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        model::Specification spec;
        auto p = random_protocol(spec, shape, seed);
        EXPECT_TRUE(compile_net(spec, p)) << seed;
    }
}

TEST(RandomProtocol, AnnouncedOnesAreMostlyWellBranchedAndKeepTheirChannelsApart) {
    int good = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.roles = 4;
        shape.announced = shape.separate_channels = true;
        auto p = random_protocol(spec, shape, seed);
        base::Diagnostics diagnostics;
        auto branching = check_branching(spec, p, diagnostics);
        good += branching.well_branched;
        EXPECT_TRUE(branching.separate_channels) << seed;
    }
    EXPECT_GT(good, 200);
}

}  // namespace
}  // namespace treaty::choreo
