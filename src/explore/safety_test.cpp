#include "explore/safety.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "explore/testing/families.h"
#include "explore/testing/random_system.h"
#include "explore/testing/reference.h"
#include "explore/waiting.h"

namespace treaty::explore {
namespace {

using base::Answer;
using model::Channels;
using model::Mode;

std::size_t moves_in(const model::System& system, const Run& run) {
    if (system.channels().mode != Mode::sync) return run.size();
    std::size_t moves = 0;
    for (const Step& s : run) moves += system.alphabet().event(s.label).kind != model::EventKind::receive;
    return moves;
}

std::string describe(const model::System& system) {
    std::string text = system.name() + " " + std::string(to_string(system.channels().mode)) + "\n";
    for (const model::Machine& m : system.machines())
        for (std::size_t s = 0; s < m.state_count(); ++s) {
            text += m.name() + " " + std::to_string(s) + (m.final(model::StateId(s)) ? " final" : "") + ":";
            for (const model::Edge& e : m.out(model::StateId(s)))
                text +=
                    " " + system.alphabet().print(e.label) + " -> " + std::to_string(e.target.index) + ";";
            text += "\n";
        }
    return text;
}

// Checks a report against the reference: verdict of every kind, length of every run, and every run by replay.
void expect_agreement(const model::System& system, const ExploreOptions& options,
                      const ReferenceReport& expected) {
    SCOPED_TRACE(describe(system));
    SCOPED_TRACE(::testing::Message()
                 << "reduce " << options.reduce << " jobs " << options.jobs << " compress "
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
        if (u.kind == UnsafeKind::orphan_message && system.channels().mode != Mode::sync) {
            auto channel = std::ranges::find(semantics.channels(), u.channel) - semantics.channels().begin();
            const auto& held = u.end.contents[static_cast<std::size_t>(channel)];
            EXPECT_NE(std::ranges::find(held, u.parcel), held.end());
        }
    }
    for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(found[k], expected.shortest[k].has_value()) << to_string(static_cast<UnsafeKind>(k));
    EXPECT_EQ(report.answer, report.unsafe.empty() ? Answer::holds : Answer::fails);
}

// Whatever else is wrong with the system: what the report shows is so, by the definitions alone. For faults
// that show in one configuration.
void expect_real(const model::System& system, const Unsafe& u) {
    Semantics semantics(system);
    auto end = semantics.replay(u.run);
    ASSERT_TRUE(end) << print(system.alphabet(), u.run);
    EXPECT_EQ(*end, u.end);
    auto steps = semantics.steps(*end);
    auto group_steps = [&](std::uint32_t group) {
        return std::ranges::any_of(steps,
                                   [&](const Run& s) { return semantics.groups()[s[0].machine] == group; });
    };
    auto machine = system.machine_of(u.role);
    if (u.kind == UnsafeKind::deadlock) {
        ASSERT_TRUE(machine);
        EXPECT_FALSE(group_steps(semantics.groups()[*machine]));
        EXPECT_FALSE(semantics.rests(*machine, end->states[*machine]));
    }
    if (u.kind == UnsafeKind::unspecified_reception) {
        ASSERT_TRUE(machine);
        EXPECT_TRUE(std::ranges::none_of(steps, [&](const Run& s) { return s[0].machine == *machine; }));
        std::string text =
            waiting_text(system.machines()[*machine], end->states[*machine], system.channels());
        EXPECT_EQ(text.find("send"), std::string::npos) << text;
    }
    if (u.kind == UnsafeKind::orphan_message) {
        auto found = std::ranges::find(semantics.channels(), u.channel);
        ASSERT_NE(found, semantics.channels().end());
        auto channel = static_cast<std::size_t>(found - semantics.channels().begin());
        EXPECT_NE(std::ranges::find(end->contents[channel], u.parcel), end->contents[channel].end());
    }
}

// The end of the run can be repeated, and the channel grows each time.
void expect_pump(const model::System& system, const Unsafe& u) {
    Semantics semantics(system);
    auto found = std::ranges::find(semantics.channels(), u.channel);
    ASSERT_NE(found, semantics.channels().end());
    auto channel = static_cast<std::size_t>(found - semantics.channels().begin());
    Run run = u.run;
    std::size_t length = u.end.contents[channel].size();
    for (int times = 0; times < 4; ++times) {
        run.insert(run.end(), u.run.begin() + static_cast<long>(u.repeat), u.run.end());
        auto end = semantics.replay(run);
        ASSERT_TRUE(end) << print(system.alphabet(), run);
        EXPECT_GT(end->contents[channel].size(), length);
        length = end->contents[channel].size();
    }
}

class AgainstReference : public ::testing::TestWithParam<Mode> {};

TEST_P(AgainstReference, bounded) {
    int compared = 0;
    std::array<int, 5> shown{};  // the four kinds, and safe systems
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        RandomShape shape;
        shape.machines = 2 + static_cast<std::uint32_t>(seed % 4);
        shape.states = 2 + static_cast<std::uint32_t>(seed / 4 % 3);
        shape.edges = 2 + static_cast<std::uint32_t>(seed / 12 % 4);
        shape.messages = 1 + static_cast<std::uint32_t>(seed / 48 % 3);
        Channels channels{GetParam(), 1 + static_cast<std::uint32_t>(seed % 3)};
        model::System system = random_system(seed, shape, channels);
        bool finals_rest = seed % 5 != 0;
        ReferenceReport expected = reference_explore(system, finals_rest, 120);
        if (!expected.finite) continue;
        ++compared;
        bool safe = true;
        for (std::size_t k = 0; k < 4; ++k) {
            shown[k] += expected.shortest[k].has_value();
            safe = safe && !expected.shortest[k];
        }
        shown[4] += safe;
        for (bool reduce : {false, true}) {
            ExploreOptions options;
            options.reduce = reduce;
            options.finals_rest = finals_rest;
            options.jobs = 1 + static_cast<unsigned>(seed % 7 == 0);
            options.compress = seed % 6 == 1;
            expect_agreement(system, options, expected);
            if (HasFailure()) return;
        }
    }
    // The comparison means something only if every kind of fault occurs, and safe systems too.
    EXPECT_GT(compared, 500);
    bool queues = GetParam() == Mode::fifo || GetParam() == Mode::mailbox;
    EXPECT_GT(shown[0], 20);
    EXPECT_GT(shown[1], GetParam() == Mode::sync ? -1 : 20);
    EXPECT_GT(shown[2], queues ? 20 : -1);
    EXPECT_GT(shown[3], 20);
    EXPECT_GT(shown[4], 20);
}

// Groups that go on for ever, each independently of the others, so that each can be ahead of another without
// bound.
TEST_P(AgainstReference, endless_groups) {
    int compared = 0, safe = 0, unsafe = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        RandomShape shape;
        shape.groups = 2 + static_cast<std::uint32_t>(seed % 5 == 0);
        shape.machines = 2 * shape.groups;
        shape.states = 2;
        shape.edges = static_cast<std::uint32_t>(seed / 3 % 3);
        shape.messages = 1 + static_cast<std::uint32_t>(seed / 9 % 2);
        shape.odd = seed % 4 == 0;
        shape.endless = true;
        Channels channels{GetParam(), 1 + static_cast<std::uint32_t>(seed % 2)};
        if (seed % 3 == 2 && GetParam() != Mode::sync) channels.bound = std::nullopt;
        model::System system = random_system(seed, shape, channels);
        ReferenceReport expected = reference_explore(system, true, 300);
        if (!expected.finite) continue;
        ++compared;
        bool faultless = std::ranges::none_of(expected.shortest, [](const auto& s) { return s.has_value(); });
        ++(faultless ? safe : unsafe);
        for (bool reduce : {false, true})
            for (unsigned jobs : {1u, 2u}) {
                ExploreOptions options;
                options.reduce = reduce;
                options.jobs = jobs;
                options.compress = seed % 6 == 1;
                expect_agreement(system, options, expected);
                if (HasFailure()) return;
            }
    }
    EXPECT_GT(compared, 200);
    EXPECT_GT(safe, 50);
    EXPECT_GT(unsafe, 50);
}

