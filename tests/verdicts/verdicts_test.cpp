// The verdict of verify::protocol_safety against a slow decision that shares no
// code with it: exhaustive exploration of projections made from the protocol's
// own small steps, with all values of the data.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "choreo/testing/seeds.h"
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
    std::string reason;  // why it is undecided
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
    result.reason = fast.reason;
    result.held = fast.answer == Answer::holds;
    result.bounded = slow.bounded;
    result.trouble = slow.verdict == Verdict::trouble;
    result.disagreement = disagreement(judge, slow, fast);
    return result;
}

struct Counts {
    std::uint64_t compared = 0, held = 0, undecided = 0, bounded = 0, trouble = 0;
};

// Compares until so many protocols have been judged by both; what differs is reduced and printed.
Counts compare_many(std::uint64_t first, std::uint64_t step, std::uint64_t wanted, bool data) {
    Counts counts;
    std::map<std::string, int> reasons;
    int disagreements = 0;
    for (std::uint64_t seed = first; counts.compared < wanted && disagreements < 5; seed += step) {
        File file = random_file(seed, {.data = data});
        if (data && file.messages.empty()) continue;
        Comparison result = compare(file);
        if (!result.compared) continue;
        ++counts.compared;
        counts.held += result.held;
        counts.undecided += result.undecided;
        if (result.undecided) ++reasons[result.reason];
        counts.bounded += result.bounded;
        counts.trouble += result.trouble;
        if (result.disagreement.empty()) continue;
        ++disagreements;
        File small = reduced(file, [](const File& f) { return !compare(f).disagreement.empty(); });
        ADD_FAILURE() << "seed " << seed << ", reduced:\n" << print(small) << compare(small).disagreement;
    }
    fmt::print(
        "seeds {}, {}, ...: {} protocols compared, {} hold, {} are not safe, {} with queues that were cut\n",
        first, first + step, counts.compared, counts.held, counts.trouble, counts.bounded);
    fmt::print("undecided: {} ({:.2f} %)\n", counts.undecided,
               100.0 * static_cast<double>(counts.undecided) / static_cast<double>(counts.compared));
    for (const auto& [reason, count] : reasons) fmt::print("  {}: {}\n", count, reason);
    EXPECT_LT(counts.undecided * 50, counts.compared) << "2 % or more are undecided";
    return counts;
}

// 10,000 protocols that the language accepts and that are small enough to be tried out, and 2,500 with data,
// in four parts each.
constexpr std::uint64_t parts = 4;

class RandomProtocols : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomProtocols, AgreeWithTryingEverything) {
    compare_many(GetParam(), parts, choreo::testing::seeds(10'000) / parts, false);
}

TEST_P(RandomProtocols, WithDataAgreeWithTryingAllValues) {
    Counts counts = compare_many(GetParam(), parts, choreo::testing::seeds(2'500) / parts, true);
    EXPECT_GT(counts.held, counts.compared / 10);
    EXPECT_GT(counts.trouble, counts.compared / 10);
}

INSTANTIATE_TEST_SUITE_P(Verdicts, RandomProtocols, ::testing::Range<std::uint64_t>(0, parts));

}  // namespace
}  // namespace treaty::verdicts
