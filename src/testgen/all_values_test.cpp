// For all values, compared with trying every one of them.

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "choreo/determinise.h"
#include "choreo/minimise.h"
#include "testgen/all_values.h"
#include "testgen/comply.h"
#include "testgen/mutation.h"
#include "testgen/test_suite.h"
#include "testgen/testing_data.h"
#include "testgen/valued.h"

namespace treaty::testgen {
namespace {

// One protocol with all its machines, with data and with all values.
class Tried {
public:
    Tried(std::uint64_t seed, std::uint32_t cut, model::Channels channels, bool observe_final)
        : protocol_(testing::RandomValues(spec_, seed).make()), cut_(cut) {
        if (protocol_) projections_ = make_projections(spec_, *protocol_, 1).projections;
        if (projections_) valued_.emplace(*projections_);
        if (usable()) all_.emplace(spec_, valued_->machines(), cut);
        options_.channels = channels;
        options_.observe_final = observe_final;
        compliance_.channels = channels;
        compliance_.observe_final = observe_final;
    }

    bool usable() const { return valued_ && valued_->usable(); }
    model::RoleId role() const { return projections_->protocol->roles()[cut_]; }
    std::vector<Mutant> mutants() {
        auto mutants = mutate_machine(*projections_, role());
        for (Mutant& mutant : mutate_protocol(*projections_, role())) mutants.push_back(std::move(mutant));
        return mutants;
    }
    const model::Machine& projection() const { return valued_->machine(role()); }
    std::vector<MutantVerdict> verdicts(const std::vector<Mutant>& mutants) {
        TestSuite suite(*projections_, role(), Keep::reachable, final_states(*projections_));
        std::vector<TestCase> tests;
        for (const Count& i : first_cases(suite.size(), 100)) tests.push_back(suite.at(i));
        MutationOptions options{compliance_, true, 1, suite.size() == Count(tests.size())};
        return judge_mutants(*projections_, role(), mutants, tests, suite.whole(), options);
    }

    AllValuesAnswer for_all(const model::Machine& component, bool every_order) {
        AllValuesOptions options = options_;
        options.every_order = every_order;
        return all_->judge(component, options);
    }

    // With all values there are; undecided if there are too many.
    base::Answer by_trying(const model::Machine& component) {
        ChosenValues values(spec_);
        for (std::int64_t i : {0, 1, 2}) values.add(spec_.types->integer(), i);
        return with(valued_->with(component, values));
    }

    base::Answer with_these(const model::Machine& component, const std::vector<FieldValue>& values) {
        return with(valued_->narrow(component, values));
    }

private:
    base::Answer with(const base::Result<std::shared_ptr<DataSetting>>& made) {
        if (!made) return base::Answer::undecided;
        const DataSetting* setting = made->get();
        const Projections& concrete = setting->projections;
        TestSuite suite(concrete, role(), Keep::reachable, final_states(concrete));
        Observer observer(concrete, role(), compliance_.channels);
        return comply(*setting->component, suite.whole().machines, &observer, compliance_).answer;
    }

