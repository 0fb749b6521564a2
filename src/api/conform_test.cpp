#include "api/conform.h"

#include <gtest/gtest.h>

namespace treaty::api::conform_test {
namespace {

constexpr const char* exact = R"(
message req(x: int)
message rep(y: int)
protocol Exact(a, b) {
  a -> b: req(let x)
  b -> a: rep(x + 1)
}
)";

constexpr const char* any = R"(
message req(x: int)
message rep(y: int)
protocol Any(a, b) {
  a -> b: req(let x)
  b -> a: rep(let y) where y > x
}
)";

TEST(Conform, AProtocolConformsToItself) {
    Workspace workspace;
    workspace.set_overlay("exact.treaty", exact);
    ConformAnswer answer = conform(workspace, {"exact.treaty", "exact.treaty", "", ""}, {});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.inputs, (std::vector<std::string>{"exact.treaty", "exact.treaty"}));
    ASSERT_TRUE(answer.effort);
    EXPECT_GT(answer.effort->pairs, 0U);
    EXPECT_FALSE(answer.witness);
    EXPECT_FALSE(answer.differ);
}

TEST(Conform, ADifferenceHasARunWithDataAndLines) {
    Workspace workspace;
    workspace.set_overlay("exact.treaty", exact);
    workspace.set_overlay("any.treaty", any);
    ConformAnswer answer = conform(workspace, {"exact.treaty", "any.treaty", "", ""}, {});
    EXPECT_EQ(answer.verdict, Verdict::fails);
    ASSERT_TRUE(answer.witness);
    ASSERT_EQ(answer.witness->events.size(), 2U);
    EXPECT_EQ(answer.witness->events[1].message, "rep");
    EXPECT_EQ(answer.witness->events[1].line, 6U);
    EXPECT_EQ(answer.witness->events[1].data.size(), 1U);
    ASSERT_TRUE(answer.differ);
    EXPECT_EQ(answer.differ->implementation, "1");
}

TEST(Conform, TheProtocolOfEachSideIsChosen) {
    Workspace workspace;
    workspace.set_overlay("two.treaty", R"(
protocol One(a, b) { a -> b: one }
protocol Two(a, b) { a -> b: two }
)");
    EXPECT_EQ(conform(workspace, {"two.treaty", "two.treaty", "One", ""}, {}).verdict, Verdict::fails);
    EXPECT_EQ(conform(workspace, {"two.treaty", "two.treaty", "One", "One"}, {}).verdict, Verdict::holds);
}

TEST(Conform, FaultsOfBothFilesAreReported) {
    Workspace workspace;
    workspace.set_overlay("a.treaty", "protocol P(a, b) { a -> c: m }");
    workspace.set_overlay("b.treaty", "protocol P(a, b) { b -> c: m }");
    ConformAnswer answer = conform(workspace, {"a.treaty", "b.treaty", "", ""}, {});
    EXPECT_FALSE(answer.verdict);
    EXPECT_FALSE(answer.effort);
    EXPECT_EQ(answer.diagnostics.errors(), 2U);
}

TEST(Conform, ALimitLeavesItUndecided) {
    Workspace workspace;
    workspace.set_overlay("exact.treaty", exact);
    Context context;
    context.states = 1;
    ConformAnswer answer = conform(workspace, {"exact.treaty", "exact.treaty", "", ""}, context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_FALSE(answer.reason.empty());
}

}  // namespace
}  // namespace treaty::api::conform_test
