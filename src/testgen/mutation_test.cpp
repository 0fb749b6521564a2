// Mutants: what Coto 2023 reports of them on the cash machine, and that every fate is right.

#include <gtest/gtest.h>

#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "choreo/well_branched.h"
#include "testgen/adherence.h"
#include "testgen/mutation.h"
#include "testgen/oracle.h"
#include "testgen/testing/examples.h"
#include "testgen/testing/slow.h"

namespace treaty::testgen {
namespace {

using testing::Example;

struct Judged {
    std::vector<Mutant> mutants;
    std::vector<MutantVerdict> verdicts;

    std::size_t count(Fate fate) const {
        std::size_t n = 0;
        for (const MutantVerdict& v : verdicts) n += v.fate == fate ? 1 : 0;
        return n;
    }
};

Judged judge(const Example& example, const char* cut, bool global, bool observe_final, unsigned jobs = 2) {
    TestSuite suite = example.suite(cut);
    Judged out;
    out.mutants = mutate_machine(suite.component());
    for (Mutant& m : mutate_protocol(example.projections, suite.cut())) out.mutants.push_back(std::move(m));
    std::vector<TestCase> tests;
    for (const Count& i : first_cases(suite.size(), 1000)) tests.push_back(suite.at(i));
    MutationOptions options;
    options.global = global;
    options.jobs = jobs;
    options.compliance.observe_final = observe_final;
    options.every_case = true;
    out.verdicts =
        judge_mutants(example.projections, suite.cut(), out.mutants, tests, suite.whole(), options);
    return out;
}

TEST(Mutation, NoMutantOfTheCashMachineSurvives) {
    Example atm(testing::atm_text);
    for (const char* cut : {"A", "B", "C"}) {
        Judged judged = judge(atm, cut, true, false);
        EXPECT_EQ(judged.count(Fate::survived), 0u) << cut;
        EXPECT_EQ(judged.count(Fate::undecided), 0u) << cut;
        EXPECT_GT(judged.count(Fate::killed), judged.mutants.size() / 2) << cut;
    }
}

TEST(Mutation, ARepeatedLastReceiveShowsOnlyInTheFinalState) {
    Example atm(testing::atm_text);
    for (const char* cut : {"A", "B", "C"}) {
        Judged blind = judge(atm, cut, true, false), seeing = judge(atm, cut, true, true);
        const model::Machine& machine = atm.machine(cut);
        for (std::size_t i = 0; i < blind.mutants.size(); ++i) {
            const Mutant& mutant = blind.mutants[i];
            if (mutant.op != Operator::repeat_transition) continue;
            const model::Edge& edge = machine.out(mutant.state)[mutant.edge];
            bool last_receive = machine.alphabet().event(edge.label).kind == model::EventKind::receive &&
                                machine.out(edge.target).empty();
            EXPECT_EQ(blind.verdicts[i].fate, last_receive ? Fate::unobservable : Fate::killed)
                << mutant.what;
            EXPECT_EQ(seeing.verdicts[i].fate, Fate::killed) << mutant.what;
        }
    }
}

TEST(Mutation, TheLocalVerdictLetsSomeSurvive) {
    Example atm(testing::atm_text);
    EXPECT_GT(judge(atm, "A", false, false).count(Fate::survived), 0u);
}

TEST(Mutation, TheNumberOfThreadsMakesNoDifference) {
    Example atm(testing::atm_text);
    Judged one = judge(atm, "A", true, false, 1), three = judge(atm, "A", true, false, 3);
    ASSERT_EQ(one.verdicts.size(), three.verdicts.size());
    for (std::size_t i = 0; i < one.verdicts.size(); ++i) {
        EXPECT_EQ(one.verdicts[i].fate, three.verdicts[i].fate);
        EXPECT_EQ(one.verdicts[i].test, three.verdicts[i].test);
        EXPECT_EQ(one.verdicts[i].explanation, three.verdicts[i].explanation);
    }
}

// However often a loop is unrolled, its steps are written once.
TEST(Mutation, AStepOfALoopIsChangedInAllRounds) {
    auto changes = [](std::uint32_t times) {
        Example example("rep A { A->B:x ; ch B { B->A:y } { B->A:z ; A->B:w } } ; A->B:end", times);
        std::vector<std::string> what;
        for (const Mutant& mutant : mutate_protocol(example.projections, example.role("B")))
            what.push_back(mutant.what);
        return what;
    };
    EXPECT_EQ(changes(3), changes(2));
    Example example("rep A { A->B:x ; B->A:y } ; A->B:end", 3);
    for (const Mutant& mutant : mutate_protocol(example.projections, example.role("B"))) {
        if (mutant.what != "B -> A: y is dropped") continue;
        for (std::size_t s = 0; s < mutant.machine.state_count(); ++s)
            for (const model::Edge& edge : mutant.machine.out(model::StateId(s)))
                EXPECT_NE(mutant.machine.alphabet().print(edge.label), "B A!y");
    }
}

TEST(Mutation, ARefinementPassesEveryTest) {
    std::size_t refinements = 0, killed = 0, only_in_context = 0;
    for (std::uint64_t seed = 0; seed < choreo::testing::seeds(250); ++seed) {
        model::Specification specification;
        choreo::RandomShape shape;
        shape.steps = 4;
        shape.depth = 2;
        shape.branches = 2;
        shape.loops = seed % 4 == 0;
        shape.announced = true;
        shape.separate_channels = true;
        auto protocol = choreo::random_protocol(specification, shape, seed);
        base::Diagnostics ignored;
        auto branching = choreo::check_branching(specification, protocol, ignored);
        if (!branching.well_branched || !branching.separate_channels || protocol.size() > 14) continue;
        auto made = make_projections(specification, protocol, 1);
        if (!made.projections) continue;
        for (model::RoleId cut : protocol.roles()) {
            TestSuite suite(*made.projections, cut, Keep::reachable, final_states(*made.projections));
            auto mutants = mutate_machine(suite.component());
            Observer observer(*made.projections, cut, {});
            ComplianceOptions options;
            options.observe_final = true;
            for (const Mutant& mutant : mutants) {
                auto taken = taken_edges(mutant.machine, suite.whole().machines, {});
                ASSERT_TRUE(taken);
                bool plain = refines(mutant.machine, suite.component());
                if (!refines(mutant.machine, suite.component(), &*taken)) {
                    ASSERT_FALSE(plain) << "seed " << seed;
                    continue;
                }
                ++refinements;
                only_in_context += plain ? 0 : 1;
                for (const Count& i : sample_cases(suite.size(), 6, seed)) {
                    auto verdict = comply(mutant.machine, suite.at(i).machines, &observer, options);
                    ASSERT_EQ(verdict.answer, base::Answer::holds)
                        << "seed " << seed << ' ' << mutant.what << ": " << verdict.failure->reason;
                }
            }
            killed += mutants.size();
        }
    }
    EXPECT_GT(refinements, 50u);
    EXPECT_GT(only_in_context, 5u);  // an edge that nobody ever makes it take
    EXPECT_LT(refinements, killed);
}

// The first wrong event of the mutant with all others: whether it is a send of a message the protocol knows.
bool sends_at_the_wrong_moment(const Mutant& mutant, const TestSuite& suite) {
    auto departure = leaves_protocol(mutant.machine, suite.whole().machines, suite, {});
    if (!departure || departure->early) return false;
    const model::Alphabet& alphabet = mutant.machine.alphabet();
    const model::Event& event = alphabet.event(departure->run.back().label);
    return event.kind == model::EventKind::send && alphabet.name(event.message) != "(unknown)";
}

TEST(Mutation, EverySendAtTheWrongMomentIsCaughtUnlessNobodyCouldTell) {
    std::size_t wrong = 0, caught = 0, unseen = 0, proved = 0;
    for (std::uint64_t seed = 0; seed < choreo::testing::seeds(220); ++seed) {
        auto source = testing::random_case(seed);
        if (!source->good || !source->projections || source->projections->unfolded) continue;
        for (model::RoleId cut : source->protocol->roles()) {
            TestSuite suite(*source->projections, cut, Keep::reachable, final_states(*source->projections));
            if (suite.size() > 24) continue;
            std::vector<Mutant> mutants = mutate_machine(suite.component());
            for (Mutant& m : mutate_protocol(*source->projections, cut)) mutants.push_back(std::move(m));
            std::erase_if(mutants, [&](const Mutant& m) { return !sends_at_the_wrong_moment(m, suite); });
            std::vector<TestCase> tests;
            for (const Count& i : first_cases(suite.size(), 24)) tests.push_back(suite.at(i));
            TestCase whole = suite.whole();
            MutationOptions options;
            options.every_case = true;
            auto verdicts = judge_mutants(*source->projections, cut, mutants, tests, whole, options);
            for (std::size_t i = 0; i < mutants.size(); ++i) {
                ++wrong;
                Fate fate = verdicts[i].fate;
                caught += fate == Fate::killed ? 1 : 0;
                if (fate == Fate::killed) continue;
                ASSERT_TRUE(fate == Fate::unobservable)
                    << "seed " << seed << ' ' << mutants[i].what << ": " << verdicts[i].explanation;
                ++unseen;
                // The proof once more, the slow way: every run with all others is one of the protocol.
                testing::SlowJudge slow(*source, cut, mutants[i].machine, whole, {}, true);
                auto failing = slow.run();
                ASSERT_TRUE(slow.gave_up() || !failing) << "seed " << seed << ' ' << mutants[i].what;
                proved += slow.gave_up() ? 0 : 1;
            }
        }
    }
    EXPECT_GT(wrong, 1000u);
    EXPECT_GT(caught, 800u);
    EXPECT_GT(unseen, 20u);
    EXPECT_GT(proved, 20u);
}

// Looking at all cases at once and trying one after the other.
TEST(Mutation, AllCasesAtOnceSayWhatEachOfThemSays) {
    std::size_t killed = 0, others = 0, waited = 0;
    for (std::uint64_t seed = 0; seed < choreo::testing::seeds(90); ++seed) {
        auto source = testing::random_case(seed);
        if (!source->good || !source->projections) continue;
        model::Mode modes[] = {model::Mode::fifo, model::Mode::bag, model::Mode::sync};
        for (model::RoleId cut : source->protocol->roles()) {
            TestSuite suite(*source->projections, cut, Keep::reachable, final_states(*source->projections));
            if (suite.size() > 16) continue;
            std::vector<TestCase> tests;
            for (const Count& i : first_cases(suite.size(), 16)) tests.push_back(suite.at(i));
            std::vector<Mutant> mutants = mutate_machine(suite.component());
            MutationOptions options;
            options.global = seed % 4 != 3;
            options.compliance.channels.mode = modes[seed % 3];
            TestCase whole = suite.whole();
            auto each = judge_mutants(*source->projections, cut, mutants, tests, whole, options);
            options.every_case = true;
            auto once = judge_mutants(*source->projections, cut, mutants, tests, whole, options);
            for (std::size_t i = 0; i < mutants.size(); ++i) {
                bool more = once[i].fate == Fate::killed && once[i].own_test.has_value();
                waited += more ? 1 : 0;
                if (more) continue;  // a role waits in it, or it is a later round
                ASSERT_EQ(to_string(once[i].fate), to_string(each[i].fate))
                    << "seed " << seed << ' ' << mutants[i].what << ": " << once[i].explanation << " / "
                    << each[i].explanation;
                ++(once[i].fate == Fate::killed ? killed : others);
                if (once[i].fate != Fate::killed) continue;
                Observer observer(*source->projections, cut, options.compliance.channels);
                ComplianceOptions again = options.compliance;
                again.rounds = &*source->projections;
                ASSERT_EQ(comply(mutants[i].machine, tests[once[i].test].machines,
                                 options.global ? &observer : nullptr, again)
                              .answer,
                          base::Answer::fails);
            }
        }
    }
    EXPECT_GT(killed, 500u);
    EXPECT_GT(others, 50u);
    RecordProperty("waited", static_cast<int>(waited));
}

TEST(Mutation, SendsOfKnownMessagesAtTheWrongMomentAreCaughtOrProvedUnobservable) {
    // A sends z before it has y: C sees z although B has not sent y. And two sends to different roles,
    // exchanged.
    Example ordered("A->B:x ; B->A:y ; A->C:z");
    const model::Machine& a = ordered.machine("A");
    TestSuite suite = ordered.suite("A");
    Observer observer(ordered.projections, suite.cut(), {});
    auto early = testing::edited(a, [](testing::EditedEdge& e) {
        if (e.label == "B A?y")
            e.label = "A C!z";
        else if (e.label == "A C!z")
            e.label = "B A?y";
    });
    EXPECT_EQ(comply(early, suite.at(0).machines, nullptr, {}).answer, base::Answer::holds);
    EXPECT_EQ(comply(early, suite.at(0).machines, &observer, {}).answer, base::Answer::fails);
    Example free("A->B:x ; A->C:z");
    TestSuite free_suite = free.suite("A");
    Observer free_observer(free.projections, free_suite.cut(), {});
    auto exchanged = testing::edited(
        free.machine("A"), [](testing::EditedEdge& e) { e.label = e.label == "A B!x" ? "A C!z" : "A B!x"; });
    EXPECT_EQ(comply(exchanged, free_suite.whole().machines, &free_observer, {}).answer, base::Answer::holds);
    // Where nothing waits in between, the order is seen.
    ComplianceOptions sync;
    sync.channels.mode = model::Mode::sync;
    Observer sync_observer(free.projections, free_suite.cut(), sync.channels);
    EXPECT_EQ(comply(exchanged, free_suite.at(0).machines, &sync_observer, sync).answer, base::Answer::fails);
}

TEST(Oracle, E36TheSchemesOfTheSeed) {
    Example atm(testing::small_atm_text);
    SuccessStates ends = final_states(atm.projections);
    EXPECT_EQ(holds_for_all_runs(atm.projections, ends, {}).answer, base::Answer::holds);
    for (std::size_t r = 0; r < ends.size(); ++r) {
        std::size_t n = 0;
        for (bool b : ends[r]) n += b ? 1 : 0;
        EXPECT_EQ(n, 1u) << "the last state alone";
    }
    // B -> A: allow: Coto 2023 takes all states of A but the first, and the last ones of B and C.
    SuccessStates more = ends;
    std::size_t a = *atm.projections.position(atm.role("A"));
    for (std::size_t s = 1; s < more[a].size(); ++s) more[a][s] = true;
    EXPECT_EQ(holds_for_all_runs(atm.projections, more, {}).answer, base::Answer::holds);
    // Ours: a role that has nothing to do with it any more.
    std::vector<model::NodeId> allow;
    const model::Protocol& protocol = *atm.projections.protocol;
    for (std::size_t i = 0; i < protocol.size(); ++i)
        if (protocol[model::NodeId(i)].kind == model::NodeKind::interaction &&
            atm.source.spec->alphabet->name(protocol[model::NodeId(i)].message) == "allow")
            allow.push_back(model::NodeId(i));
    auto ours = success_states(atm.projections, allow);
    ASSERT_TRUE(ours);
    EXPECT_EQ(holds_for_all_runs(atm.projections, *ours, {}).answer, base::Answer::holds);
    const model::Machine& machine = atm.machine("A");
    EXPECT_TRUE((*ours)[a][testing::after_label(machine, "B A?allow")]);
    EXPECT_TRUE((*ours)[a][testing::after_label(machine, "B A?deny")]);
    EXPECT_FALSE((*ours)[a][testing::after_label(machine, "A B!authW")]);
    // A state that is left before the others arrive is not a scheme.
    SuccessStates never = ends;
    never[a].assign(never[a].size(), false);
    never[a][0] = true;
    EXPECT_EQ(holds_for_all_runs(atm.projections, never, {}).answer, base::Answer::fails);
    // Of the whole protocol: the final states.
    EXPECT_EQ(*success_states(atm.projections, {model::NodeId(0u)}), ends);
}

TEST(Oracle, EveryStepOfRandomProtocolsHasAScheme) {
    for (std::uint64_t seed = 0; seed < choreo::testing::seeds(150); ++seed) {
        model::Specification specification;
        choreo::RandomShape shape;
        shape.steps = 4;
        shape.depth = 2;
        shape.loops = false;
        shape.announced = true;
        shape.separate_channels = true;
        auto protocol = choreo::random_protocol(specification, shape, seed);
        base::Diagnostics ignored;
        auto branching = choreo::check_branching(specification, protocol, ignored);
        if (!branching.well_branched || !branching.separate_channels || protocol.size() > 14) continue;
        auto made = make_projections(specification, protocol, 1);
        if (!made.projections) continue;
        for (std::size_t i = 0; i < made.projections->protocol->size(); ++i) {
            auto states = success_states(*made.projections, {model::NodeId(i)});
            ASSERT_TRUE(states);
            ASSERT_EQ(holds_for_all_runs(*made.projections, *states, {}).answer, base::Answer::holds)
                << "seed " << seed << " step " << i;
        }
    }
}

}  // namespace
}  // namespace treaty::testgen
