#include "api/mutate.h"

#include <gtest/gtest.h>

#include "api/compare_tests.h"
#include "api/testing/withdraw.h"
#include "api/tests.h"

namespace treaty::api::mutate_test {
namespace {

using testgen::Fate;

class Mutate : public testing::Test {
protected:
    Mutate() { workspace_.set_overlay("p.treaty", withdraw); }

    MutateQuestion about(const char* cut) const {
        MutateQuestion question;
        question.file = "p.treaty";
        question.cut = cut;
        return question;
    }

    Workspace workspace_;
};

TEST_F(Mutate, EveryMutantThatSomebodyCouldTellIsKilled) {
    MutateAnswer answer = mutate(workspace_, about("C"), {});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    EXPECT_EQ(answer.tests, 2U);
    MutantCounts total = answer.total();
    EXPECT_EQ(total.all(), answer.mutants.size());
    EXPECT_EQ(total.of(Fate::killed), 19U);
    EXPECT_EQ(total.of(Fate::unobservable), 4U);
    EXPECT_EQ(total.score(), 1.0);
    for (const JudgedMutant& mutant : answer.mutants)
        EXPECT_EQ(mutant.fate == Fate::killed, mutant.run && (mutant.test || mutant.choices)) << mutant.what;
}

TEST_F(Mutate, TestsThatLookLessCloselyLeaveSomeAlive) {
    MutateQuestion question = about("A");
    question.judge.global = false;
    MutateAnswer answer = mutate(workspace_, question, {});
    EXPECT_EQ(answer.verdict, Verdict::fails);
    EXPECT_EQ(answer.total().of(Fate::survived), 4U);
    EXPECT_EQ(answer.of(testgen::Operator::move_branch).of(Fate::survived), 1U);
    EXPECT_TRUE(answer.witness);
}

TEST_F(Mutate, PlacesArePartsOfTheMachine) {
    MutateAnswer answer = mutate(workspace_, about("A"), {});
    ASSERT_TRUE(answer.component);
    std::size_t with_places = 0;
    for (const JudgedMutant& mutant : answer.mutants) {
        with_places += mutant.places.empty() ? 0 : 1;
        for (const MutantPlace& place : mutant.places) {
            ASSERT_LT(place.state.index, answer.component->state_count());
            ASSERT_LT(place.edge.value_or(0),
                      std::max<std::size_t>(answer.component->out(place.state).size(), 1));
        }
    }
    EXPECT_GT(with_places, answer.mutants.size() / 2);
}

TEST_F(Mutate, TheLevelSaysWhatIsChanged) {
    MutateQuestion question = about("A");
    std::size_t both = mutate(workspace_, question, {}).mutants.size();
    question.level = MutationLevel::machine;
    MutateAnswer machine = mutate(workspace_, question, {});
    for (const JudgedMutant& mutant : machine.mutants) EXPECT_TRUE(testgen::on_machine(mutant.op));
    question.level = MutationLevel::protocol;
    MutateAnswer protocol = mutate(workspace_, question, {});
    for (const JudgedMutant& mutant : protocol.mutants) EXPECT_FALSE(testgen::on_machine(mutant.op));
    EXPECT_EQ(machine.mutants.size() + protocol.mutants.size(), both);
}

TEST_F(Mutate, SavedTestsAreRunInsteadOfThoseOfTheProtocol) {
    TestsQuestion some;
    some.file = "p.treaty";
    some.cuts = "A";
    some.first = 1;
    workspace_.set_overlay("one.json", tests_as_json(*tests(workspace_, some, {}).roles.at(0).tests));
    MutateQuestion question = about("A");
    question.tests = "one.json";
    MutateAnswer answer = mutate(workspace_, question, {});
    EXPECT_EQ(answer.tests, 1U);
    EXPECT_EQ(answer.verdict, Verdict::fails);
    question.cut = "B";
    EXPECT_FALSE(mutate(workspace_, question, {}).verdict);
}

TEST_F(Mutate, BothKindsOfTestsAreComparedByBothVerdicts) {
    CompareTestsAnswer answer = compare_tests(workspace_, about("A"), {});
    EXPECT_EQ(answer.verdict, Verdict::holds);
    ASSERT_EQ(answer.rows.size(), 4U);
    EXPECT_EQ(answer.rows[0].kind, TestKind::roles);
    EXPECT_EQ(answer.rows[3].kind, TestKind::dual);
    EXPECT_FALSE(answer.rows[3].global);
    EXPECT_GT(answer.rows[0].mutants.of(Fate::killed), answer.rows[1].mutants.of(Fate::killed));
    for (const ComparedTests& row : answer.rows) EXPECT_EQ(row.mutants.all(), answer.mutants);
}

}  // namespace
}  // namespace treaty::api::mutate_test
