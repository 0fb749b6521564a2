// What channels and constructors carry: beginnings of events, and all events of a script.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "csp/testing/scripts.h"

namespace treaty::csp {
namespace {

// A constructor takes its fields from whatever follows it, dot, output or input.
TEST(Csp, ConstructorsWithFields) {
    expect_all_hold(R"(
        datatype Col = R | Bx.{0..2} | Two.{0..1}.Bool | Nest.Lit.{1..2}
        datatype Lit = L | Mm.{0..1}
        channel q : Col
        channel r : Col.{0..1}
        channel m : {0..20}
        B = [] x : {0..2} @ q.Bx.x -> m.x -> STOP
        assert B [FD= q.Bx?x -> m.x -> STOP
        assert B [FD= q!Bx?x -> m.x -> STOP
        assert B [FD= q?Bx.x -> m.x -> STOP
        assert B [FD= q?Bx?x -> m.x -> STOP
        assert B [FD= q.Bx.1 -> m.1 -> STOP [] q.Bx?x:{0, 2} -> m.x -> STOP
        assert |~| x : {0..2} @ q.Bx.x -> m.x -> STOP [FD= q.Bx$x -> m.x -> STOP
        assert q.Bx$x -> m.x -> STOP [FD= |~| x : {0..2} @ q.Bx.x -> m.x -> STOP
        T = [] x : {0..1}, y : Bool @ q.Two.x.y -> (if y then m.x -> STOP else STOP)
        assert T [FD= q.Two?x?y -> (if y then m.x -> STOP else STOP)
        assert T [FD= q!Two?x.y -> (if y then m.x -> STOP else STOP)
        assert T [FD= q?Two!0?y -> (if y then m.0 -> STOP else STOP)
                      [] q.Two.1?y -> (if y then m.1 -> STOP else STOP)
        assert T [FD= q.Two?p -> (if p == (0.true) then m.0 -> STOP
                                   else if p == (1.true) then m.1 -> STOP else STOP)
        N = [] x : {0..1}, y : {1..2} @ q.Nest.Mm.x.y -> m.x + y -> STOP
        assert N [FD= q.Nest.Mm?x?y -> m.x + y -> STOP
        assert N [FD= q.Nest?Mm.x?y -> m.x + y -> STOP
        assert N [FD= q?Nest.Mm.x.y -> m.x + y -> STOP
        W = [] x : {0..2}, y : {0..1} @ r.Bx.x.y -> m.x + y -> STOP
        assert W [FD= r.Bx?x?y -> m.x + y -> STOP
        assert W [FD= r?Bx.x?y -> m.x + y -> STOP
        assert W [FD= r!Bx?x.y -> m.x + y -> STOP
        assert W [T= r.Bx?p -> STOP
        assert q.R -> B [FD= q?R -> B
        assert STOP [T= B \ {| q.Bx, m |}
        assert not STOP [T= B \ {| q.Two, m |}
        assert m.0 -> STOP [] m.1 -> STOP [] m.2 -> STOP [FD= (q.Bx?x -> STOP) [[q.Bx <- m]]
        assert q.Two?x!true -> STOP [FD= (m?x:{0, 1} -> STOP) [[m.x <- q.Two.x.true | x <- {0, 1}]]
        assert RUN(productions(q.Bx)) [FD= RUN({| q.Bx |})
        Yes = m.0 -> STOP
        assert Yes [FD= if productions(q.Bx) == {q.Bx.x | x <- {0..2}} then Yes else STOP
        assert Yes [FD= if productions(Bx) == {Bx.0, Bx.1, Bx.2} then Yes else STOP
        assert Yes [FD= if productions(Nest.Mm) == {Nest.Mm.x.y | x <- {0, 1}, y <- {1, 2}} then Yes else STOP
        assert Yes [FD= if productions(R) == {R} and card(productions(q)) == 14 then Yes else STOP
        assert Yes [FD= if extensions(q) == Col and extensions(q.Bx) == {0..2} then Yes else STOP
        assert Yes [FD= if extensions(Two.1) == Bool and extensions(r.R) == {0..1} then Yes else STOP
        assert Yes [FD= if extensions(r.Two.1) == {b.x | b <- Bool, x <- {0..1}} then Yes else STOP
    )");
}

// Every beginning of every event of a random channel: what {| |}, productions, extensions and an input say of
// it is what the texts of all events say.
TEST(Csp, BeginningsOfEventsAgreeWithTheirTexts) {
    std::mt19937_64 random(20);
    auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::size_t beginnings = 0, begun_constructors = 0;
    for (int round = 0; round < 30; ++round) {
        std::string text;
        auto fields = [&](int level) {
            std::string out;
            for (std::size_t n = below(3); n > 0; --n) {
                std::size_t what = below(3);
                if (what == 2 && level > 0)
                    out += fmt::format(".T{}", level - 1);
                else
                    out += what == 1 ? ".Bool" : fmt::format(".{{0..{}}}", below(3));
            }
            return out;
        };
        for (int level = 0; level < 3; ++level)
            text += fmt::format("datatype T{0} = A{0} | B{0}{1} | C{0}{2}\n", level, fields(level),
                                fields(level));
        text += fmt::format("channel q : T2{}\n", fields(2));
        Read read(text + "P = STOP\n");
        ASSERT_TRUE(read.script) << read.faults() << text;
        auto texts = [&](const std::string& set) {
            std::vector<std::string> out;
            auto labels = read.script->event_set(set);
            EXPECT_TRUE(labels) << set << '\n' << text << read.faults();
            for (model::LabelId l : labels.value_or(std::vector<model::LabelId>()))
                out.push_back(read.script->alphabet()->print(l));
            std::sort(out.begin(), out.end());
            return out;
        };
        std::vector<std::string> all = texts("{| q |}");
        if (all.size() > 300) continue;
        std::vector<std::string> starts;
        for (const std::string& event : all)
            for (std::size_t i = 0; i <= event.size(); ++i)
                if (i == event.size() || event[i] == '.') starts.push_back(event.substr(0, i));
        std::sort(starts.begin(), starts.end());
        starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
        for (const std::string& start : starts) {
            ++beginnings;
            std::vector<std::string> expected;
            for (const std::string& event : all)
                if (event == start || event.starts_with(start + ".")) expected.push_back(event);
            bool whole = expected.size() == 1 && expected[0] == start;
            begun_constructors += !whole && start != "q" ? 1 : 0;
            EXPECT_EQ(texts("{| " + start + " |}"), expected) << start << " round " << round << '\n' << text;
            EXPECT_EQ(texts("productions(" + start + ")"), expected) << start << " round " << round;
            if (whole) continue;
            EXPECT_EQ(texts(fmt::format("{{ {0}.x | x <- extensions({0}) }}", start)), expected)
                << start << " round " << round << '\n'
                << text;
            auto graph = read.script->graph(start + "?x -> STOP", {});
            ASSERT_TRUE(graph) << start << '\n' << text << read.faults();
            std::vector<std::string> offered;
            for (const model::Edge& e : graph->out(model::StateId(0u)))
                offered.push_back(read.script->alphabet()->print(e.label));
            std::sort(offered.begin(), offered.end());
            EXPECT_EQ(offered, expected) << start << " round " << round << '\n' << text;
        }
    }
    EXPECT_GT(beginnings, 500u);
    EXPECT_GT(begun_constructors, 100u);
}

// Seq of something can be asked for its elements, as a channel's type too, but not listed.
TEST(Csp, SequencesOfASet) {
    expect_all_hold_untyped(R"(
        nametype Word = Seq({0..1})
        channel c : Word.{0..1}
        channel m : {0..9}
        Yes = m.0 -> STOP
        assert Yes [FD= if member(<0, 1>, Word) and not member(<0, 2>, Word) and not member(0, Word)
                        then Yes else STOP
        assert Yes [FD= if Seq({}) == {<>} and member(<<1>, <>>, Seq(Word)) then Yes else STOP
        assert Yes [FD= if inter(Word, {<2>, <1>}) == {<1>} and diff({<2>, <1>}, Word) == {<2>}
                        then Yes else STOP
        assert Yes [FD= if inter({0..1}, Int) == {0..1} and member(<0, 5>, Seq(Int)) then Yes else STOP
        P(w) = #w < 3 & ([] x : {0..1} @ c.w.x -> P(w^<x>))
        Q(w) = #w < 3 & c!w?x -> P(w^<x>)
        assert P(<>) [FD= Q(<>)
        assert c?w:{<>, <1>}!0 -> m.#w -> STOP [FD= c.<>.0 -> m.0 -> STOP [] c.<1>.0 -> m.1 -> STOP
    )");
}

// All events that the script declares are those of the set Events, and each once.
TEST(Csp, DeclaredEventsAreTheSetEvents) {
    Read read(R"(
        datatype Colour = Red | Mix.{0..1}.Bool
        channel c : {0..2}.Colour
        channel b, a
        P = RUN(Events)
    )");
    ASSERT_TRUE(read.script) << read.faults();
    DeclaredEvents declared = read.script->declared_events(100);
    EXPECT_TRUE(declared.left_out.empty());
    EXPECT_EQ(read.script->alphabet()->print(declared.labels.back()), "a");
    auto graph = read.script->graph("P", {});
    std::vector<model::LabelId> run;
    for (const model::Edge& e : graph->out(model::StateId(0u))) run.push_back(e.label);
    std::sort(declared.labels.begin(), declared.labels.end());
    EXPECT_EQ(declared.labels.size(), 17u);
    EXPECT_EQ(declared.labels, run);
    EXPECT_EQ(read.script->event_set("Events"), run);
}

// What is too large is left out as a whole, the largest first, and what is smaller stays; a fault in a type
// is reported again when it is asked for again.
TEST(Csp, DeclaredEventsAreBounded) {
    Read read(R"(
        datatype List = Nil | Cons.List
        channel n : {0..1}.Int
        channel c : {0..9}.{0..9}
        channel d : {0..4}
        channel e : {0..}
        channel f : List
        P = f!Nil -> STOP
    )");
    ASSERT_TRUE(read.script) << read.faults();
    DeclaredEvents declared = read.script->declared_events(100);
    EXPECT_EQ(declared.labels.size(), 5u);
    std::vector<std::string> left;
    for (const auto& one : declared.left_out) left.push_back(one.channel + " " + one.why);
    EXPECT_EQ(left, (std::vector<std::string>{
                        "n carries infinitely many values", "c carries 100 values, more than are listed",
                        "e has a type that cannot be listed: this has infinitely many elements",
                        "f has a type that cannot be listed: Cons contains itself"}));
    EXPECT_TRUE(read.diagnostics.ok()) << read.faults();
    EXPECT_EQ(read.script->declared_events(105).labels.size(), 105u);
    EXPECT_EQ(read.script->declared_events(105).left_out.size(), 3u);
    auto graph = read.script->graph("P", {});
    EXPECT_EQ(read.faults().find("T1610 f contains"), std::string::npos) << read.faults();
}

}  // namespace
}  // namespace treaty::csp