    model::Specification spec_;
    std::optional<model::Protocol> protocol_;
    std::uint32_t cut_;
    std::optional<Projections> projections_;
    std::optional<ValuedProtocol> valued_;
    std::optional<AllValues> all_;
    AllValuesOptions options_;
    ComplianceOptions compliance_;
};

model::Channels random_channels(std::mt19937_64& random) {
    static constexpr model::Mode modes[] = {model::Mode::fifo, model::Mode::fifo, model::Mode::bag,
                                            model::Mode::mailbox, model::Mode::sync};
    model::Channels channels{modes[random() % 5], {}};
    if (channels.mode != model::Mode::sync && random() % 4 == 0) channels.bound = 1;
    return channels;
}

// Where it is proved that a component passes, it passes with every value; and the proof is found for most.
TEST(AllValues, AgreesWithTryingEveryValue) {
    std::mt19937_64 random(20261116);
    std::size_t proved = 0, passing = 0, failing = 0, shown = 0;
    std::size_t works = 0;
    for (int round = 0; round < 24; ++round) {
        std::uint64_t seed = random();
        model::Channels channels = random_channels(random);
        Tried tried(seed, random() % 3, channels, random() % 4 == 0);
        if (!tried.usable()) continue;
        bool fine = tried.for_all(tried.projection(), false).answer == ForAllValues::passes;
        works += fine ? 1 : 0;
        std::vector<model::Machine> components{tried.projection()};
        for (const Mutant& mutant : tried.mutants())
            if (mutant.with_data && random() % 4 == 0) components.push_back(*mutant.with_data);
        for (std::size_t i = 0; i < components.size(); ++i) {
            base::Answer truth = tried.by_trying(components[i]);
            if (truth == base::Answer::undecided) continue;
            AllValuesAnswer answer = tried.for_all(components[i], false);
            std::string where = "seed " + std::to_string(seed) + " component " + std::to_string(i) +
                                " mode " + std::to_string(static_cast<int>(channels.mode));
            ASSERT_EQ(answer.answer, tried.for_all(components[i], true).answer) << where;
            if (fine) (truth == base::Answer::holds ? passing : failing) += 1;
            if (answer.answer == ForAllValues::passes) {
                ASSERT_EQ(truth, base::Answer::holds) << where;
                if (fine) ++proved;
                continue;
            }
            if (!fine || truth != base::Answer::fails) continue;
            bool found = false;
            for (const auto& values : answer.suspects)
                found = found || tried.with_these(components[i], values) == base::Answer::fails;
            shown += found ? 1 : 0;
        }
    }
    std::string found =
        fmt::format("{} protocols, proved {} of {}, shown {} of {}", works, proved, passing, shown, failing);
    EXPECT_GT(works, 8u) << found;
    EXPECT_GT(passing, 40u) << found;
    EXPECT_GT(failing, 40u) << found;
    EXPECT_GT(proved * 10, passing * 8) << found;
    EXPECT_GT(shown * 10, failing * 9) << found;
}

// A mutant that is killed with values fails with some, one that is right passes with all.
TEST(AllValues, VerdictsAreNeverWrong) {
    std::mt19937_64 random(1116);
    std::size_t killed = 0, right = 0, open = 0;
    for (int round = 0; round < 30; ++round) {
        std::uint64_t seed = random();
        Tried tried(seed, random() % 3, random_channels(random), random() % 4 == 0);
        if (!tried.usable() || tried.by_trying(tried.projection()) != base::Answer::holds) continue;
        auto mutants = tried.mutants();
        std::erase_if(mutants, [&](const Mutant& mutant) { return !mutant.with_data || random() % 2 != 0; });
        auto verdicts = tried.verdicts(mutants);
        for (std::size_t i = 0; i < mutants.size(); ++i) {
            base::Answer truth = tried.by_trying(*mutants[i].with_data);
            if (truth == base::Answer::undecided) continue;
            std::string where = fmt::format("seed {}: {}: {}: {}", seed, mutants[i].what,
                                            to_string(verdicts[i].fate), verdicts[i].explanation);
            if (verdicts[i].fate == Fate::killed && verdicts[i].setting) {
                EXPECT_EQ(truth, base::Answer::fails) << where;
                ++killed;
            }
            if (verdicts[i].fate == Fate::equivalent || verdicts[i].fate == Fate::unobservable) {
                EXPECT_EQ(truth, base::Answer::holds) << where;
                ++right;
            }
            open += verdicts[i].fate == Fate::undecided ? 1 : 0;
        }
    }
    std::string found = fmt::format("killed with values {}, right {}, undecided {}", killed, right, open);
    EXPECT_GT(killed, 10u) << found;
    EXPECT_GT(right, 10u) << found;
    EXPECT_LT(open, right) << found;
}

// What is changed on the machine is the same change without its data.
TEST(LiftedMutants, AreTheMutantsWithoutData) {
    std::mt19937_64 random(7);
    std::size_t compared = 0;
    for (int round = 0; round < 12; ++round) {
        std::uint64_t seed = random();
        Tried tried(seed, random() % 3, {}, false);
        if (!tried.usable()) continue;
        for (const Mutant& mutant : tried.mutants()) {
            if (!on_machine(mutant.op)) continue;
            ASSERT_TRUE(mutant.with_data) << "seed " << seed << ": " << mutant.what;
            auto plain = without_data(*mutant.with_data);
            ASSERT_TRUE(plain);
            auto same = choreo::determinise(mutant.machine);
            ASSERT_TRUE(same);
            EXPECT_TRUE(model::same_machine(*plain, choreo::minimise(*same)))
                << "seed " << seed << ": " << mutant.what;
            ++compared;
        }
    }
    EXPECT_GT(compared, 100u);
}

}  // namespace
}  // namespace treaty::testgen
