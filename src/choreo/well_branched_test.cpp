#include "choreo/well_branched.h"

#include <gtest/gtest.h>

#include "choreo/pomset_language.h"
#include "choreo/project.h"
#include "choreo/testing/fifo.h"
#include "choreo/testing/notation.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"

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

testing::FifoVerdict verdict_of(const model::Specification& spec, const model::Protocol& protocol) {
    auto system = make_projected_system(spec, protocol, {}, {.states = 3000, .deadline = {}});
    auto language = PomsetLanguage::of(spec, protocol);
    if (!system || !language) return {false, {}, {}, {}, {}};
    return testing::compare_with_language(*system.system, *language, 2, 400);
}

// Two senders fill shared channels in different orders, and the receiver can take neither.
TEST(WellBranched, SharedChannelsMayDeadlock) {
    auto t = read("par { C->B:w ; A->B:x } { A->B:y ; C->B:z }");
    base::Diagnostics diagnostics;
    auto result = check_branching(*t.spec, *t.protocol, diagnostics);
    EXPECT_TRUE(result.well_branched);
    EXPECT_TRUE(result.separate_messages);
    EXPECT_FALSE(result.separate_channels);
    auto verdict = verdict_of(*t.spec, *t.protocol);
    EXPECT_FALSE(verdict.unsafe.empty());
    EXPECT_TRUE(verdict.extra.empty());
}

TEST(WellBranched, SharedMessagesMayBeMistaken) {
    auto t = read("par { A->B:x ; A->C:u ; B->D:p } { A->B:x ; A->C:v ; B->D:q }");
    EXPECT_FALSE(verdict_of(*t.spec, *t.protocol).extra.empty());
}

struct Tally {
    int good = 0, decided = 0, rejected = 0, rejected_for_cause = 0;
};

void check_one(const model::Specification& spec, const model::Protocol& protocol, const std::string& name,
               Tally& tally) {
    base::Diagnostics diagnostics;
    auto branching = check_branching(spec, protocol, diagnostics);
    auto verdict = verdict_of(spec, protocol);
    if (!branching.well_branched) {
        ++tally.rejected;
        tally.rejected_for_cause +=
            !verdict.unsafe.empty() || !verdict.extra.empty() || !verdict.missing.empty();
        return;
    }
    ++tally.good;
    if (!verdict.decided) return;
    ++tally.decided;
    if (branching.separate_messages) {
        ASSERT_EQ(verdict.extra, "") << name << "\n" << testing::write(spec, protocol);
    }
    if (branching.separate_channels) {
        ASSERT_EQ(verdict.stuck, "") << name << "\n" << testing::write(spec, protocol);
        if (protocol.loop_count() == 0) {  // a recursion need not have an end
            ASSERT_EQ(verdict.unsafe, "") << name << "\n" << testing::write(spec, protocol);
        }
        ASSERT_EQ(verdict.missing, "") << name << "\n" << testing::write(spec, protocol);
    }
}

TEST(WellBranched, ProjectionsOfRandomProtocolsRealizeThem) {
    Tally tally;
    for (std::uint64_t seed = 1; seed <= testing::seeds(800); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.roles = 2 + seed % 3;
        shape.steps = 4;
        shape.messages = 3;
        shape.announced = true;
        shape.careless = seed % 4 == 0 ? 0 : 25;
        shape.recursion = seed % 2 == 0;
        shape.separate_channels = seed % 3 != 0;
        auto protocol = random_protocol(spec, shape, seed);
        check_one(spec, protocol, "seed " + std::to_string(seed), tally);
        if (HasFatalFailure()) return;
    }
    std::printf("%d well-branched, %d of them decided; %d not, %d of them with a fault\n", tally.good,
                tally.decided, tally.rejected, tally.rejected_for_cause);
    EXPECT_GT(tally.decided, 300);
    EXPECT_GT(tally.rejected, 100);
}

TEST(WellBranched, ProjectionsOfArbitraryProtocolsRealizeThemIfWellBranched) {
    Tally tally;
    for (std::uint64_t seed = 1; seed <= testing::seeds(800); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.roles = 2 + seed % 3;
        shape.steps = 4;
        shape.messages = 6;
        shape.recursion = seed % 2 == 0;
        shape.separate_channels = true;
        auto protocol = random_protocol(spec, shape, seed);
        check_one(spec, protocol, "seed " + std::to_string(seed), tally);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(tally.decided, 100);
}

}  // namespace
}  // namespace treaty::choreo
