// The slow decision itself: verdicts that follow from docs/semantics.md by hand, and one verdict for every
// spelling.
#include <gtest/gtest.h>

#include "building.h"
#include "choreo/testing/seeds.h"
#include "generate.h"
#include "print.h"
#include "rewrites.h"
#include "slow_decision.h"

namespace treaty::verdicts {
namespace {

// The judge is held to the same rule as the product: one protocol, one verdict.
TEST(SlowJudge, RewritesKeepItsVerdict) {
    auto verdict = [](const File& file) {
        SlowAnswer answer = SlowJudge(file).decide();
        return answer.bounded ? Verdict::not_judged : answer.verdict;
    };
    for (std::uint64_t seed = 0; seed < choreo::testing::seeds(200); ++seed) {
        File file = random_file(seed);
        Verdict before = verdict(file);
        if (before == Verdict::not_judged) continue;
        for (const Rewrite& rewrite : rewrites()) {
            Random random(seed);
            auto changed = rewrite.apply(file, random);
            if (!changed) continue;
            Verdict after = verdict(*changed);
            EXPECT_TRUE(after == before || after == Verdict::not_judged)
                << "seed " << seed << ": " << rewrite.name << "\n"
                << print(file) << "\n"
                << print(*changed);
        }
    }
}

// Verdicts that follow from docs/semantics.md by hand.
TEST(SlowJudge, KnowsTheEasyCases) {
    using Kind = Step::Kind;
    const Step again = made(Kind::jump, {}, "X");
    struct Case {
        const char* what;
        Block body;
        Verdict verdict;
    };
    std::vector<Case> cases = {
        {"one message", {say(0, 1, "m")}, Verdict::safe},
        {"B may stop where A is silent",
         {made(Kind::choice, {{say(0, 1, "m")}, {say(0, 2, "n")}})},
         Verdict::safe},
        {"optional", {made(Kind::optional, {{say(0, 1, "m")}})}, Verdict::safe},
        {"C speaks without knowing whether it is its turn",
         {made(Kind::choice, {{say(0, 1, "m"), say(2, 1, "x")}, {say(0, 1, "n"), say(2, 1, "y")}})},
         Verdict::trouble},
        {"C cannot know that it must not speak",
         {made(Kind::choice, {{say(0, 1, "m"), say(2, 1, "x")}, {say(0, 1, "n")}})},
         Verdict::trouble},
        {"B is told the same in two branches and waits for C in one of them",
         {made(Kind::choice,
               {{say(0, 1, "m"), say(0, 2, "x"), say(2, 1, "y")}, {say(0, 1, "m"), say(0, 2, "z")}})},
         Verdict::safe},
        {"C waits for what only one branch sends, and must go on after it",
         {made(Kind::choice, {{say(0, 1, "m"), say(1, 2, "x")}, {say(0, 1, "n")}}), say(2, 0, "end")},
         Verdict::trouble},
        {"an endless loop", {made(Kind::rec, {{say(0, 1, "m"), say(1, 0, "k"), again}}, "X")}, Verdict::safe},
        {"beside an endless loop",
         {made(Kind::rec, {{say(0, 1, "m"), say(1, 0, "k"), again}}, "X"), say(2, 3, "n")},
         Verdict::safe},
        {"A waits for a message of the other branch, and nobody tells it that it will not come",
         {say(0, 1, "m1"),
          made(Kind::choice,
               {{made(Kind::rec, {{say(1, 2, "m2"), say(2, 1, "k"), again}}, "X")}, {say(1, 2, "m3")}}, "",
               1),
          say(2, 0, "m4")},
         Verdict::trouble},
        {"two that cross", {made(Kind::par, {{say(0, 1, "m")}, {say(1, 0, "n")}})}, Verdict::safe},
    };
    for (const Case& c : cases) {
        SlowJudge judge(file_of(c.body));
        SlowAnswer answer = judge.decide();
        EXPECT_EQ(static_cast<int>(answer.verdict), static_cast<int>(c.verdict))
            << c.what << ": " << answer.why;
        EXPECT_FALSE(answer.bounded) << c.what;
    }
}

}  // namespace
}  // namespace treaty::verdicts
