// The verdict of verify::protocol_safety against a slow decision that shares no
// code with it: exhaustive exploration of projections made from the protocol's
// own small steps, with all values of the data.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "choreo/testing_seeds.h"
#include "generate.h"
#include "print.h"
#include "reading.h"
#include "reduce.h"
#include "slow_decision.h"
#include "verify/protocol_safety.h"

namespace treaty::verdicts {
namespace {

using base::Answer;

struct Comparison {
    bool compared = false;
    bool undecided = false;
    bool held = false;
    bool bounded = false;
    bool trouble = false;
    std::string disagreement;  // empty: none
};

std::vector<std::string> events_of(const verify::ProtocolSafety& safety) {
    std::vector<std::string> events;
    for (const explore::Step& step : safety.run) {
        std::string text = safety.system->alphabet().print(step.label);
        events.push_back(text.substr(0, text.find('(')));
    }
    return events;
}

std::string disagreement(SlowJudge& judge, const SlowAnswer& slow, const verify::ProtocolSafety& fast) {
    if (slow.verdict == Verdict::trouble && fast.answer == Answer::holds)
        return fmt::format("verify: holds ({})\nbut {}: {}", fast.reason, slow.why, judge.print(slow.run));
    if (fast.answer != Answer::fails) return {};
    std::string said = fmt::format("verify: fails ({}): {}", fast.reason, fmt::join(events_of(fast), " · "));
    if (slow.verdict == Verdict::safe && !slow.bounded) return said + "\nbut it is safe";
    if (judge.confirms(events_of(fast), !fast.unsafe) == false)
        return said + "\nbut this run leads to no trouble";
    return {};
}

Comparison compare(const File& file) {
    Comparison result;
    auto specification = read(print(file));
    if (!specification) return result;
    SlowJudge judge(file);
    SlowAnswer slow = judge.decide();
    if (slow.verdict == Verdict::not_judged) return result;
    auto fast = verify::protocol_safety(*specification, *specification->main_protocol());
    result.compared = true;
    result.undecided = fast.answer == Answer::undecided;
    result.held = fast.answer == Answer::holds;
    result.bounded = slow.bounded;
    result.trouble = slow.verdict == Verdict::trouble;
    result.disagreement = disagreement(judge, slow, fast);
    return result;
}

// 10,000 protocols that the language accepts and that are small enough to be
// tried out, in four parts.
constexpr std::uint64_t parts = 4;

class RandomProtocols : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomProtocols, AgreeWithTryingEverything) {
    std::uint64_t wanted = choreo::testing::seeds(10'000) / parts;
    std::uint64_t compared = 0, undecided = 0, bounded = 0, trouble = 0;
    int disagreements = 0;
    for (std::uint64_t seed = GetParam(); compared < wanted && disagreements < 5; seed += parts) {
        File file = random_file(seed, {.data = false});
        Comparison result = compare(file);
        if (!result.compared) continue;
        ++compared;
        undecided += result.undecided;
        bounded += result.bounded;
        trouble += result.trouble;
        if (result.disagreement.empty()) continue;
        ++disagreements;
        File small = reduced(file, [](const File& f) { return !compare(f).disagreement.empty(); });
        ADD_FAILURE() << "seed " << seed << ", reduced:\n" << print(small) << compare(small).disagreement;
    }
    fmt::print(
        "seeds {}, {}, ...: {} protocols compared, {} of them not safe, "
        "{} with queues that were cut\n",
        GetParam(), GetParam() + parts, compared, trouble, bounded);
    fmt::print("undecided: {} ({:.2f} %)\n", undecided,
               100.0 * static_cast<double>(undecided) / static_cast<double>(compared));
    EXPECT_LT(undecided * 50, compared) << "2 % or more are undecided";
}

// With data: whatever holds is safe for all values, and hardly anything else differs. What does differ depends on two
// readings that docs/semantics.md leaves open: whether a role that can evaluate the condition of an endless `while`
// without a part in it goes on beside it, and whether a branch that no value allows belongs to a role that cannot know
// that.
TEST(Verdicts, WithDataHoldOnlyWhatIsSafeForAllValues) {
    std::uint64_t compared = 0, held = 0, undecided = 0, differ = 0;
    for (std::uint64_t seed = 0; compared < choreo::testing::seeds(2'500); ++seed) {
        File file = random_file(seed);
        if (file.messages.empty()) continue;
        Comparison result = compare(file);
        if (!result.compared) continue;
        ++compared;
        held += result.held;
        undecided += result.undecided;
        differ += !result.disagreement.empty();
        if (!result.trouble || !result.held) continue;
        File small = reduced(file, [](const File& f) {
            Comparison again = compare(f);
            return again.trouble && again.held;
        });
        ADD_FAILURE() << "seed " << seed << ", reduced:\n" << print(small) << compare(small).disagreement;
        break;
    }
    fmt::print("{} protocols with data compared: {} hold, {} undecided, {} differ\n", compared, held, undecided, differ);
    EXPECT_GT(held, compared / 10);
    EXPECT_LT(undecided * 50, compared) << "2 % or more are undecided";
    EXPECT_LE(differ * 200, compared);
}

INSTANTIATE_TEST_SUITE_P(Verdicts, RandomProtocols, ::testing::Range<std::uint64_t>(0, parts));

}  // namespace
}  // namespace treaty::verdicts
