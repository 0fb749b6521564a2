#include "api/repair.h"

#include <gtest/gtest.h>

namespace treaty::api::repair_test {
namespace {

// w is not told when nothing is sold.
constexpr const char* shop = R"(message req(amount: int)
message sell(amount: int)

protocol Shop(b, v, w) {
  b -> v: req(let x)
  if x > 0 {
    v -> w: sell(x)
    w -> v: sent
    v -> b: resp
  } else {
    v -> b: error
  }
}
)";

RepairQuestion about(std::string role) {
    RepairQuestion question;
    question.file = "p.treaty";
    question.roles = std::move(role);
    return question;
}

RepairAnswer ask(const char* text, const RepairQuestion& question, const Context& context = {}) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", text);
    return repair(workspace, question, context);
}

TEST(Repair, SaysWhatIsMissingWhereAndWhatWasAdded) {
    RepairQuestion question = about("w");
    question.protocol_notation = "treaty";
    RepairAnswer answer = ask(shop, question);
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_EQ(answer.problems.size(), 1U);
    EXPECT_EQ(answer.problems[0].role, "w");
    EXPECT_EQ(answer.problems[0].lines, (std::vector<std::uint32_t>{7, 11}));
    ASSERT_EQ(answer.added.size(), 1U);
    EXPECT_EQ(answer.added[0].interaction, "v -> w: added_branch1(x)");
    EXPECT_EQ(answer.added[0].line, 6U);
    EXPECT_FALSE(answer.added[0].after);
    EXPECT_TRUE(answer.minimal);
    EXPECT_EQ(answer.verified, symbolic::Verified::yes);
    ASSERT_TRUE(answer.machine);
    EXPECT_EQ(answer.machine->state_count(), 4U);
    ASSERT_TRUE(answer.protocol_text);
    EXPECT_NE(answer.protocol_text->find("v -> w: added_branch1(x)"), std::string::npos);
}

TEST(Repair, WhatItWritesNeedsNoRepair) {
    RepairQuestion question = about("w");
    question.protocol_notation = "treaty";
    std::string mended = ask(shop, question).protocol_text.value();
    RepairAnswer again = ask(mended.c_str(), about("w"));
    EXPECT_EQ(again.verdict, Verdict::holds);
    EXPECT_TRUE(again.problems.empty());
    EXPECT_TRUE(again.added.empty());
}

// What a role does not know is mended here, and an error for everybody else.
TEST(Repair, AValueThatIsNotKnownIsSent) {
    const char* lacking = R"(message m(x: int)
protocol P(a, b, c) {
  a -> b: m(let x)
  b -> c: go
  c -> a: m(x)
}
)";
    RepairAnswer answer = ask(lacking, about("c"));
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_FALSE(answer.added.empty());
    Workspace workspace;
    workspace.set_overlay("p.treaty", lacking);
    EXPECT_FALSE(project(workspace, about("c"), {}).verdict);
}

// The document that the workspace shares is not changed by what was tried and added.
TEST(Repair, LeavesNothingInTheWorkspace) {
    Workspace workspace;
    workspace.set_overlay("p.treaty", shop);
    auto document = workspace.open("p.treaty", lang::Knowing::left_open);
    const auto* specification = document->loaded.get<model::Specification>();
    std::size_t messages = specification->messages.size();
    std::size_t names = specification->alphabet->message_count();
    EXPECT_EQ(repair(workspace, about("w"), {}).verdict, Verdict::holds);
    EXPECT_EQ(specification->messages.size(), messages);
    EXPECT_EQ(specification->alphabet->message_count(), names);
}

TEST(Repair, StopsWhenAsked) {
    base::StopSource stop;
    stop.request();
    Context context;
    context.deadline = context.deadline.with(stop.token());
    RepairAnswer answer = ask(shop, about("w"), context);
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_EQ(answer.reason, "interrupted");
    EXPECT_FALSE(answer.machine);
}

}  // namespace
}  // namespace treaty::api::repair_test
