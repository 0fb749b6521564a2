// What docs/semantics.md states about branches and loops that the data excludes or never lets end: both the
// slow decision and verify are held to it.
#include <gtest/gtest.h>

#include "base/answer.h"
#include "building.h"
#include "print.h"
#include "reading.h"
#include "slow_decision.h"
#include "verify/protocol_safety.h"

namespace treaty::verdicts {
namespace {

using base::Answer;
using Kind = Step::Kind;
constexpr Role A = 0, B = 1, C = 2, D = 3;

struct Case {
    const char* what;
    Block body;
    Verdict verdict;
};

void expect_verdicts(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        File file = file_of(c.body);
        SlowAnswer slow = SlowJudge(file).decide();
        EXPECT_EQ(static_cast<int>(slow.verdict), static_cast<int>(c.verdict)) << c.what << ": " << slow.why;
        EXPECT_FALSE(slow.bounded) << c.what;
        auto specification = read(print(file));
        ASSERT_TRUE(specification) << c.what << "\n" << print(file);
        auto fast = verify::protocol_safety(*specification, *specification->main_protocol());
        EXPECT_EQ(fast.answer, c.verdict == Verdict::safe ? Answer::holds : Answer::fails)
            << c.what << ": " << fast.reason << "\n"
            << print(file);
    }
}

Expr is(std::string name, int value) {
    return operation(Expr::Kind::equal, variable(std::move(name)), number(value));
}
// Two messages, so that queues stay short.
Block there_and_back() {
    return {say(A, B, "there"), say(B, A, "back")};
}
Block for_ever() {
    Block round = there_and_back();
    round.push_back(made(Kind::jump, {}, "X"));
    return {made(Kind::rec, {round}, "X")};
}

TEST(DataReadings, ALoopThatTheDataNeverLetsEndHoldsUpWhomItNames) {
    Step endless = decided(Kind::loop, is("x", 0), {there_and_back()});
    Step counting = decided(Kind::loop, is("x", 0), {there_and_back()});
    Step next = made(Kind::let, {}, "x");
    next.condition = operation(Expr::Kind::add, variable("x"), number(1));
    counting.blocks[0].push_back(next);
    Step leaving = made(Kind::rec, {there_and_back()}, "X");
    leaving.blocks[0].push_back(
        decided(Kind::conditional, is("x", 0),
                {{say(A, B, "more"), made(Kind::jump, {}, "X")}, {say(A, B, "less")}}));
    expect_verdicts({
        {"others go on, though C knows the condition",
         {choose(A, B, "n", "x"), tell(A, C, "n", variable("x")), endless, say(C, D, "go"),
          say(D, C, "gone")},
         Verdict::safe},
        {"others go on that do not know it",
         {choose(A, B, "n", "x"), endless, say(C, D, "go"), say(D, C, "gone")},
         Verdict::safe},
        {"what A does after the loop does not come, and D does not learn it",
         {choose(A, B, "n", "x"), endless, say(A, D, "end")},
         Verdict::trouble},
        {"the loop ends when it has counted",
         {choose(A, B, "n", "x"), counting, say(A, D, "end")},
         Verdict::safe},
        {"the loop may end in every round",
         {choose(A, B, "n", "x"),
          decided(Kind::loop, is("x", 0), {{choose(A, B, "n", "x"), say(B, A, "back")}}), say(A, D, "end")},
         Verdict::safe},
        {"the same for rec: C and D go on",
         {choose(A, B, "n", "x"), leaving, say(C, D, "go"), say(D, C, "gone")},
         Verdict::safe},
    });
}

TEST(DataReadings, ABranchThatNoDataAllowsBelongsToNobody) {
    Block late{say(A, B, "p"), say(B, C, "late")};
    auto greater = [](const char* name) { return operation(Expr::Kind::less, number(2), variable(name)); };
    expect_verdicts({
        {"a condition that never holds: C waits for nothing",
         {choose(A, B, "n", "x"), decided(Kind::conditional, is("x", 5), {late, for_ever()})},
         Verdict::safe},
        {"one that may hold: C waits for ever otherwise",
         {choose(A, B, "n", "x"), decided(Kind::conditional, is("x", 1), {late, for_ever()})},
         Verdict::trouble},
        {"a condition that was settled before, which C cannot know",
         {choose(A, B, "n", "x", is("x", 0)), decided(Kind::conditional, is("x", 1), {late, for_ever()})},
         Verdict::safe},
        {"a branch that cannot begin",
         {made(Kind::choice, {{choose(A, B, "n", "y", greater("y")), say(B, C, "late")}, for_ever()})},
         Verdict::safe},
        {"a branch that cannot begin with some values only, and C learns the value",
         {choose(A, B, "n", "x"), tell(A, C, "k", variable("x")),
          made(Kind::choice,
               {{choose(A, B, "n", "y", operation(Expr::Kind::less, variable("y"), variable("x"))),
                 say(B, C, "late")},
                {say(A, B, "q"), say(B, C, "early")}})},
         Verdict::safe},
        {"a value tells branches apart, and C does not see it",
         {made(Kind::choice,
               {{tell(A, B, "n", number(0)), say(C, D, "p")}, {tell(A, B, "n", number(1)), say(C, D, "q")}})},
         Verdict::trouble},
    });
}

}  // namespace
}  // namespace treaty::verdicts
