#include "api/run.h"

#include <gtest/gtest.h>

namespace treaty::api::run_test {
namespace {

RunAnswer ask(const std::string& file, const char* text, const Context& context = {}) {
    Workspace workspace;
    workspace.set_overlay(file, text);
    return run(workspace, {file}, context);
}

constexpr const char* shop = R"(DECLARATIONS
  component spec STG
    0; 1; 2;
    0 -> 1 [label="request[b,v].<x>"];
    1 -> 2 [label="[x>0] response[v,b].<x1>"];
  end component
  component impl chorD
    request[b,v].<y>; response[v,b].<y1>
  end component
COMMANDS
  showStat spec
  conformance spec spec
  conformance impl spec
)";

TEST(Run, EachCommandOfASchoraScriptHasItsFindings) {
    RunAnswer answer = ask("shop.schora", shop);
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_EQ(answer.reason, "impl against spec");
    ASSERT_TRUE(answer.witness);
    const auto& commands = std::get<std::vector<CommandRun>>(answer.ran);
    ASSERT_EQ(commands.size(), 3U);
    EXPECT_EQ(commands[0].line, 11U);
    ASSERT_EQ(commands[0].findings.size(), 1U);
    const auto& counted = std::get<GraphCounted>(commands[0].findings[0]);
    EXPECT_EQ(counted.states, 3U);
    EXPECT_EQ(counted.messages, 2U);
    EXPECT_EQ(std::get<GraphsCompared>(commands[1].findings.at(0)).verdict, Verdict::holds);
    const auto& compared = std::get<GraphsCompared>(commands[2].findings.at(0));
    EXPECT_EQ(compared.verdict, Verdict::fails);
    EXPECT_EQ(compared.difference, answer.witness->ending);
}

TEST(Run, AnInterruptedScriptEndsThere) {
    base::StopSource stop;
    stop.request();
    Context context;
    context.deadline = context.deadline.with(stop.token());
    RunAnswer answer = ask("shop.schora", shop, context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    const auto& commands = std::get<std::vector<CommandRun>>(answer.ran);
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<LeftOpen>(commands[0].findings.back()));
}

constexpr const char* counting = R"(channel a, b
P = a -> b -> P
Q = a -> Q
assert P [T= P
assert P [T= Q
)";

TEST(Run, TheWorstAssertionIsTheVerdict) {
    RunAnswer answer = ask("p.csp", counting);
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_EQ(answer.reason, "1 assertion holds, 1 fails, 0 undecided");
    const auto& assertions = std::get<std::vector<AssertionRun>>(answer.ran);
    ASSERT_EQ(assertions.size(), 2U);
    EXPECT_EQ(assertions[0].verdict, Verdict::holds);
    EXPECT_EQ(assertions[1].line, 5U);
    EXPECT_EQ(assertions[1].trace, (std::vector<std::string>{"a", "a"}));
    ASSERT_TRUE(assertions[1].violation);
    EXPECT_EQ(assertions[1].violation->kind, explore::Violation::event);
    EXPECT_EQ(assertions[1].violation->allowed, (std::vector<std::string>{"b"}));
    ASSERT_TRUE(answer.witness);
    EXPECT_EQ(answer.witness->events.size(), 2U);
}

TEST(Run, WhatIsNoScriptIsReported) {
    EXPECT_FALSE(ask("p.treaty", "protocol P(a, b) { a -> b: m }").verdict);
    EXPECT_FALSE(ask("p.csp", "channel a\nP = a -> P\n").verdict);
    RunAnswer missing =
        run(Workspace([](const std::string&) { return base::Result<std::string>(base::Fault{"gone"}); }),
            {"p.csp"}, {});
    EXPECT_FALSE(missing.verdict);
    EXPECT_EQ(missing.diagnostics.errors(), 1U);
}

}  // namespace
}  // namespace treaty::api::run_test
