#include "formats/fsa/fsa.h"

#include <set>

#include <gtest/gtest.h>

#include "formats/silent.h"
#include "formats/testing/random_models.h"
#include "formats/testing/reading.h"

namespace treaty::formats::fsa_test {
namespace {

using model::StateId;
using testing::written;

auto read(std::string text) {
    return testing::read<model::System>(read_fsa, "ping.fsa", std::move(text));
}

std::string faults(std::string text) {
    auto r = read(std::move(text));
    EXPECT_EQ(r->model.has_value(), r->diagnostics.ok());
    return testing::listing(r->sources, r->diagnostics);
}

// "0 A B!m 1, 1 final": one line a machine.
std::string show(const model::System& system) {
    std::string out;
    for (const model::Machine& m : system.machines()) {
        out += std::string(m.alphabet().name(m.role())) + ":";
        for (std::size_t s = 0; s < m.state_count(); ++s) {
            if (m.final(StateId(s))) out += fmt::format(" {}.", s);
            for (const model::Edge& e : m.out(StateId(s)))
                out += fmt::format(" {}-{}-{}", s, m.alphabet().print(e.label), e.target.index);
        }
        out += '\n';
    }
    return out;
}

const char* const ping =
    "-- a comment\n"
    ".outputs A\n"
    ".state graph\n"
    "q0 1 ! ping q1\n"
    "q1 1 ? pong q0\n"
    "q0 1 ! stop q2\n"
    ".marking q0\n"
    ".end\n"
    "\n"
    ".outputs\n"
    ".state graph\n"
    "s 0 ? ping t\n"
    "  t\t0 ! pong s\r\n"
    "s 0 ? stop u\n"
    ".marking s\n"
    ".end\n";

TEST(fsa_reader, two_machines) {
    auto r = read(ping);
    ASSERT_TRUE(r->model) << testing::listing(r->sources, r->diagnostics);
    EXPECT_EQ(show(*r->model),
              "A: 0-A M1!ping-1 0-A M1!stop-2 1-M1 A?pong-0 2.\n"
              "M1: 0-A M1?ping-1 0-A M1?stop-2 1-M1 A!pong-0 2.\n");
    EXPECT_EQ(r->model->name(), "ping");
    EXPECT_EQ(r->model->machines()[0].state_name(StateId(2u)), "q2");
    EXPECT_EQ(r->model->channels().mode, model::Mode::fifo);
    EXPECT_FALSE(r->model->channels().bound);
}

std::string one(std::string transitions, std::string marking) {
    return ".outputs A\n.state graph\n" + transitions + ".marking " + marking +
           "\n.end\n.outputs B\n.state graph\n.marking x\n.end\n";
}

std::string shown(std::string transitions, std::string marking) {
    auto r = read(one(std::move(transitions), std::move(marking)));
    if (!r->model) return testing::listing(r->sources, r->diagnostics);
    std::string all = show(*r->model);
    return all.substr(0, all.find('\n'));
}

TEST(fsa_reader, silent_steps) {
    EXPECT_EQ(shown("a tau b\nb 1 ! m c\n", "a"), "A: 0-A B!m-1 1.");
    EXPECT_EQ(shown("a break b\na 1 ! m c\n", "a"), "A: 0. 0-A B!m-1 1.");   // it may end at once
    EXPECT_EQ(shown("a tau a\n", "a"), "A:");                                // never ends
    EXPECT_EQ(shown("a tau b\nb tau a\nb 1 ! m a\n", "a"), "A: 0-A B!m-0");  // a silent cycle
    EXPECT_EQ(shown("a 1 ! m b\nb tau c\nc tau d\nd 1 ? n a\n", "a"), "A: 0-A B!m-1 1-B A?n-0");
    EXPECT_EQ(shown("", "a"), "A: 0.");
}

TEST(fsa_reader, each_fault_has_its_message) {
    EXPECT_EQ(faults(""), "T0656 1:1 this file contains no machine\n");
    EXPECT_EQ(faults("-- nothing\n"), "T0656 1:1 this file contains no machine\n");
    EXPECT_EQ(faults("what is this\nand this\n"), "T0650 1:1 this line is outside a machine\n");
    EXPECT_EQ(faults(".outputs A\n.state graph\n.marking a\n"), "T0654 1:1 this machine has no `.end`\n");
    EXPECT_EQ(faults(".outputs A\n.state graph\n.marking a\n.outputs B\n.state graph\n.marking b\n.end\n"),
              "T0654 4:1 a machine begins, but the one above has no `.end`\n");
    EXPECT_EQ(faults(".outputs A\n.state graph\n.end\n"), "T0653 1:1 machine `A` has no initial state\n");
    EXPECT_EQ(faults(one("", "a b")), "T0653 3:1 `.marking` names one state\n");
    EXPECT_EQ(faults(one(".marking b\n", "a")), "T0653 4:1 this machine has a second `.marking`\n");
    EXPECT_EQ(faults(one("aa 1 ! m b\n", "ab")), "T0653 4:10 no transition uses the initial state `ab`\n");
    EXPECT_EQ(faults(one("a 2 ! m b\n", "a")), "T0652 3:3 there is no machine at this position\n");
    EXPECT_EQ(faults(one("a 99999999999999999999 ! m b\n", "a")),
              "T0652 3:3 there is no machine at this position\n");
    EXPECT_EQ(faults(one("a 0 ! m b\n", "a")), "T0652 3:3 machine `A` talks to itself\n");
    EXPECT_EQ(faults(one("a -1 ! m b\n", "a")), "T0651 3:3 `-1` is not a number\n");
    EXPECT_EQ(faults(one("a 1x ! m b\n", "a")), "T0651 3:3 `1x` is not a number\n");
    EXPECT_EQ(faults(one("a 1! m b\n", "a")), "T0651 3:1 this is not a transition\n");
    EXPECT_EQ(faults(one("a 1 % m b\n", "a")), "T0651 3:1 this is not a transition\n");
    EXPECT_EQ(faults(one(".wrong\n", "a")), "T0650 3:1 `.wrong` is not a line of a machine\n");
    EXPECT_EQ(faults(".outputs A\na 0 ! m b\n.marking a\n.end\n"), "T0652 2:3 machine `A` talks to itself\n");
    EXPECT_EQ(faults(".outputs A B\n.state graph\n.marking a\n.end\n"),
              "T0650 1:1 the name of a machine must not contain blanks\n");
    EXPECT_EQ(
        faults(".outputs M1\n.state graph\n.marking a\n.end\n.outputs\n.state graph\n.marking a\n.end\n"),
        "T0655 5:1 a second machine `M1`\n");
}

TEST(fsa_reader, state_graph_may_come_late_or_not_at_all) {
    auto machine = [](std::string before, std::string after) {
        return ".outputs A\n" + before + ".state graph\n" + after +
               ".marking a\n.end\n.outputs B\n.state graph\nx 0 ? m y\n.marking x\n.end\n";
    };
    auto late = testing::read<model::System>(read_fsa, "t.fsa", machine("a 1 ! m b\n", ""));
    auto usual = testing::read<model::System>(read_fsa, "t.fsa", machine("", "a 1 ! m b\n"));
    ASSERT_TRUE(late->model && usual->model);
    auto text = [](const model::System& s) {
        return testing::written([&](Conversion& c) { return write_fsa(s, c); });
    };
    EXPECT_EQ(text(*late->model), text(*usual->model));
}

TEST(fsa_reader, hostile_sizes) {
    // A chain of silent steps is one closure; a square of them is refused, not suffered.
    std::string chain, square;
    for (int i = 0; i < 50000; ++i) chain += fmt::format("q{} tau q{}\n", i, i + 1);
    EXPECT_TRUE(read(one(chain, "q0"))->model);
    for (int i = 0; i < 10000; ++i)
        square += fmt::format("q{} tau q{}\nq{} 1 ! m{} q{}\n", i, i + 1, i, i, (i * 7) % 10000);
    auto r = read(one(square, "q0"));
    EXPECT_EQ(testing::listing(r->diagnostics), "T0657 machine `A` is too large without its silent steps\n");
    std::string many;
    for (int i = 0; i < 10001; ++i) many += ".outputs\n.state graph\n.marking a\n.end\n";
    EXPECT_EQ(faults(many), "T0657 40001:1 more than 10000 machines\n");
}

// A slow and obviously right way to remove silent steps: the words a machine can do and those it can end
// after, up to a length.
std::set<std::string> words(const model::Machine& m, bool complete) {
    std::set<std::string> found;
    std::set<std::pair<std::uint32_t, std::string>> seen;
    std::vector<std::pair<std::uint32_t, std::string>> pending{{0, ""}};
    while (!pending.empty()) {
        auto [s, word] = pending.back();
        pending.pop_back();
        if (!seen.insert({s, word}).second) continue;
        if (!complete || m.final(StateId(s))) found.insert(word);
        for (const model::Edge& e : m.out(StateId(s))) {
            std::string next =
                e.label == m.alphabet().silent() ? word : word + m.alphabet().print(e.label) + ".";
            if (std::count(next.begin(), next.end(), '.') <= 4) pending.push_back({e.target.index, next});
        }
    }
    return found;
}

TEST(fsa_property, removing_silent_steps_keeps_all_words) {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(seed);
        testing::RandomModels random(seed);
        random.without_data();
        model::Machine m = random.machine();
        auto visible = without_silent_steps(m, 1000000);
        ASSERT_TRUE(visible);
        ASSERT_FALSE(has_silent_step(*visible));
        ASSERT_EQ(words(m, false), words(*visible, false));
        ASSERT_EQ(words(m, true), words(*visible, true));
    }
}

TEST(fsa_writer, looks_like_this) {
    auto r = read(ping);
    EXPECT_EQ(*written([&](Conversion& c) { return write_fsa(*r->model, c); }),
              ".outputs A\n.state graph\nq0 1 ! ping q1\nq0 1 ! stop q2\nq1 1 ? pong q0\n.marking q0\n.end\n"
              ".outputs M1\n.state graph\ns 0 ? ping t\ns 0 ? stop u\nt 0 ! pong s\n.marking s\n.end\n");
}

TEST(fsa_writer, what_it_cannot_carry) {
    auto alphabet = std::make_shared<model::Alphabet>();
    model::RoleId a = alphabet->role("A"), b = alphabet->role("b b"), c = alphabet->role("C");
    auto world = std::make_shared<expr::SmallWorld>();
    model::MachineBuilder first("A", alphabet, a, world->pool), second("b b", alphabet, b);
    first.state(true);
    first.state(false);
    first.edge(StateId(0u), alphabet->send(a, c, alphabet->message("x y")), StateId(1u), {},
               {world->pool->boolean(true), {}, {}, {}});
    second.state(true);
    std::vector<model::Machine> machines;
    machines.push_back(*first.finish());
    machines.push_back(*second.finish());
    auto system = model::make_system("s", std::move(machines), {model::Mode::sync, {}});
    ASSERT_TRUE(system);
    std::string report;
    EXPECT_FALSE(written([&](Conversion& x) { return write_fsa(*system, x); }, LossPolicy::refuse, &report));
    EXPECT_EQ(
        report,
        "T0802 channels of .fsa are unbounded fifo queues; the system has other channels\n"
        "T0804 the machine of `A` has data, which .fsa cannot express\n"
        "T0804 message `x y` is not one word, as .fsa requires\n"
        "T0804 `A` talks to `C`, which has no machine of its own here\n"
        "T0802 .fsa has no final states: 1 of the machine of `A` may end or go on, and could no longer end\n"
        "T0802 a state of .fsa without transitions is final: 1 of the machine of `A` would become final\n"
        "T0804 role `b b` is not one word, as .fsa requires\n");
}

TEST(fsa_property, written_systems_read_back) {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE(seed);
        testing::RandomModels random(seed);
        random.without_data();
        model::System system = random.system();
        auto once = written([&](Conversion& c) { return write_fsa(system, c); }, LossPolicy::allow);
        ASSERT_TRUE(once);
        auto back = read(*once);
        ASSERT_TRUE(back->model) << *once;
        for (std::size_t i = 0; i < system.machines().size(); ++i)
            ASSERT_EQ(words(system.machines()[i], false), words(back->model->machines()[i], false)) << *once;
        // Silent steps are gone after the first reading; from there on nothing changes any more.
        auto twice = written([&](Conversion& c) { return write_fsa(*back->model, c); }, LossPolicy::allow);
        auto again = read(*twice);
        ASSERT_TRUE(again->model);
        ASSERT_EQ(*written([&](Conversion& c) { return write_fsa(*again->model, c); }, LossPolicy::allow),
                  *twice);
    }
}

TEST(fsa_property, broken_texts_never_crash_and_good_ones_are_stable) {
    std::size_t good = 0;
    for (std::uint32_t seed = 0; seed < 5000; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        std::string text = testing::mutated(ping, random, "qst01!?. \ntau-");
        auto r = read(text);
        ASSERT_EQ(r->model.has_value(), r->diagnostics.ok());
        if (!r->model) continue;
        ++good;
        auto once = written([&](Conversion& c) { return write_fsa(*r->model, c); }, LossPolicy::allow);
        ASSERT_TRUE(once) << text;
        auto back = read(*once);
        ASSERT_TRUE(back->model) << text << *once << testing::listing(back->sources, back->diagnostics);
        ASSERT_EQ(*written([&](Conversion& c) { return write_fsa(*back->model, c); }, LossPolicy::allow),
                  *once);
    }
    EXPECT_GT(good, 500u);
}

}  // namespace
}  // namespace treaty::formats::fsa_test
