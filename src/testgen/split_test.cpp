// Splitting against its definition, word by word, on random machines; and counting what is too large to
// build.

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "choreo/testing/seeds.h"
#include "testgen/testing/examples.h"

namespace treaty::testgen {
namespace {

using base::SeededRandom;
using choreo::testing::seeds;
using model::StateId;

struct Arrow {
    std::size_t from;
    model::LabelId label;
    std::size_t to;
    friend auto operator<=>(const Arrow&, const Arrow&) = default;
};
using Arrows = std::set<Arrow>;

// The definition of section 3.2, to the letter, on sets of transitions.
class BySeed {
public:
    explicit BySeed(const model::Alphabet& alphabet) : alphabet_(alphabet) {}

    std::set<std::size_t> deciding(const Arrows& m) const {
        std::set<std::size_t> found;
        for (const Arrow& a : m)
            for (const Arrow& b : m)
                if (a.from == b.from && a != b && (a.label == b.label || send(a) || send(b)))
                    found.insert(a.from);
        return found;
    }
    std::set<Arrows> split(const Arrows& m) {
        auto known = done_.find(m);
        if (known != done_.end()) return known->second;
        std::set<Arrows> all;
        auto states = deciding(m);
        if (states.empty()) all.insert(m);
        for (std::size_t q : states) all.merge(split(m, q));
        return done_[m] = all;
    }
    std::set<Arrows> split(const Arrows& m, std::size_t q) {
        std::set<Arrows> all;
        bool sends = std::any_of(m.begin(), m.end(), [&](const Arrow& a) { return a.from == q && send(a); });
        for (const Arrow& a : m) {
            if (a.from != q) continue;
            Arrows rest = m;
            if (sends && send(a)) {
                std::erase_if(rest, [&](const Arrow& b) { return b.from == q; });
                rest.insert(a);
                all.merge(split(rest));
            }
            bool twin = std::any_of(m.begin(), m.end(), [&](const Arrow& b) {
                return b.from == q && b.label == a.label && b.to != a.to;
            });
            if (!sends && twin) {
                rest.erase(a);
                all.merge(split(rest));
            }
        }
        return all;
    }

private:
    bool send(const Arrow& a) const { return alphabet_.event(a.label).kind == model::EventKind::send; }
    const model::Alphabet& alphabet_;
    std::map<Arrows, std::set<Arrows>> done_;
};

// Deterministic, a few states; without cycles if wanted.
model::Machine random_machine(std::uint64_t seed, bool acyclic, std::uint32_t states) {
    SeededRandom random(seed);
    auto alphabet = std::make_shared<model::Alphabet>();
    model::RoleId a = alphabet->role("A"), b = alphabet->role("B");
    model::MachineBuilder builder("A", alphabet, a);
    for (std::uint32_t s = 0; s < states; ++s) builder.state(acyclic && random.percent(20));
    for (std::uint32_t s = 0; s < states; ++s) {
        std::set<std::uint32_t> used;
        for (std::uint32_t i = random.below(4); i > 0; --i) {
            std::uint32_t word = random.below(6);
            if (acyclic && s + 1 == states) break;
            std::uint32_t target = acyclic ? s + 1 + random.below(states - s - 1) : random.below(states);
            if (!used.insert(word).second) continue;
            model::MessageId m = alphabet->message("m" + std::to_string(word % 3));
            builder.edge(StateId(s), word < 3 ? alphabet->send(a, b, m) : alphabet->receive(b, a, m),
                         StateId(target));
        }
    }
    return builder.finish().value();
}

Arrows arrows_of(const model::Machine& machine) {
    Arrows out;
    for (std::size_t s = 0; s < machine.state_count(); ++s)
        for (const model::Edge& e : machine.out(StateId(s))) out.insert({s, e.label, e.target.index});
    return out;
}

// What is reachable, with the original's names of states.
Arrows reachable(const Arrows& m) {
    std::set<std::size_t> seen{0};
    for (std::size_t before = 0; before != seen.size();) {
        before = seen.size();
        for (const Arrow& a : m)
            if (seen.contains(a.from)) seen.insert(a.to);
    }
    Arrows out;
    for (const Arrow& a : m)
        if (seen.contains(a.from)) out.insert(a);
    return out;
}

Arrows original_names(const SplitMachine& split) {
    Arrows out;
    for (const Arrow& a : arrows_of(split.machine))
        out.insert({split.origin[a.from].index, a.label, split.origin[a.to].index});
    return out;
}

TEST(Split, IsTheDefinitionAndTheorem312Holds) {
    for (std::uint64_t seed = 0; seed < seeds(600); ++seed) {
        model::Machine machine = random_machine(seed, false, 4);
        BySeed definition(machine.alphabet());
        Arrows all = arrows_of(machine);
        std::set<Arrows> expected = definition.split(all);
        for (std::size_t q : definition.deciding(all))
            ASSERT_EQ(definition.split(all, q), expected) << "seed " << seed;
        Splitting splitting(machine, Keep::all);
        std::set<Arrows> found;
        for (Count i = 0; i < splitting.count(); ++i)
            found.insert(original_names(apply(machine, splitting.at(i), Keep::all)));
        ASSERT_EQ(found, expected) << "seed " << seed;
        ASSERT_EQ(splitting.count(), expected.size()) << "seed " << seed;
    }
}

TEST(Split, ReachableWaysAreTheDifferentReachableParts) {
    for (std::uint64_t seed = 0; seed < seeds(1500); ++seed) {
        model::Machine machine = random_machine(seed, true, 4 + static_cast<std::uint32_t>(seed % 6));
        Splitting all(machine, Keep::all), splitting(machine, Keep::reachable);
        std::set<Arrows> expected, found;
        for (Count i = 0; i < all.count(); ++i)
            expected.insert(reachable(original_names(apply(machine, all.at(i), Keep::all))));
        ASSERT_TRUE(splitting.counted());
        for (Count i = 0; i < splitting.count(); ++i)
            found.insert(original_names(apply(machine, splitting.at(i), Keep::reachable)));
        ASSERT_EQ(found, expected) << "seed " << seed;
        ASSERT_EQ(splitting.count(), expected.size()) << "seed " << seed;
    }
}

TEST(Split, FortyBinaryChoicesAreCountedAndReached) {
    std::string text;
    for (int i = 0; i < 40; ++i)
        text += "ch B { B->A:x" + std::to_string(i) + " } { B->A:y" + std::to_string(i) + " } ;";
    testing::Example example(text);
    TestSuite suite = example.suite("A");
    EXPECT_EQ(suite.size(), Count(1) << 40);
    EXPECT_EQ(example.suite("A", Keep::all).size(), Count(1) << 40);
    TestCase last = suite.at(suite.size() - 1);
    EXPECT_EQ(last.choices.size(), 40u);
    EXPECT_EQ(check_test_case(last.machines, suite.cut()), "");
    auto sample = sample_cases(suite.size(), 100, 7);
    EXPECT_EQ(std::set<Count>(sample.begin(), sample.end()).size(), 100u);
    EXPECT_LT(sample.back(), suite.size());
}

TEST(Split, ASampleOfMoreThanThereAreIsAllOfThem) {
    EXPECT_EQ(sample_cases(5, 9, 1).size(), 5u);
    auto four = sample_cases(5, 4, 1);
    EXPECT_EQ(std::set<Count>(four.begin(), four.end()).size(), 4u);
}

}  // namespace
}  // namespace treaty::testgen
