#include "explore/safety.h"

#include <gtest/gtest.h>

#include "explore/random_system.h"
#include "explore/reference.h"

namespace treaty::explore {
namespace {

using base::Answer;
using model::Channels;
using model::Mode;

std::size_t moves_in(const model::System& system, const Run& run) {
    if (system.channels().mode != Mode::sync) return run.size();
    std::size_t moves = 0;
    for (const Step& s : run)
        moves += system.alphabet().event(s.label).kind != model::EventKind::receive;
    return moves;
}

std::string describe(const model::System& system) {
    std::string text = system.name() + " " + std::string(to_string(system.channels().mode)) + "\n";
    for (const model::Machine& m : system.machines())
        for (std::size_t s = 0; s < m.state_count(); ++s) {
            text += m.name() + " " + std::to_string(s) + (m.final(model::StateId(s)) ? " final" : "") + ":";
            for (const model::Edge& e : m.out(model::StateId(s)))
                text += " " + system.alphabet().print(e.label) + " -> " + std::to_string(e.target.index) + ";";
            text += "\n";
        }
    return text;
}

// Checks a report against the reference: verdict of every kind, length of every run, and every run by replay.
void expect_agreement(const model::System& system, const ExploreOptions& options, const ReferenceReport& expected) {
    SCOPED_TRACE(describe(system));
    SCOPED_TRACE(::testing::Message() << "reduce " << options.reduce << " jobs " << options.jobs << " compress "
                                      << options.compress << " finals_rest " << options.finals_rest);
    ExploreReport report = explore(system, options);
    ASSERT_TRUE(report.complete) << report.reason;
    if (!options.reduce) {
        EXPECT_EQ(report.states, expected.states);
        EXPECT_EQ(report.transitions, expected.transitions);
    }
    std::array<bool, 4> found{};
    Semantics semantics(system, options.finals_rest);
    for (const Unsafe& u : report.unsafe) {
        auto kind = static_cast<std::size_t>(u.kind);
        ASSERT_LT(kind, 4u);
        found[kind] = true;
        ASSERT_TRUE(expected.shortest[kind]) << to_string(u.kind) << ": " << print(system.alphabet(), u.run);
        EXPECT_EQ(moves_in(system, u.run), *expected.shortest[kind]) << to_string(u.kind);
        EXPECT_TRUE(u.shortest);
        EXPECT_TRUE(u.role);
        auto end = semantics.replay(u.run);
        ASSERT_TRUE(end) << print(system.alphabet(), u.run);
        EXPECT_EQ(*end, u.end);
    }
    for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(found[k], expected.shortest[k].has_value()) << to_string(static_cast<UnsafeKind>(k));
    EXPECT_EQ(report.answer, report.unsafe.empty() ? Answer::holds : Answer::fails);
}

class AgainstReference : public ::testing::TestWithParam<Mode> {};

TEST_P(AgainstReference, bounded) {
    int compared = 0;
    std::array<int, 4> shown{};
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        RandomShape shape;
        shape.machines = 2 + static_cast<std::uint32_t>(seed % 4);
        shape.states = 2 + static_cast<std::uint32_t>(seed / 4 % 3);
        shape.edges = 2 + static_cast<std::uint32_t>(seed / 12 % 4);
        shape.messages = 1 + static_cast<std::uint32_t>(seed / 48 % 3);
        Channels channels{GetParam(), 1 + static_cast<std::uint32_t>(seed % 3)};
        model::System system = random_system(seed, shape, channels);
        bool finals_rest = seed % 5 != 0;
        ReferenceReport expected = reference_explore(system, finals_rest, 400);
        if (!expected.finite) continue;
        ++compared;
        for (std::size_t k = 0; k < 4; ++k) shown[k] += expected.shortest[k].has_value();
        for (bool reduce : {false, true}) {
            ExploreOptions options;
            options.reduce = reduce;
            options.finals_rest = finals_rest;
            expect_agreement(system, options, expected);
            if (HasFailure()) return;
        }
    }
    // The comparison means something only if every kind of fault occurs, and safe systems too.
    std::cout << compared << " " << shown[0] << " " << shown[1] << " " << shown[2] << " " << shown[3] << "\n";
    EXPECT_GT(compared, 500);
    EXPECT_GT(shown[0], 20);
    EXPECT_GT(shown[3], 20);
}

INSTANTIATE_TEST_SUITE_P(Modes, AgainstReference, ::testing::Values(Mode::sync, Mode::fifo, Mode::bag, Mode::mailbox),
                         [](const auto& p) { return std::string(to_string(p.param)); });

}  // namespace
}  // namespace treaty::explore
