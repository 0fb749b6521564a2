#include "choreo/well_branched.h"

#include <gtest/gtest.h>

#include "choreo/testing_notation.h"

namespace treaty::choreo {
namespace {

using testing::read;
using testing::TestProtocol;

// "T1001 message" lines, in order of report.
std::vector<std::string> faults(const TestProtocol& t) {
    base::Diagnostics diagnostics;
    check_branching(*t.spec, *t.protocol, diagnostics);
    std::vector<std::string> result;
    for (const auto& d : diagnostics.all()) result.push_back(base::to_string(*d.code) + " " + d.message);
    return result;
}
using Faults = std::vector<std::string>;

TEST(WellBranched, Example2_4_WithdrawIs) {
    EXPECT_EQ(faults(read(
                  "C->A:withdraw ; A->B:authW ; ch B { B->A:deny ; A->C:bye } { B->A:allow ; A->C:money }")),
              Faults{});
}

TEST(WellBranched, Example2_5_G1) {
    auto t = read("ch A { A->B:m } { A->C:m ; A->B:m }");
    EXPECT_EQ(
        faults(t),
        (Faults{
            "T1001 B cannot tell branch 1 from branch 2: in both it first receives m from A",
            "T1002 C is not told which branch is taken: it takes part in branch 2, but has nothing to do in "
            "branch 1"}));
    base::Diagnostics diagnostics;
    check_branching(*t.spec, *t.protocol, diagnostics);
    const auto& b = diagnostics.all()[0];
    ASSERT_EQ(b.labels.size(), 2u);
    EXPECT_EQ(t.at(b.labels[0].span), "A->B:m");
    EXPECT_EQ(b.labels[0].span.begin, 7u);
    EXPECT_EQ(b.labels[1].span.begin, 27u);
    EXPECT_EQ(b.labels[1].text, "branch 2: it receives m from A");
    EXPECT_FALSE(b.hint.empty());
    const auto& c = diagnostics.all()[1];
    EXPECT_EQ(t.at(c.labels[0].span), "A->C:m");
    EXPECT_EQ(c.hint, "let A (or a role it has told) send C a message in branch 1 too");
}

TEST(WellBranched, Example2_5_G2) {
    auto t = read("ch - { A->C:m } { B->C:m }");
    EXPECT_EQ(faults(t), (Faults{"T1003 no single role decides: A and B send first"}));
    base::Diagnostics diagnostics;
    check_branching(*t.spec, *t.protocol, diagnostics);
    ASSERT_EQ(diagnostics.all()[0].labels.size(), 2u);
    EXPECT_EQ(diagnostics.all()[0].labels[0].text, "branch 1: A sends m to C");
    EXPECT_EQ(diagnostics.all()[0].labels[1].text, "branch 2: B sends m to C");
}

TEST(WellBranched, TheDeciderMustBeTheOneNamed) {
    EXPECT_EQ(faults(read("ch B { A->B:x } { A->B:y }")),
              (Faults{"T1004 B should decide, but A sends first"}));
    EXPECT_EQ(faults(read("ch - { A->B:x } { A->B:y }")), Faults{});
}

TEST(WellBranched, ABranchThatGoesOnForEverLeavesNoOneWaiting) {
    EXPECT_EQ(
        faults(read("ch A { A->B:one ; rec X { A->B:tick ; cont X } } { A->B:two ; B->C:two }")),
        (Faults{
            "T1002 C is not told which branch is taken: it takes part in branch 2, but has nothing to do in "
            "branch 1"}));
    EXPECT_EQ(
        faults(read("ch A { A->B:one ; A->C:one ; rec X { A->B:tick ; cont X } } { A->B:two ; B->C:two }")),
        Faults{});
}

TEST(WellBranched, TheDeciderMustNotBeginAlike) {
    EXPECT_EQ(faults(read("ch A { A->B:x ; A->B:y } { A->B:x ; A->B:z }")),
              (Faults{"T1001 B cannot tell branch 1 from branch 2: in both it first receives x from A",
                      "T1001 A cannot tell branch 1 from branch 2: in both it first sends x to B"}));
}

TEST(WellBranched, ARoleMustNotActUntold) {
    EXPECT_EQ(faults(read("ch A { A->B:x ; A->C:x ; C->B:u } { A->B:y ; C->B:v }")),
              (Faults{"T1005 C cannot know that branch 2 is taken, but sends v to B there before it is told "
                      "anything"}));
}

TEST(WellBranched, AnEmptyBranchTellsNoOne) {
    EXPECT_EQ(
        faults(read("ch A { A->B:x } { 0 }")),
        (Faults{
            "T1002 B is not told which branch is taken: it takes part in branch 1, but has nothing to do in "
            "branch 2"}));
}

TEST(WellBranched, LoopsNeedTheirEndToldToThoseWhoGoOn) {
    EXPECT_EQ(faults(read("rep A { A->B:x ; B->A:y }")), Faults{});
    EXPECT_EQ(faults(read("rep A { A->B:x ; B->A:y } ; A->B:stop ; B->A:bye")), Faults{});
    EXPECT_EQ(faults(read("rep A { A->B:x ; B->A:y } ; B->A:bye")),
              (Faults{"T1006 B cannot know that the loop is over, but then sends bye to A"}));
    EXPECT_EQ(
        faults(read("rep A { A->B:x } ; A->B:x ; A->B:y")),
        (Faults{"T1006 B cannot tell another round from what follows: in both it first receives x from A",
                "T1006 A cannot tell another round from what follows: in both it first sends x to B"}));
    EXPECT_EQ(faults(read("rep A { A->B:x } ; C->D:y")), Faults{});
    EXPECT_EQ(faults(read("rep B { A->B:x }")), (Faults{"T1004 B should decide, but A sends first"}));
}

TEST(WellBranched, RecursionIsALoopToo) {
    EXPECT_EQ(faults(read("rec L { A->C:ping ; ch A { A->B:again ; cont L } { A->B:stop } }")), Faults{});
    EXPECT_EQ(faults(read("rec L { ch A { A->B:x ; A->C:p ; cont L } { A->B:stop } }")), Faults{});
    EXPECT_EQ(faults(read("rec L { ch A { A->B:x ; A->C:p ; cont L } { A->B:stop } } ; A->C:p")),
              (Faults{"T1006 C cannot tell branch 1 from what follows: in both it first receives p from A"}));
}

// Coto 2023, figure 2.3: the seller is not told that the buyers go on negotiating, and need not be.
TEST(WellBranched, TwoBuyers) {
    EXPECT_EQ(faults(read("X->S:title ; S->X:price ; S->Y:price ; rec L { X->Y:share ; ch Y "
                          "{ Y->X:accept ; Y->S:address ; S->Y:date } { Y->X:reject ; cont L } "
                          "{ Y->X:quit ; Y->S:quit } }")),
              Faults{});
}

TEST(WellBranched, MessagesOfDifferentSendersMayRace) {
    EXPECT_EQ(
        faults(read("ch D { D->A:1 ; D->B:1 ; A->C:a ; B->C:b } { D->A:2 ; D->B:2 ; B->C:b ; A->C:a }")),
        (Faults{"T1007 C may take branch 1 for branch 2: it receives b from B also when that is not what was "
                "decided"}));
    // B waits for C here, so nothing can overtake.
    EXPECT_EQ(
        faults(read(
            "ch D { D->A:1 ; A->C:a ; C->B:k ; B->C:b } { D->A:2 ; A->B:k ; B->C:b ; C->A:k ; A->C:a }")),
        Faults{});
    EXPECT_EQ(faults(read("rep A { A->B:x } ; C->B:y")),
              (Faults{"T1007 B may take another round for what follows: it receives y from C also when that "
                      "is not what "
                      "was decided"}));
}

TEST(WellBranched, ParallelBranchesWithOneMessageAreWarnedAbout) {
    auto t = read("par { A->B:x ; B->C:u } { A->B:x ; B->C:v }");
    base::Diagnostics diagnostics;
    auto result = check_branching(*t.spec, *t.protocol, diagnostics);
    EXPECT_TRUE(result.well_branched);
    EXPECT_FALSE(result.separate_channels);
    EXPECT_FALSE(result.separate_messages);
    ASSERT_EQ(diagnostics.all().size(), 1u);
    EXPECT_EQ(diagnostics.all()[0].message, "two parallel branches send x from A to B");
}

}  // namespace
}  // namespace treaty::choreo
