// The plain stepping, mode by mode on systems that can be followed by hand, and of machines that act for
// several roles. system_space_test.cpp compares it with the packed engine.
#include "explore/configuration.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "explore/testing/random_system.h"

namespace treaty::explore {
namespace {

using model::Channels;
using model::EventKind;
using model::Machine;
using model::Mode;
using model::StateId;

// Machines that do one thing after the other: "A B!x A B!y" and so on, one text per machine.
class Script {
public:
    Script() : alphabet_(std::make_shared<model::Alphabet>()) {}

    void machine(const std::string& role, const std::vector<std::string>& labels) {
        model::MachineBuilder builder(role, alphabet_, alphabet_->role(role));
        StateId at = builder.state(labels.empty());
        for (const std::string& text : labels) {
            StateId next = builder.state(&text == &labels.back());
            builder.edge(at, label(text), next);
            at = next;
        }
        machines_.push_back(builder.finish().value());
    }
    model::System system(Channels channels) const { return make_system("S", machines_, channels).value(); }

private:
    model::LabelId label(const std::string& text) {  // "A B!x"
        auto role = [&](std::size_t i) { return alphabet_->role(text.substr(i, 1)); };
        auto message = alphabet_->message(text.substr(4));
        return text[3] == '!' ? alphabet_->send(role(0), role(2), message)
                              : alphabet_->receive(role(0), role(2), message);
    }

