// Wrong components that pass, and the other kind of test.

#include <set>

#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/testing/seeds.h"
#include "testgen/adherence.h"
#include "testgen/dual.h"
#include "testgen/passing.h"
#include "testgen/testing/examples.h"
#include "testgen/testing/slow.h"

namespace treaty::testgen {
namespace {

using base::Answer;
using testing::Example;

Adherence ask(const Example& example, const char* cut, model::Mode mode = model::Mode::fifo,
              bool global = true) {
    ComplianceOptions options;
    options.channels.mode = mode;
    return adherence(example.suite(cut), options, global);
}

TEST(Adherence, TheSeedsFirstExampleHoldsWhereTheTesterSeesTheOrder) {
    Example example("A->B:x ; B->A:y ; A->C:z");
    EXPECT_EQ(ask(example, "A").answer, Answer::holds);
    // Coto 2023, chapter 5: no role by itself can tell.
    auto local = ask(example, "A", model::Mode::fifo, false);
    ASSERT_EQ(local.answer, Answer::fails);
    EXPECT_NE(local.wrong->departure.what.find("A sends z to C where the protocol has"), std::string::npos);
}

TEST(Adherence, TheSeedsSecondExampleDependsOnTheChannels) {
    Example example("A->B:x ; A->B:y");
    EXPECT_EQ(ask(example, "A").answer, Answer::holds);
    auto found = ask(example, "A", model::Mode::bag);
    ASSERT_EQ(found.answer, Answer::fails);
    EXPECT_EQ(found.wrong->departure.what, "A sends y to B where the protocol has A send x to B");
    ASSERT_EQ(found.wrong->departure.run.size(), 1u);
    EXPECT_EQ(example.source.spec->alphabet->print(found.wrong->departure.run[0].label), "A B!y");
    EXPECT_EQ(found.wrong->component.state_count(), 3u);  // no larger than it need be
}

TEST(Adherence, SendsToDifferentRolesMayBeExchangedOverQueues) {
    Example example("A->B:x ; A->C:z");
    EXPECT_EQ(ask(example, "A").answer, Answer::fails);
    EXPECT_EQ(ask(example, "A", model::Mode::sync).answer, Answer::holds);
    EXPECT_EQ(ask(example, "B").answer, Answer::holds);
}

TEST(Adherence, TheCashMachineIsAdherentForItselfOnly) {
    // A answers each message before the next, so every order of its own can be seen.
    Example atm(testing::atm_text);
    for (const char* cut : {"A", "B", "C"}) {
        auto found = ask(atm, cut);
        EXPECT_NE(found.answer, Answer::undecided) << cut;
        EXPECT_GT(found.knowledge, 3u);
    }
    EXPECT_EQ(ask(atm, "A", model::Mode::sync).answer, Answer::holds);
    EXPECT_EQ(ask(atm, "A", model::Mode::sync, false).answer, Answer::fails);  // money and bye exchanged
}

TEST(Adherence, LimitsLeaveItUndecided) {
    Example atm(testing::atm_text);
    PassingComponents few(atm.suite("A"), {}, true, 10);
    EXPECT_FALSE(few.complete());
}

// Every component that does each of a few events at most once in a run: a tree, numbered.
class AllComponents {
public:
    AllComponents(const model::Machine& projection, std::vector<model::LabelId> labels)
        : projection_(projection), labels_(std::move(labels)) {
        counts_.push_back(1);
        for (std::size_t n = 1; n <= labels_.size(); ++n) {
            std::uint64_t all = 1;
            for (std::size_t i = 0; i < n; ++i) all *= counts_.back() + 1;
            counts_.push_back(all);
        }
    }
    std::uint64_t count() const { return counts_.back(); }
    model::Machine at(std::uint64_t index) const {
        model::MachineBuilder builder(projection_.name(), projection_.alphabet_ptr(), projection_.role());
        grow(builder, index, labels_);
        return builder.finish().value();
    }

private:
    model::StateId grow(model::MachineBuilder& builder, std::uint64_t index,
                        const std::vector<model::LabelId>& left) const {
        model::StateId state = builder.state(index == 0);
        for (std::size_t i = 0; i < left.size(); ++i) {
            std::uint64_t digit = index % (counts_[left.size() - 1] + 1);
            index /= counts_[left.size() - 1] + 1;
            if (digit == 0) continue;
            std::vector<model::LabelId> rest = left;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
            model::StateId target = grow(builder, digit - 1, rest);
            builder.edge(state, left[i], target);
        }
        return state;
    }

