#include "formats/aut/aut.h"

#include <gtest/gtest.h>

#include "formats/testing/random_models.h"
#include "formats/testing/reading.h"

namespace treaty::formats::aut_test {
namespace {

using model::StateId;
using testing::written;

auto read(std::string text) {
    return testing::read<model::Machine>(read_aut, "vending.aut", std::move(text));
}

std::string faults(std::string text) {
    auto r = read(std::move(text));
    EXPECT_EQ(r->model.has_value(), r->diagnostics.ok());
    return testing::listing(r->sources, r->diagnostics);
}

std::string show(const model::Machine& m) {
    std::string out;
    for (std::size_t s = 0; s < m.state_count(); ++s) {
        out += fmt::format("{}{}:", s, m.final(StateId(s)) ? " final" : "");
        for (const model::Edge& e : m.out(StateId(s)))
            out += fmt::format(" <{}>{}", m.alphabet().print(e.label), e.target.index);
        out += '\n';
    }
    return out;
}

std::string shown(std::string text) {
    auto r = read(std::move(text));
    return r->model ? show(*r->model) : testing::listing(r->sources, r->diagnostics);
}

TEST(aut_reader, forms_of_a_file) {
    EXPECT_EQ(shown("des (0, 2, 2)\n(0, \"COIN !5\", 1)\n(1, \"i\", 0)\n"), "0: <COIN !5>1\n1: <tau>0\n");
    EXPECT_EQ(shown("des(0,3,2)\r\n(0,coin,1)\r\n( 1 , tau , 0 )\r\n\r\n(1,f(1, 2),1)"),
              "0: <coin>1\n1: <tau>0 <f(1, 2)>1\n");
    EXPECT_EQ(shown("\n  des (1, 1, 2)\n(0, \"a\", 1)"), "0:\n1: <a>0\n");  // the first state becomes 0
    EXPECT_EQ(shown("des (0, 3, 1)\n(0, \"say \"hi\", 1)\", 0)\n(0, \"\", 0)\n(0, \" x \", 0)\n"),
              "0: <say \"hi\", 1)>0 <>0 < x >0\n");
    EXPECT_EQ(shown("des (0, 0, 1)"), "0:\n");
}

TEST(aut_reader, each_fault_has_its_message) {
    EXPECT_EQ(faults(""), "T0670 1:1 expected `des (first, transitions, states)`\n");
    EXPECT_EQ(faults("(0, \"a\", 1)\n"), "T0670 1:1 expected `des (first, transitions, states)`\n");
    EXPECT_EQ(faults("des (0, 1)\n(0, \"a\", 1)\n"),
              "T0670 1:1 expected `des (first, transitions, states)`\n");
    EXPECT_EQ(faults("des (0, 1, 2) x\n"), "T0670 1:1 expected `des (first, transitions, states)`\n");
    EXPECT_EQ(faults("des (0, 3, 2)\n(0, \"a\", 1)\nwhat\n(0 \"a\", 1)\n(0, \"a\", 1\n"),
              "T0671 3:1 this is not a transition\n"
              "T0671 4:1 this is not a transition\n"
              "T0671 5:1 this is not a transition\n");
    EXPECT_EQ(faults("des (0, 2, 2)\n(0, \"a\", 2)\n(99999999999999999999, a, 0)\n"),
              "T0672 2:1 state 2 is not below 2, the number of states in the first line\n"
              "T0672 3:1 state 9999999999 is not below 2, the number of states in the first line\n");
    EXPECT_EQ(faults("des (5, 0, 2)\n"), "T0672 1:1 the first state 5 is not below 2\n");
    EXPECT_EQ(faults("des (0, 0, 0)\n"), "T0672 1:1 a machine needs at least one state\n");
    EXPECT_EQ(faults("des (0, 7, 1)\n(0, \"a\", 0)\n"), "T0673 1:1 there are 1 transitions, not 7\n");
    EXPECT_EQ(faults("des (0, 0, 4000000000)\n"), "T0674 1:1 4000000000 states but only 0 transitions\n");
}

TEST(aut_writer, looks_like_this) {
    auto r = read("des (0, 4, 2)\n(1, b, 0)\n(0, \"b\", 1)\n(0, tau, 0)\n(0, \"a\", 1)\n");
    EXPECT_EQ(*written([&](Conversion& c) { return write_aut(*r->model, c); }),
              "des (0, 4, 2)\n(0, \"a\", 1)\n(0, \"b\", 1)\n(0, i, 0)\n(1, \"b\", 0)\n");
}

TEST(aut_writer, what_it_cannot_carry) {
    auto alphabet = std::make_shared<model::Alphabet>();
    model::RoleId a = alphabet->role("A"), b = alphabet->role("B");
    model::MachineBuilder builder("m", alphabet);
    builder.state(true);
    StateId s(0u);
    builder.edge(s, alphabet->plain("i"), s);
    builder.edge(s, alphabet->plain("x\ny"), s);
    builder.edge(s, alphabet->plain("A B!m"), s);
    builder.edge(s, alphabet->send(a, b, alphabet->message("m")), s);
    model::Machine m = *builder.finish();
    std::string report;
    EXPECT_FALSE(written([&](Conversion& c) { return write_aut(m, c); }, LossPolicy::refuse, &report));
    EXPECT_EQ(report,
              "T0802 .aut has no final states: 1 of 1 would no longer be final\n"
              "T0804 .aut would read event `i` as the silent step\n"
              "T0804 an event whose name has line breaks cannot be written in .aut\n"
              "T0804 two events would both be written `A B!m`\n");
}

TEST(aut_property, written_machines_read_back) {
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        SCOPED_TRACE(seed);
        testing::RandomModels random(seed);
        random.without_data();
        model::Machine m = random.machine();
        auto once = written([&](Conversion& c) { return write_aut(m, c); }, LossPolicy::allow);
        ASSERT_TRUE(once);
        auto back = read(*once);
        ASSERT_TRUE(back->model) << *once;
        ASSERT_EQ(back->diagnostics.warnings(), 0u);
        ASSERT_EQ(m.edge_count(), back->model->edge_count());
        // The same but for the marks of final states.
        model::MachineBuilder unmarked("m", m.alphabet_ptr());
        for (std::size_t s = 0; s < m.state_count(); ++s) unmarked.state();
        for (std::size_t s = 0; s < m.state_count(); ++s)
            for (const model::Edge& e : m.out(StateId(s))) unmarked.edge(StateId(s), e.label, e.target);
        ASSERT_TRUE(model::same_machine(*unmarked.finish(), *back->model)) << *once;
        ASSERT_EQ(*written([&](Conversion& c) { return write_aut(*back->model, c); }), *once);
    }
}

TEST(aut_property, broken_texts_never_crash_and_good_ones_are_stable) {
    const std::string text =
        "des (0, 4, 3)\n(0, \"a, b\", 1)\n(1, i, 2)\n(2, \"say \"x\"\", 0)\n(0, tau, 0)\n";
    std::size_t good = 0;
    for (std::uint32_t seed = 0; seed < 8000; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        std::string changed = testing::mutated(text, random, "0123, ()\"\nab\r");
        auto r = read(changed);
        ASSERT_EQ(r->model.has_value(), r->diagnostics.ok());
        if (!r->model) continue;
        auto once = written([&](Conversion& c) { return write_aut(*r->model, c); });
        if (!once) {
            ASSERT_NE(changed.find('\r'), std::string::npos) << changed;
            continue;
        }
        ++good;
        auto back = read(*once);
        ASSERT_TRUE(back->model) << *once;
        ASSERT_TRUE(model::same_machine(*r->model, *back->model)) << *once;
        ASSERT_EQ(*written([&](Conversion& c) { return write_aut(*back->model, c); }), *once);
    }
    EXPECT_GT(good, 1000u);
}

}  // namespace
}  // namespace treaty::formats::aut_test
