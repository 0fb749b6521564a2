#include "choreo/reduce_net.h"

#include <gtest/gtest.h>

#include "choreo/compile_net.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "choreo/testing/traces.h"

namespace treaty::choreo {
namespace {

std::size_t silent_steps(const model::Net& net) {
    std::size_t n = 0;
    for (const auto& t : net.transitions()) n += t.silent();
    return n;
}

model::Net reduced(const std::string& text) {
    auto t = testing::read(text);
    return reduce_net(*compile_net(*t.spec, *t.protocol));
}

TEST(ReduceNet, NothingSilentIsLeftOfStraightProtocols) {
    for (const char* text :
         {"A->B:x ; { A->B:y } ; 0 ; B->A:z", "ch A { A->B:x } { A->B:y ; A->B:z } ; B->A:u",
          "rep A { A->B:x } ; A->B:y", "rec L { A->B:x ; ch A { A->B:y ; cont L } { A->B:z } } ; B->A:e",
          "A->B:x ; par { A->B:y } { C->D:z } ; A->B:e", "par { A->B:y } { C->D:z }",
          "A->B:x ; par { A->B:y } { C->D:z } ; ch A { A->B:e } { A->B:f } ; B->A:g",
          "try { A->B:x ; A->B:y } { B->A:c }"})
        EXPECT_LE(silent_steps(reduced(text)), text[0] == 't' ? 2u : 0u) << text;
}

TEST(ReduceNet, ALoopInAChoiceKeepsItsEntry) {
    auto net = reduced("ch A { rep A { A->B:x } ; A->B:u } { A->B:y }");
    EXPECT_EQ(silent_steps(net), 1u);  // the branch with the loop is entered silently: y must not follow x
}

TEST(ReduceNet, KeepsEveryLabelledTransitionOnce) {
    for (std::uint64_t seed = 1; seed <= testing::seeds(300); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.recursion = shape.interrupts = shape.semaphores = true;
        auto protocol = random_protocol(spec, shape, seed);
        auto net = compile_net(spec, protocol);
        ASSERT_TRUE(net);
        auto smaller = reduce_net(*net);
        auto nodes = [](const model::Net& n) {
            std::multiset<std::pair<std::uint32_t, std::uint32_t>> all;
            for (const auto& t : n.transitions())
                if (!t.silent()) all.insert({t.node.index, t.label.index});
            return all;
        };
        ASSERT_EQ(nodes(*net), nodes(smaller)) << "seed " << seed;
        ASSERT_LE(silent_steps(smaller), silent_steps(*net));
    }
}

TEST(ReduceNet, KeepsTracesAndSuccessfulEnds) {
    int decided = 0;
    std::size_t before = 0, after = 0;
    for (std::uint64_t seed = 1; seed <= testing::seeds(1500); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.steps = 7;
        shape.recursion = shape.interrupts = true;
        shape.semaphores = seed % 2 == 0;
        auto protocol = random_protocol(spec, shape, seed);
        auto net = compile_net(spec, protocol);
        ASSERT_TRUE(net);
        auto smaller = reduce_net(*net);
        before += silent_steps(*net);
        after += silent_steps(smaller);
        auto outcome =
            testing::same_weak_traces(testing::net_steps(*net), testing::net_steps(smaller), 4, 150);
        decided += outcome.decided;
        ASSERT_TRUE(outcome.same) << "seed " << seed << ": " << outcome.difference << "\n"
                                  << testing::write(spec, protocol);
    }
    EXPECT_GT(decided, 900);
    EXPECT_LT(after, before / 2);
}

}  // namespace
}  // namespace treaty::choreo