// Without a bound: what is finite is judged exactly, and what is unbounded is never called safe.
TEST_P(AgainstReference, unbounded) {
    if (GetParam() == Mode::sync) GTEST_SKIP() << "sync systems have no channels";
    int finite = 0, unbounded = 0, others = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        RandomShape shape;
        shape.machines = 2 + static_cast<std::uint32_t>(seed % 3);
        shape.states = 2 + static_cast<std::uint32_t>(seed / 3 % 4);
        shape.edges = 2 + static_cast<std::uint32_t>(seed / 12 % 3);
        model::System system = random_system(seed, shape, {GetParam(), std::nullopt});
        ReferenceReport expected = reference_explore(system, true, 120);
        ExploreOptions options;
        options.reduce = seed % 2 == 0;
        options.jobs = 1 + static_cast<unsigned>(seed % 5 == 0);
        options.limits.states = 3000;
        if (expected.finite) {
            ++finite;
            expect_agreement(system, options, expected);
        } else {
            SCOPED_TRACE(describe(system));
            ExploreReport report = explore(system, options);
            bool grows = !report.unsafe.empty() && report.unsafe.back().kind == UnsafeKind::unbounded_channel;
            unbounded += grows;
            if (expected.covered) {
                EXPECT_TRUE(grows);
            }
            if (grows) expect_pump(system, report.unsafe.back());
            for (const Unsafe& u : report.unsafe) expect_real(system, u);
            others += grows && report.unsafe.size() > 1;
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(finite, 80);
    EXPECT_GT(unbounded, 200);
    EXPECT_GT(others, GetParam() == Mode::bag ? -1 : 10);
}

INSTANTIATE_TEST_SUITE_P(Modes, AgainstReference,
                         ::testing::Values(Mode::sync, Mode::fifo, Mode::bag, Mode::mailbox),
                         [](const auto& p) { return std::string(to_string(p.param)); });

// "A: 0 B!m 1, 1 B?n 0; B: ..." with final states marked as in "1f".
model::System parse(std::string_view text, Channels channels) {
    auto alphabet = std::make_shared<model::Alphabet>();
    std::istringstream in{std::string(text)};
    std::vector<model::Machine> machines;
    for (std::string part; std::getline(in, part, ';');) {
        std::size_t colon = part.find(':');
        std::string name = part.substr(part.find_first_not_of(' '), colon - part.find_first_not_of(' '));
        model::RoleId me = alphabet->role(name);
        model::MachineBuilder builder(name, alphabet, me);
        auto state = [&](const std::string& word) {
            std::size_t number = std::stoul(word);
            while (builder.state_count() <= number) builder.state();
            if (word.back() == 'f') builder.set_final(model::StateId(number));
            return model::StateId(number);
        };
        std::istringstream edges(part.substr(colon + 1));
        std::string from, act, to;
        for (edges >> from; edges; edges >> from) {
            model::StateId s = state(from);
            if (!(edges >> act >> to)) break;
            model::LabelId label = alphabet->silent();
            std::size_t mark = act.find_first_of("!?");
            if (mark != std::string::npos) {
                model::RoleId peer = alphabet->role(act.substr(0, mark));
                model::MessageId m = alphabet->message(act.substr(mark + 1));
                label = act[mark] == '!' ? alphabet->send(me, peer, m) : alphabet->receive(peer, me, m);
            }
            builder.edge(s, label, state(to));
        }
        machines.push_back(*builder.finish());
    }
    return *model::make_system("parsed", std::move(machines), channels);
}

// The faults of a system, each as "kind: run".
std::vector<std::string> faults(const model::System& system, ExploreOptions options = {}) {
    std::vector<std::string> result;
    for (const Unsafe& u : explore(system, options).unsafe)
        result.push_back(std::string(to_string(u.kind)) + ": " + print(system.alphabet(), u.run));
    return result;
}

using Faults = std::vector<std::string>;

TEST(Safety, request_and_reply_is_safe) {
    for (Mode mode : {Mode::sync, Mode::fifo, Mode::bag, Mode::mailbox})
        for (std::optional<std::uint32_t> bound : {std::optional(1u), std::optional<std::uint32_t>()}) {
            auto system = parse("C: 0 S!req 1 1 S?ok 2; S: 0 C?req 1 1 C!ok 2", {mode, bound});
            EXPECT_EQ(faults(system), Faults{});
        }
}

TEST(Safety, both_waiting_is_a_deadlock) {
    auto system = parse("A: 0 B?x 1; B: 0 A?y 1", {Mode::fifo, 1});
    EXPECT_EQ(faults(system), Faults{"deadlock: "});
}

TEST(Safety, both_sending_first_deadlocks_only_in_sync) {
    std::string_view text = "A: 0 B!x 1 1 B?y 2; B: 0 A!y 1 1 A?x 2";
    EXPECT_EQ(faults(parse(text, {Mode::fifo, std::nullopt})), Faults{});
    EXPECT_EQ(faults(parse(text, {Mode::sync, std::nullopt})), Faults{"deadlock: "});
}

// A choice between "x then z" and "z": over a bag the receiver may take z first, and x remains.
TEST(Safety, a_bag_lets_messages_overtake) {
    std::string_view text = "C: 0 B!x 1 1 B!z 2 0 B!z 2; B: 0 C?x 1 1 C?z 2 0 C?z 2";
    EXPECT_EQ(faults(parse(text, {Mode::fifo, std::nullopt})), Faults{});
    EXPECT_EQ(faults(parse(text, {Mode::bag, std::nullopt})), Faults{"orphan message: C B!x, C B!z, C B?z"});
}

TEST(Safety, a_message_that_nobody_takes_is_unspecified) {
    auto system = parse("A: 0 B!x 1; B: 0 A?y 1", {Mode::fifo, 2});
    EXPECT_EQ(faults(system), (Faults{"deadlock: A B!x", "unspecified reception: A B!x"}));
    auto report = explore(system);
    EXPECT_EQ(system.alphabet().name(report.unsafe[1].role), "B");
}

TEST(Safety, a_role_left_waiting_while_others_go_on_is_stuck) {
    // C waits for B, which talks to A for ever once A has begun.
    auto system =
        parse("A: 0 B!go 1 1 B!tick 1; B: 0 A?go 1 1 A?tick 1 0 C!bye 2; C: 0 B?bye 1", {Mode::fifo, 1});
    // When B says bye instead, A is left with a full channel: a deadlock, and no orphan, since A does not
    // rest.
    EXPECT_EQ(faults(system), (Faults{"deadlock: A B!go, B C!bye, B C?bye", "stuck role: A B!go, A B?go"}));
}

TEST(Safety, a_final_state_may_be_left_or_not) {
    auto system = parse("A: 0 B!x 1; B: 0 A?x 1f 1f A?x 1f", {Mode::fifo, 1});
    EXPECT_EQ(faults(system), Faults{});
    ExploreOptions options;
    options.finals_rest = false;
    EXPECT_EQ(faults(system, options), Faults{"deadlock: A B!x, A B?x"});
}

TEST(Safety, groups_are_judged_apart) {
    // A and B go on for ever; C and D are stuck at once.
    auto system = parse("A: 0 B!x 0; B: 0 A?x 0; C: 0 D?y 1; D: 0 C?y 1", {Mode::fifo, 1});
    for (bool reduce : {false, true}) {
        ExploreOptions options;
        options.reduce = reduce;
        EXPECT_EQ(faults(system, options), Faults{"deadlock: "});
    }
}

TEST(Safety, an_unbounded_channel_is_found_with_its_loop) {
    auto system = parse("A: 0 B!x 1 1 B!y 0; B: 0 A?x 1 1 A?y 0", {Mode::fifo, std::nullopt});
    auto report = explore(system);
    ASSERT_EQ(report.unsafe.size(), 1u);
    EXPECT_EQ(report.unsafe[0].kind, UnsafeKind::unbounded_channel);
    EXPECT_EQ(print(system.alphabet(), report.unsafe[0].run), "A B!x, A B!y");
    EXPECT_EQ(report.unsafe[0].repeat, 0u);
    EXPECT_FALSE(report.complete);
}

// Channels that need more room than is first guessed, but not for ever.
TEST(Safety, guesses_are_raised_until_they_are_enough) {
    std::string a, b;
    for (int i = 0; i < 40; ++i) {
        a += fmt::format(" {} B!m{} {}", i, i % 3, i + 1);
        b += fmt::format(" {} A?m{} {}", i, i % 3, i + 1);
    }
    for (Mode mode : {Mode::fifo, Mode::mailbox})
        for (std::optional<std::uint32_t> bound :
             {std::optional<std::uint32_t>(), std::optional(30u), std::optional(1000000u)}) {
            auto system = parse("A:" + a + "; B:" + b, {mode, bound});
            ExploreOptions options;
            options.reduce = false;
            auto report = explore(system, options);
            EXPECT_EQ(report.answer, Answer::holds) << report.reason;
            // Pairs of positions, the reader after the writer by at most the bound.
            std::uint64_t far = bound.value_or(40) < 40 ? 10 * 11 / 2 : 0;
            EXPECT_EQ(report.states, 41u * 42u / 2u - far);
        }
}

// A sender waits only where its channel makes it wait.
TEST(Safety, says_who_waits_for_what) {
    std::string_view text = "A: 0 B!x 1 0 B?y 1 1 B?z 2; B: 0 A?x 1 0 A!y 1";
    auto waits = [&](Channels channels, std::size_t state) {
        auto system = parse(text, channels);
        return waiting_text(system.machines()[0], model::StateId(state), channels);
    };
    EXPECT_EQ(waits({Mode::sync, std::nullopt}, 0), "waits for y from B, or to send x to B");
    EXPECT_EQ(waits({Mode::fifo, 1}, 0), "waits for y from B, or for room to send x to B");
    EXPECT_EQ(waits({Mode::mailbox, 2}, 0), "waits for y from B, or for room to send x to B");
    EXPECT_EQ(waits({Mode::fifo, std::nullopt}, 0), "waits for y from B");
    EXPECT_EQ(waits({Mode::bag, std::nullopt}, 1), "waits for z from B");
    EXPECT_EQ(waits({Mode::fifo, std::nullopt}, 2), "waits for ever");
    auto sender = parse("A: 0 B!x 0; B: 0 A?x 0", {Mode::sync, std::nullopt});
    EXPECT_EQ(waiting_text(sender.machines()[0], model::StateId(0u), sender.channels()),
              "waits to send x to B");
}

// A can always send: only the guessed capacity of the search is used up, which is not a deadlock.
TEST(Safety, a_full_guess_is_no_end) {
    for (Mode mode : {Mode::fifo, Mode::mailbox, Mode::bag}) {
        auto system = parse("A: 0 B!a 0; B: 0 A?b 1", {mode, std::nullopt});
        Faults expected{"unbounded channel: A B!a"};
        if (mode != Mode::bag) expected.insert(expected.begin(), "unspecified reception: A B!a");
        EXPECT_EQ(faults(system), expected) << to_string(mode);
        ExploreOptions options;
        options.limits.states = 3;
        for (const Unsafe& u : explore(system, options).unsafe) EXPECT_NE(u.kind, UnsafeKind::deadlock);
    }
}

TEST(Safety, limits_end_as_undecided) {
    auto system = *named_family("ring10");
    ExploreOptions options;
    options.reduce = false;
    options.limits.states = 1000;
    auto report = explore(system, options);
    EXPECT_EQ(report.answer, Answer::undecided);
    EXPECT_EQ(report.stopped, base::StopReason::states);
    EXPECT_GE(report.states, 1000u);
    EXPECT_FALSE(report.complete);
    options.limits = {};
    options.limits.memory = 500000;
    report = explore(system, options);
    EXPECT_EQ(report.stopped, base::StopReason::memory);
    EXPECT_LE(report.bytes, 500000u);
    options.limits = {};
    base::StopSource user;
    user.request();
    options.limits.time = base::Deadline().with(user.token());
    report = explore(system, options);
    EXPECT_EQ(report.answer, Answer::undecided);
    EXPECT_EQ(report.stopped, base::StopReason::interrupted);
}

TEST(Safety, says_how_far_it_is) {
    auto system = *named_family("pairs8");
    ExploreOptions options;
    options.reduce = options.endless = false;
    std::uint64_t last = 0;
    options.progress = [&](const Progress& p) {
        EXPECT_GE(p.states, last);
        EXPECT_GE(p.states, p.frontier);
        last = p.states;
    };
    EXPECT_EQ(explore(system, options).states, 390625u);
}

}  // namespace
}  // namespace treaty::explore
