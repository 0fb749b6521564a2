// What `explore` means: faults with runs, growth that is not a fault, and data that decides.
#include "api/explore.h"

#include <gtest/gtest.h>

namespace treaty::api::explore_test {
namespace {

ExploreAnswer explored(const std::string& text, ExploreQuestion question = {}) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", text);
    question.file = "p.treaty";
    return explore(workspace, question, {});
}

TEST(Explore, ASafeProtocolIsComparedWithItsWords) {
    ExploreAnswer answer = explored("protocol P(a, b) {\n  a -> b: hello\n  b -> a: bye\n}\n");
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_TRUE(answer.compared);
    EXPECT_EQ(answer.realizes, true);
    EXPECT_EQ(answer.protocol, "P");
    EXPECT_TRUE(answer.complete);
}

TEST(Explore, AFaultComesWithARun) {
    ExploreAnswer answer = explored(
        "protocol P(a, b, c) {\n  choice at a {\n    a -> b: x\n    c -> b: u\n  } or {\n    a -> b: y\n    "
        "c -> b: v\n  }\n}\n");
    EXPECT_EQ(answer.verdict, Verdict::fails);
    ASSERT_FALSE(answer.unsafe.empty());
    ASSERT_TRUE(answer.witness);
    EXPECT_EQ(answer.reason, answer.witness->ending);
}

TEST(Explore, AChannelThatGrowsIsNotAFault) {
    ExploreAnswer answer = explored("protocol P(a, b) {\n  rec X {\n    a -> b: m\n    continue X\n  }\n}\n");
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_TRUE(answer.growth);
    ExploreQuestion bounded;
    bounded.bound = 2;
    answer = explored("protocol P(a, b) {\n  rec X {\n    a -> b: m\n    continue X\n  }\n}\n", bounded);
    EXPECT_FALSE(answer.growth);
}

// Without its data the loop could go on for ever and end at different times for its roles.
TEST(Explore, AllValuesAreTriedWhereConditionsDecide) {
    ExploreAnswer answer = explored(
        "message beat(n: int in 0..3)\nprotocol P(a, b) {\n  let n = 0\n  while n < 3 {\n    a -> b: "
        "beat(n)\n"
        "    let n = n + 1\n  }\n  b -> a: stop\n}\n");
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_FALSE(answer.growth);
    EXPECT_FALSE(answer.witness);
}

}  // namespace
}  // namespace treaty::api::explore_test
