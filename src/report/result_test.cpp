#include "report/result.h"

#include <gtest/gtest.h>

namespace treaty::report {
namespace {

constexpr base::Code bad{312, base::Severity::error, "bad", ""};

Json json_of(const Result& result, const base::SourceMap& sources) {
    return to_json(result.verb, result, result.own(), sources);
}

Result sample() {
    Result result;
    result.verb = "explore";
    result.inputs = {"atm.treaty"};
    result.verdict = base::Answer::fails;
    result.reason = "deadlock";
    result.stats["states"] = 7;
    result.extra["unsafe"] = Json::array({"deadlock"});
    model::Run run;
    run.events.push_back(
        {.from = "A", .to = "B", .direction = model::Direction::sent, .message = "deny", .line = 7});
    run.ending = "B waits for ever";
    result.witness = run;
    return result;
}

TEST(Result, EnvelopeHasItsFieldsInOrder) {
    base::SourceMap sources;
    Result result = sample();
    auto file = sources.add("atm.treaty", "one\ntwo\n");
    result.diagnostics.report(bad, {file, 5, 6}, "broken").label({file, 0, 1}, "see").help("mend it");
    Json json = json_of(result, sources);
    EXPECT_EQ(json.dump(),
              R"({"treaty":1,"verb":"explore","input":["atm.treaty"],"answer":"fails","reason":"deadlock",)"
              R"("witness":{"events":[{"from":"A","to":"B","dir":"!","message":"deny","data":{},"line":7}],)"
              R"("ending":"B waits for ever"},)"
              R"("diagnostics":[{"code":"T0312","severity":"error","message":"broken","file":"atm.treaty",)"
              R"("line":2,"column":2,"labels":[{"file":"atm.treaty","line":1,"column":1,"message":"see"}],)"
              R"("hint":"mend it"}],"stats":{"states":7},"unsafe":["deadlock"]})");
}

TEST(Result, ExitCodeAndAnswerAlwaysAgree) {
    using base::Answer;
    using base::Exit;
    base::SourceMap sources;
    Result result;
    const std::pair<Answer, int> expected[] = {
        {Answer::holds, 0}, {Answer::fails, 1}, {Answer::conditional, 1}, {Answer::undecided, 3}};
    for (auto [answer, code] : expected) {
        result.verdict = answer;
        result.environment_failed = true;  // an answer is an answer
        EXPECT_EQ(static_cast<int>(result.exit()), code);
        EXPECT_EQ(json_of(result, sources)["answer"], base::to_string(answer));
    }
    result.verdict.reset();
    EXPECT_EQ(static_cast<int>(result.exit()), 4);
    result.environment_failed = false;
    EXPECT_EQ(static_cast<int>(result.exit()), 2);
    EXPECT_TRUE(json_of(result, sources)["answer"].is_null());
}

TEST(Result, ExtraFieldsNeverReplaceTheEnvelope) {
    Result result = sample();
    result.extra["answer"] = "holds";
    base::SourceMap sources;
    EXPECT_EQ(json_of(result, sources)["answer"], "fails");
}

TEST(Result, BytesThatAreNotUtf8StillGiveJson) {
    Result result = sample();
    result.reason = "\xff\xfe";
    base::SourceMap sources;
    std::string text = to_json_text(result.verb, result, result.own(), sources);
    EXPECT_TRUE(Json::accept(text)) << text;
    EXPECT_EQ(text.back(), '\n');
}

TEST(Result, TerminalShowsAnswerConditionBoundAndWitness) {
    Result result = sample();
    result.text = "3 states\n";
    result.reason = "deadlock: B waits for ever";
    result.condition = "x > 0";
    result.bound.add("states", 100);
    result.bound.stopped(base::StopReason::time);
    EXPECT_EQ(to_terminal(result, result.own(), draw::Style{}), R"(3 states
fails: deadlock: B waits for ever
condition: x > 0
reached: 100 states, stopped by the time limit

   A          B
   |          |
1  |--deny-x  |    line 7
   |          |
)");
    result.quiet = true;
    result.witness.reset();
    result.condition.clear();
    result.bound = {};
    EXPECT_EQ(to_terminal(result, result.own(), draw::Style{}), "3 states\n");
}

TEST(Result, TheVerdictMayComeFirst) {
    Result result = sample();
    Own own;
    own.details = "expected by line 3: A -> B: grant\n";
    own.rest = "coverage: 1 of 2 steps\n";
    EXPECT_EQ(to_terminal(result, own, draw::Style{}), R"(fails: deadlock
expected by line 3: A -> B: grant

   A          B
   |          |
1  |--deny-x  |                line 7
  [ B waits for ever ]
   |          |

coverage: 1 of 2 steps
)");
    result.witness.reset();
    EXPECT_EQ(to_terminal(result, own, draw::Style{}),
              "fails: deadlock\nexpected by line 3: A -> B: grant\ncoverage: 1 of 2 steps\n");
}

TEST(Result, AWitnessTooWideForTheTerminalIsAList) {
    Result result = sample();
    result.witness->events[0].data = {{"amount", 3}};
    draw::Style narrow;
    narrow.width = 20;
    EXPECT_EQ(to_terminal(result, result.own(), narrow),
              "fails: deadlock\n\n  1  A B!deny(amount = 3)  (line 7)\n     B waits for ever\n");
}

}  // namespace
}  // namespace treaty::report