    const model::Machine& projection_;
    std::vector<model::LabelId> labels_;
    std::vector<std::uint64_t> counts_;  // by how many labels are left
};

std::vector<model::LabelId> labels_of(const model::Machine& machine) {
    std::set<model::LabelId> labels;
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& edge : machine.out(model::StateId(s))) labels.insert(edge.label);
    return {labels.begin(), labels.end()};
}

struct Trial {
    const TestSuite& suite;
    ComplianceOptions options;
    bool global;
    Observer observer;
    std::vector<TestCase> tests;

    Trial(const Projections& projections, const TestSuite& of, model::Mode mode, bool together)
        : suite(of), options(), global(together), observer(projections, of.cut(), {mode, std::nullopt}) {
        options.channels.mode = mode;
        for (const Count& i : first_cases(suite.size(), 100)) tests.push_back(suite.at(i));
    }
    bool passes(const model::Machine& component) {
        for (const TestCase& test : tests)
            if (comply(component, test.machines, global ? &observer : nullptr, options).answer !=
                Answer::holds)
                return false;
        return true;
    }
    bool leaves(const model::Machine& component) {
        for (const TestCase& test : tests)
            if (leaves_protocol(component, test.machines, suite, options.channels)) return true;
        return false;
    }
};

TEST(Adherence, AgreesWithTryingEverySmallComponent) {
    std::size_t held = 0, failed = 0, tried = 0;
    for (std::uint64_t seed = 0; seed < choreo::testing::seeds(150); ++seed) {
        auto source = testing::random_case(seed);
        if (!source->good || !source->projections) continue;
        for (model::RoleId cut : source->protocol->roles()) {
            TestSuite suite(*source->projections, cut, Keep::reachable, final_states(*source->projections),
                            (seed / 6) % 2 == 0 ? Mixed::send_first : Mixed::also_wait);
            auto labels = labels_of(suite.component());
            if (labels.empty() || labels.size() > 3 || suite.size() > 6) continue;
            if (labels.size() == 3 && seed % 4 != 0) continue;
            model::Mode mode = seed % 3 == 0   ? model::Mode::bag
                               : seed % 3 == 1 ? model::Mode::fifo
                                               : model::Mode::sync;
            Trial trial(*source->projections, suite, mode, seed % 5 != 4);
            auto answer = adherence(suite, trial.options, trial.global);
            ASSERT_NE(answer.answer, Answer::undecided) << "seed " << seed << ' ' << answer.reason;
            if (answer.wrong) {
                ASSERT_TRUE(trial.passes(answer.wrong->component)) << "seed " << seed;
                ASSERT_TRUE(trial.leaves(answer.wrong->component)) << "seed " << seed;
                ++failed;
                continue;
            }
            ++held;
            AllComponents all(suite.component(), labels);
            for (std::uint64_t i = 0; i < all.count(); ++i) {
                model::Machine component = all.at(i);
                ++tried;
                if (!trial.passes(component)) continue;
                ASSERT_FALSE(trial.leaves(component)) << "seed " << seed << " component " << i;
            }
        }
    }
    EXPECT_GT(held, 20u);
    EXPECT_GT(failed, 10u);
    EXPECT_GT(tried, 500u);
}

TEST(Adherence, EveryComponentThatPassesIsPartOfTheMostGeneralOne) {
    // Components changed at random, some with larger alphabets than can be tried one by one.
    std::size_t passed = 0, departed = 0;
    for (std::uint64_t seed = 0; seed < choreo::testing::seeds(250); ++seed) {
        auto source = testing::random_case(seed);
        if (!source->good || !source->projections) continue;
        base::SeededRandom random(seed);
        for (model::RoleId cut : source->protocol->roles()) {
            TestSuite suite(*source->projections, cut, Keep::reachable, final_states(*source->projections),
                            (seed / 6) % 2 == 0 ? Mixed::send_first : Mixed::also_wait);
            if (suite.size() > 20) continue;
            Trial trial(*source->projections, suite, seed % 2 == 0 ? model::Mode::fifo : model::Mode::bag,
                        seed % 3 != 0);
            if (!trial.passes(suite.component())) continue;  // over bags not every protocol works
            PassingComponents passing(suite, trial.options, trial.global);
            ASSERT_TRUE(passing.exists()) << "seed " << seed;
            auto answer = adherence(suite, trial.options, trial.global);
            if (answer.wrong) {
                ASSERT_TRUE(trial.passes(answer.wrong->component)) << "seed " << seed;
            }
            for (int i = 0; i < 6; ++i) {
                model::Machine component = testing::disturbed(suite.component(), random);
                if (!trial.passes(component)) continue;
                ++passed;
                if (!trial.leaves(component)) continue;
                ++departed;
                // Only a run that ends well counts; every run of a component that passes does.
                if (trial.global) {
                    ASSERT_EQ(answer.answer, Answer::fails) << "seed " << seed;
                }
            }
        }
    }
    EXPECT_GT(passed, 50u);
    EXPECT_GT(departed, 3u);
}

TEST(Adherence, TheProjectionNeverLeavesTheProtocol) {
    Example atm(testing::atm_text);
    for (const char* cut : {"A", "B", "C"}) {
        TestSuite suite = atm.suite(cut);
        EXPECT_FALSE(leaves_protocol(atm.machine(cut), suite.whole().machines, suite, {}).has_value());
    }
}

TEST(Dual, TestsOfTheCashMachineAreItsMirrorWithChoicesFixed) {
    Example atm(testing::atm_text);
    const model::Machine& a = atm.machine("A");
    DualSuite suite(a, Keep::reachable);
    ASSERT_TRUE(suite.counted());
    ASSERT_EQ(suite.size(), 5u);  // denied, or granted and: withdraw twice, balance, quit
    std::vector<TestCase> tests;
    for (const Count& i : first_cases(suite.size(), 100)) tests.push_back(suite.at(i));
    EXPECT_EQ(describe(a.alphabet(), tests[0].choices[0]), "B sends denied to A, not granted");
    Observer observer(atm.projections, atm.role("A"), {});
    auto swapped = testing::edited(a, [](testing::EditedEdge& e) {
        if (e.label == "A C!money")
            e.label = "A C!bye";
        else if (e.label == "A C!bye")
            e.label = "A C!money";
    });
    std::size_t caught = 0;
    for (const TestCase& test : tests) {
        EXPECT_EQ(comply(a, test.machines, nullptr, {}).answer, Answer::holds);
        EXPECT_EQ(comply(a, test.machines, &observer, {}).answer, Answer::holds);
        caught += comply(swapped, test.machines, nullptr, {}).answer == Answer::fails ? 1 : 0;
    }
    EXPECT_EQ(caught, 2u);  // even by the local verdict: the mirror knows what belongs together
}

TEST(Dual, OfTheDualIsTheMachine) {
    Example atm(testing::atm_text);
    EXPECT_TRUE(model::same_machine(dual_of(dual_of(atm.machine("A"))), atm.machine("A")));
}

}  // namespace
}  // namespace treaty::testgen