    std::shared_ptr<model::Alphabet> alphabet_;
    std::vector<Machine> machines_;
};

// The labels of what can happen, after taking those of the way (by their text, each the first that fits).
std::vector<std::string> next(const model::System& system, const std::vector<std::string>& way) {
    Semantics semantics(system);
    Configuration c = semantics.initial();
    std::vector<Stepping::Move> moves;
    auto texts = [&] {
        std::vector<std::string> all;
        semantics.moves(c, moves);
        all.reserve(moves.size());
        for (const auto& move : moves) all.push_back(system.alphabet().print(semantics.label(c, move)));
        return all;
    };
    for (const std::string& wanted : way) {
        auto here = texts();
        auto found = std::ranges::find(here, wanted);
        if (found == here.end()) return {"no " + wanted};
        c = semantics.after(c, moves[static_cast<std::size_t>(found - here.begin())]);
    }
    return texts();
}

using Labels = std::vector<std::string>;

TEST(Stepping, messages_of_a_queue_keep_their_order_and_those_of_a_bag_do_not) {
    Script script;
    script.machine("A", {"A B!x", "A B!y"});
    script.machine("B", {"A B?y"});
    Labels sent{"A B!x", "A B!y"};
    EXPECT_EQ(next(script.system({Mode::fifo, {}}), sent), Labels{});
    EXPECT_EQ(next(script.system({Mode::mailbox, {}}), sent), Labels{});
    EXPECT_EQ(next(script.system({Mode::bag, {}}), sent), Labels{"A B?y"});
}

TEST(Stepping, senders_share_a_mailbox_and_nothing_else) {
    Script script;
    script.machine("A", {"A C!x"});
    script.machine("B", {"B C!y"});
    script.machine("C", {"B C?y", "A C?x"});
    Labels sent{"A C!x", "B C!y"};
    EXPECT_EQ(next(script.system({Mode::fifo, {}}), sent), Labels{"B C?y"});
    EXPECT_EQ(next(script.system({Mode::bag, {}}), sent), Labels{"B C?y"});
    EXPECT_EQ(next(script.system({Mode::mailbox, {}}), sent), Labels{});
    EXPECT_EQ(next(script.system({Mode::mailbox, {}}), {"B C!y", "A C!x"}), Labels{"B C?y"});
}

TEST(Stepping, a_full_channel_takes_nothing) {
    Script script;
    script.machine("A", {"A C!x", "A C!x"});
    script.machine("B", {"B C!y"});
    script.machine("C", {"A C?x"});
    for (Mode mode : {Mode::fifo, Mode::bag})
        EXPECT_EQ(next(script.system({mode, 1}), {"A C!x"}), (Labels{"B C!y", "A C?x"}));
    EXPECT_EQ(next(script.system({Mode::mailbox, 1}), {"A C!x"}), Labels{"A C?x"});
    EXPECT_EQ(next(script.system({Mode::fifo, 2}), {"A C!x"}), (Labels{"A C!x", "B C!y", "A C?x"}));
    EXPECT_EQ(next(script.system({Mode::fifo, 1}), {"A C!x", "A C?x"}), (Labels{"A C!x", "B C!y"}));
}

TEST(Stepping, in_sync_mode_both_step_together) {
    Script script;
    script.machine("A", {"A B!x", "A B!y"});
    script.machine("B", {"A B?x", "A B?z"});
    model::System system = script.system({Mode::sync, {}});
    EXPECT_EQ(next(system, {}), Labels{"A B!x"});
    EXPECT_EQ(next(system, {"A B!x"}), Labels{});
    Semantics semantics(system);
    auto steps = semantics.steps(semantics.initial());
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(print(system.alphabet(), steps[0]), "A B!x, A B?x");
    EXPECT_TRUE(semantics.replay(steps[0]));
    EXPECT_FALSE(semantics.replay(std::span(steps[0]).first(1)));  // half a step
}

// Two machines as one, which acts for both roles: its states are the pairs of theirs.
Machine together(const Machine& a, const Machine& b) {
    model::MachineBuilder builder("both", a.alphabet_ptr(), a.role());
    auto pair = [&](StateId s, StateId t) { return StateId(s.index * b.state_count() + t.index); };
    for (std::size_t s = 0; s < a.state_count(); ++s)
        for (std::size_t t = 0; t < b.state_count(); ++t)
            builder.state(a.final(StateId(s)) && b.final(StateId(t)));
    for (std::size_t s = 0; s < a.state_count(); ++s)
        for (std::size_t t = 0; t < b.state_count(); ++t) {
            StateId from = pair(StateId(s), StateId(t));
            for (const model::Edge& e : a.out(StateId(s)))
                builder.edge(from, e.label, pair(e.target, StateId(t)));
            for (const model::Edge& e : b.out(StateId(t)))
                builder.edge(from, e.label, pair(StateId(s), e.target));
        }
    return builder.finish().value();
}

// What can happen: for each label of a step, the messages that it leaves in the channels.
std::multimap<std::vector<model::LabelId>, std::vector<std::vector<Parcel>>> outcomes(
    const Stepping& stepping, const Configuration& c) {
    std::multimap<std::vector<model::LabelId>, std::vector<std::vector<Parcel>>> all;
    std::vector<Stepping::Move> moves;
    stepping.moves(c, moves);
    for (const auto& move : moves) {
        std::vector<model::LabelId> labels;
        for (const Step& step : stepping.events(c, move)) labels.push_back(step.label);
        all.emplace(std::move(labels), stepping.after(c, move).contents);
    }
    return all;
}

TEST(Stepping, a_machine_that_acts_for_two_roles_has_the_steps_of_both) {
    std::size_t taken = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(seed);
        Channels channels{static_cast<Mode>(seed % 4), {}};
        if (seed / 4 % 2 == 0) channels.bound = 1 + static_cast<std::uint32_t>(seed / 8 % 3);
        RandomShape shape;
        shape.machines = 3 + static_cast<std::uint32_t>(seed % 2);
        // In sync mode a machine does not talk to itself, so the two must not talk to each other either:
        // machines 0 and 1 are in different groups.
        if (channels.mode == Mode::sync) shape.groups = 2;
        model::System system = random_system(seed, shape, channels);
        std::vector<const Machine*> apart, joined;
        for (const Machine& m : system.machines()) apart.push_back(&m);
        Machine both = together(*apart[0], *apart[1]);
        joined.push_back(&both);
        joined.insert(joined.end(), apart.begin() + 2, apart.end());
        Stepping one(apart, channels), other(joined, channels);
        Configuration c = one.initial(), d = other.initial();
        for (std::uint64_t i = 0; i < 40; ++i) {
            ASSERT_EQ(outcomes(one, c), outcomes(other, d));
            std::vector<Stepping::Move> moves;
            one.moves(c, moves);
            if (moves.empty()) break;
            c = one.after(c, moves[base::combine(seed, i) % moves.size()]);
            std::size_t states = apart[1]->state_count();
            d.states.assign(1, StateId(c.states[0].index * states + c.states[1].index));
            d.states.insert(d.states.end(), c.states.begin() + 2, c.states.end());
            d.contents = c.contents;
            ++taken;
        }
    }
    EXPECT_GT(taken, 1000u);
}

}  // namespace
}  // namespace treaty::explore
