#include "api/unfold.h"

#include <gtest/gtest.h>

namespace treaty::api::unfold_test {
namespace {

constexpr const char* loops = R"(
protocol P(A, B) {
  repeat at A {
    A -> B: more
  }
  A -> B: done
}
)";

UnfoldAnswer ask(const char* text, std::uint64_t times, std::optional<std::string> notation = {}) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", text);
    return unfold(workspace, {"p.treaty", "", times, std::move(notation)}, {});
}

TEST(Unfold, EachRoundIsWrittenOut) {
    UnfoldAnswer answer = ask(loops, 2);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_FALSE(answer.truncated);
    EXPECT_EQ(answer.text,
              "protocol P(A, B) {\n"
              "  optional at A {\n"
              "    A -> B: more\n"
              "    optional at A {\n"
              "      A -> B: more\n"
              "    }\n"
              "  }\n"
              "  A -> B: done\n"
              "}\n");
    EXPECT_LT(ask(loops, 0).steps, answer.steps);
}

TEST(Unfold, ALoopWithoutAnExitIsCutOff) {
    UnfoldAnswer answer = ask("protocol P(A, B) { rec x { A -> B: m continue x } }", 1);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_TRUE(answer.truncated);
}

TEST(Unfold, OtherNotationsAndUnknownOnes) {
    EXPECT_NE(ask(loops, 1, "gc").text.find("A -> B : more"), std::string::npos);
    UnfoldAnswer answer = ask(loops, 1, "xyz");
    EXPECT_FALSE(answer.verdict);
    EXPECT_TRUE(answer.unfolded);
    EXPECT_EQ(answer.diagnostics.errors(), 1U);
}

TEST(Unfold, WhatIsTooLargeIsReported) {
    UnfoldAnswer answer = ask(loops, 1'000'000'000'000);
    EXPECT_FALSE(answer.verdict);
    EXPECT_FALSE(answer.unfolded);
    EXPECT_EQ(answer.diagnostics.errors(), 1U);
}

}  // namespace
}  // namespace treaty::api::unfold_test
