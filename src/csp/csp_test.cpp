#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "csp/testing/scripts.h"

namespace treaty::csp {
namespace {

using base::Answer;

TEST(Csp, DataAndFunctions) {
    expect_all_hold(R"(
        datatype Colour = Red | Green | Mix.{0..1}.Bool
        nametype Small = {0..2}
        nametype Both = Small.Colour
        subtype Plain = Red | Green
        channel c : Small.Colour
        channel d : Both
        channel e : Plain
        channel n : {0..100}
        channel t : (Small, Bool)
        fact(0) = 1
        fact(k) = k * fact(k - 1)
        sum(<>) = 0
        sum(<x>^xs) = x + sum(xs)
        last(xs^<x>) = x
        shade(Mix.k._) = k
        shade(_) = 9
        swap((a, b)) = (b, a)
        twice = \ f, x @ f(f(x))
        N = let m(k) = if k > 4 then k else m(k + 1)
                base = 1
            within m(base)
        A = n.fact(4) -> n.sum(<1..4>) -> n.last(<1, 2, 3>) -> n.shade(Mix.1.true) -> n.shade(Red) -> n.N
            -> n.card({(x, y) | x <- {0..3}, y <- {0..3}, x < y}) -> n.#(<1>^<2, 3>) -> n.7 / 2 -> n.(-7) % 3
            -> n.twice(\ x @ x + 3, 1) -> n.card({| c |}) -> n.card(Set({1, 2, 3})) -> STOP
        B = n.24 -> n.10 -> n.3 -> n.1 -> n.9 -> n.5 -> n.6 -> n.3 -> n.3 -> n.2 -> n.7 -> n.18 -> n.8 -> STOP
        assert A [FD= B
        assert B [FD= A
        C = c?x?Mix.k.b -> n.x + k -> C
        D = c?x:Small!Mix.0.true -> n.x -> D
        assert C [T= D
        assert not D [T= C
        E = d?x.y -> n.x -> STOP [] t?(x, true) -> n.x -> STOP
        F = [] x : Small, y : Colour @ d.x.y -> n.x -> STOP [] ([] x : Small @ t.(x, true) -> n.x -> STOP)
        assert E [FD= F
        assert F [FD= E
        assert STOP [T= (e?x:{Red} -> STOP) \ {e.Red}
        assert if member(Red, Plain) and not elem(2, <1, 3>) then SKIP else STOP [F= SKIP
    )");
}

TEST(Csp, CurriedFunctionsPatternsAndTypes) {
    expect_all_hold(R"(
        channel n : {0..100}
        plus :: (Int) -> (Int) -> Int
        plus(x)(y) = x + y
        pick(0)(<a, b>)(_) = a
        pick(_)(<a, b>)(c) = b + c
        apply(f, x) = f(x)
        (low, (high, _)) = (3, (40, true))
        P = let (u, v) = (low, high)
                add3 = plus(u)
            within n.apply(add3, 4) -> n.v -> STOP
        assert n.7 -> n.40 -> STOP [FD= P
        assert n.1 -> n.9 -> STOP [FD= n.pick(0)(<1, 2>)(7) -> n.pick(3)(<1, 2>)(7) -> STOP
    )");
}

TEST(Csp, SelectionIsAnInternalChoice) {
    expect_all_hold(R"(
        datatype Colour = Red | Green
        channel c : {0..2}
        channel d : {0..1}.Colour.{0..1}
        assert c$x -> c.x -> STOP [FD= |~| x : {0..2} @ c.x -> c.x -> STOP
        assert |~| x : {0..2} @ c.x -> c.x -> STOP [FD= c$x -> c.x -> STOP
        assert c$x:{0, 1} -> STOP [FD= c.1 -> STOP
        assert not c$x:{0, 1} -> STOP [F= c.0 -> STOP [] c.1 -> STOP [] c.2 -> STOP
        assert not c?x:{0, 1} -> STOP [F= c$x:{0, 1} -> STOP
        assert d!1$k?y -> STOP [FD= d.1.Red?y -> STOP
        assert d!1$k?y -> STOP [FD= |~| k : Colour @ d.1.k?y -> STOP
        assert |~| k : Colour @ d.1.k?y -> STOP [FD= d!1$k?y -> STOP
        assert d!0$rest -> STOP [FD= d.0.Green.1 -> STOP
        assert d$x$k!1 -> c.x -> STOP [FD= d.1.Green.1 -> c.1 -> STOP
    )");
}

TEST(Csp, LinkedParallel) {
    expect_all_hold(R"(
        channel in, out, left, right : {0..1}
        COPY = left?x -> right!x -> COPY
        BUFFER = COPY [right <-> left] COPY
        TWO = left?x -> ONE(x)
        ONE(x) = right!x -> TWO [] left?y -> right!x -> ONE(y)
        assert TWO [FD= BUFFER
        assert BUFFER [FD= TWO
        CHAIN = [right <-> left] i : <1, 2> @ COPY
        assert CHAIN [FD= BUFFER
        assert BUFFER [FD= CHAIN
        assert [right.v <-> left.v | v <- {0, 1}] i : <1, 2> @ COPY [FD= BUFFER
        assert left.0 -> SKIP [FD= (left.0 -> right.1 -> SKIP) [right.1 <-> left.0] (left.0 -> SKIP)
        assert STOP [FD= (in.0 -> SKIP) [in <-> out, left <-> right] (out.1 -> SKIP)
        assert (in.0 -> STOP) [|{in.0}|] (in.0 -> STOP) [FD= (in.0 -> left.1 -> STOP) [left <-> right] STOP
    )");
}

TEST(Csp, OperatorsAsTheyShouldBe) {
    expect_all_hold(R"(
        channel a, b, c
        S = {a, b, c}
        -- steps
        assert a -> b -> STOP [FD= (a -> SKIP) ; b -> STOP
        assert (a -> STOP) [|{a}|] (a -> b -> STOP) [FD= a -> b -> STOP
        assert (a -> STOP) ||| (b -> STOP) [FD= a -> b -> STOP [] b -> a -> STOP
        assert (a -> STOP |~| b -> STOP) [FD= a -> STOP
        assert not a -> STOP [] b -> STOP [F= a -> STOP |~| b -> STOP
        assert a -> STOP [] b -> STOP [T= a -> STOP |~| b -> STOP
        assert (a -> b -> STOP) \ {a} [FD= b -> STOP
        assert (a -> b -> STOP) [[a <- c]] [FD= c -> b -> STOP
        assert (a -> STOP) [[a <- b, a <- c]] [FD= b -> STOP [] c -> STOP
        assert (a -> b -> STOP) /\ c -> STOP [T= a -> c -> STOP
        assert (a -> b -> STOP) [|{a}|> c -> STOP [FD= a -> c -> STOP
        assert (a -> STOP) [> b -> STOP [FD= (a -> STOP [] b -> STOP) |~| b -> STOP
        assert (a -> STOP [] b -> STOP) |~| b -> STOP [FD= (a -> STOP) [> b -> STOP
        assert (a -> SKIP ||| b -> SKIP) ; c -> SKIP [FD= (a -> b -> c -> SKIP [] b -> a -> c -> SKIP)
        assert (a -> b -> STOP) [{a, b} || {b, c}] (b -> c -> STOP) [FD= a -> b -> c -> STOP
        assert || i : {0, 1} @ [if i == 0 then {a, b} else {b, c}] (if i == 0 then a -> b -> STOP else b -> c -> STOP)
               [FD= a -> b -> c -> STOP
        assert RUN(S) [T= CHAOS(S)
        assert CHAOS(S) [F= a -> STOP
        assert false & a -> STOP [FD= STOP
        assert ; x : <a, b> @ x -> SKIP [FD= a -> b -> SKIP
        assert ||| x : S @ x -> STOP [T= a -> c -> b -> STOP
        assert [|{a}|] i : {1..3} @ a -> STOP [FD= a -> STOP
        -- what SKIP beside a choice may do
        assert SKIP [] a -> STOP [F= SKIP
        assert not SKIP [T= SKIP [] a -> STOP
        -- divergence
        P = a -> P
        assert not P \ {a} :[divergence free]
        assert P :[divergence free]
        assert DIV [FD= CHAOS(S)
        assert not STOP [FD= P \ {a}
        assert STOP [F= P \ {a}
        assert P :[deadlock free [F]]
        assert not a -> STOP :[deadlock free]
        assert SKIP :[deadlock free]
        assert not (a -> STOP |~| a -> b -> STOP) :[deterministic [F]]
        assert a -> STOP [] b -> STOP :[deterministic]
        assert a -> b -> STOP :[has trace]: <a, b>
        assert not a -> b -> STOP :[has trace [T]]: <b>
        transparent normal
        assert normal(P) [FD= P
    )");
}

// Laws, with random operands: each holds whatever P, Q and R are.
class RandomProcess {
public:
    explicit RandomProcess(std::uint64_t seed) : random_(seed) {}

    std::string operator()(int depth) {
        auto pick = [&](std::size_t n) { return random_() % n; };
        std::string event(1, "abc"[pick(3)]);
        if (depth == 0)
            return std::vector<std::string>{"STOP", "SKIP", "(a -> SKIP)", "(b -> STOP)"}[pick(4)];
        std::string sets[] = {"{a}", "{a, b}", "{}", "{b, c}"};
        std::string p = (*this)(depth - 1);
        switch (pick(12)) {
            case 0:
            case 1:
            case 2: return fmt::format("({} -> {})", event, p);
            case 3: return fmt::format("({} [] {})", p, (*this)(depth - 1));
            case 4: return fmt::format("({} |~| {})", p, (*this)(depth - 1));
            case 5: return fmt::format("({} ; {})", p, (*this)(depth - 1));
            case 6: return fmt::format("({} [|{}|] {})", p, sets[pick(4)], (*this)(depth - 1));
            case 7: return fmt::format("({} \\ {})", p, sets[pick(4)]);
            case 8: return fmt::format("({} [[a <- {}]])", p, event);
            case 9: return fmt::format("({} /\\ {})", p, (*this)(depth - 1));
            case 10: return fmt::format("({} [> {})", p, (*this)(depth - 1));
            default: return fmt::format("({} [|{}|> {})", p, sets[pick(4)], (*this)(depth - 1));
        }
    }

private:
    std::mt19937_64 random_;
};

TEST(Csp, LawsHoldForRandomOperands) {
    // Each side refines the other, in the model named; FD where none is named.
    const std::pair<std::string_view, std::string_view> laws[] = {
        {"P [] P", "P"},
        {"P [] Q", "Q [] P"},
        {"(P [] Q) [] R", "P [] (Q [] R)"},
        {"P [] STOP", "P"},
        {"P |~| Q", "Q |~| P"},
        {"(P |~| Q) |~| R", "P |~| (Q |~| R)"},
        {"P [] (Q |~| R)", "(P [] Q) |~| (P [] R)"},
        {"P |~| (Q [] R)", "(P |~| Q) [] (P |~| R)"},
        {"a -> (P |~| Q)", "(a -> P) |~| (a -> Q)"},
        {"(P |~| Q) ; R", "(P ; R) |~| (Q ; R)"},
        {"P ; (Q ; R)", "(P ; Q) ; R"},
        {"SKIP ; P", "P"},
        {"STOP ; P", "STOP"},
        {"(a -> P) ; Q", "a -> (P ; Q)"},
        {"P ||| Q", "Q ||| P"},
        {"P ||| (Q ||| R)", "(P ||| Q) ||| R"},
        {"P ||| SKIP", "P"},
        {"P [|{a}|] (Q |~| R)", "(P [|{a}|] Q) |~| (P [|{a}|] R)"},
        {"P [|{a, b}|] Q", "Q [|{a, b}|] P"},
        {"(a -> P) [|{a}|] (a -> Q)", "a -> (P [|{a}|] Q)"},
        {"(a -> P) [|{a, b}|] (b -> Q)", "STOP"},
        {"(a -> P) [|{c}|] (b -> Q)", "a -> (P [|{c}|] (b -> Q)) [] b -> ((a -> P) [|{c}|] Q)"},
        {"(P |~| Q) \\ {a}", "(P \\ {a}) |~| (Q \\ {a})"},
        {"(P \\ {a}) \\ {b}", "P \\ {a, b}"},
        {"(a -> P) \\ {a}", "P \\ {a}"},
        {"(b -> P) \\ {a}", "b -> (P \\ {a})"},
        {"(a -> P [] b -> Q) \\ {a}", "((b -> (Q \\ {a})) [] (P \\ {a})) |~| (P \\ {a})"},
        {"(P [] Q) [[a <- b]]", "(P [[a <- b]]) [] (Q [[a <- b]])"},
        {"(P |~| Q) [[a <- b]]", "(P [[a <- b]]) |~| (Q [[a <- b]])"},
        {"(a -> P) [[a <- b]]", "b -> (P [[a <- b]])"},
        {"(a -> P) /\\ Q", "(a -> (P /\\ Q)) [] Q"},
        {"(a -> P) [|{a}|> Q", "a -> Q"},
        {"(b -> P) [|{a}|> Q", "b -> (P [|{a}|> Q)"},
        {"P [> Q", "(P [] Q) |~| Q"},
        {"P [a <-> b] Q", "(P [[a <- m]] [|{m}|] Q [[b <- m]]) \\ {m}"},
        {"P [a <-> b, b <-> a] Q", "(P [[a <- m, b <- n]] [|{m, n}|] Q [[b <- m, a <- n]]) \\ {m, n}"},
        {"P [{a, b, c} || {a, b, c}] Q", "P [|{a, b, c}|] Q"},
    };
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        RandomProcess random(seed);
        std::string text = "channel a, b, c, m, n\n";
        for (char name : {'P', 'Q', 'R'}) text += fmt::format("{} = {}\n", name, random(3));
        for (const auto& [left, right] : laws)
            text += fmt::format(
                "assert {0} [FD= {1}\nassert {1} [FD= {0}\nassert {0} [F= {1}\nassert {1} [F= {0}\n", left,
                right);
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        expect_all_hold(text);
        if (HasFailure()) break;
    }
}

TEST(Csp, ALawThatIsNoneIsRefuted) {
    Read read(
        "channel a, b\nP = a -> STOP\nassert a -> P [] a -> b -> P [F= a -> (P [] b -> P)\n"
        "assert a -> (P [] b -> P) [F= a -> P [] a -> b -> P\n");
    ASSERT_TRUE(read.script) << read.faults();
    EXPECT_EQ(read.script->check(0, {}).answer, Answer::holds);
    Checked wrong = read.script->check(1, {});
    EXPECT_EQ(wrong.answer, Answer::fails);
    ASSERT_TRUE(wrong.counterexample);
    EXPECT_EQ(wrong.counterexample->violation, explore::Violation::refusal);
}

TEST(Csp, InfiniteProcessesAreSearchedToABound) {
    explore::Limits limits;
    limits.states = 500;
    Read read(R"(
        channel up, down
        COUNT(n) = up -> COUNT(n + 1) [] n > 0 & down -> COUNT(n - 1)
        GROW = up -> (GROW ||| down -> STOP)
        WIDE = up -> WIDE [] down -> WIDE
        assert WIDE [T= COUNT(0)
        assert WIDE [T= GROW
        assert up -> up -> STOP [T= COUNT(0)
    )");
    ASSERT_TRUE(read.script) << read.faults();
    EXPECT_EQ(read.script->check(0, limits).answer, Answer::undecided);
    EXPECT_EQ(read.script->check(1, limits).answer, Answer::undecided);
    Checked found = read.script->check(2, limits);
    EXPECT_EQ(found.answer, Answer::fails);
    EXPECT_EQ(found.trace.size(), 2u);
    EXPECT_TRUE(read.diagnostics.ok()) << read.faults();
}

TEST(Csp, RunawayComputationsAreReported) {
    for (const char* text :
         {"f(x) = f(x + 1)\nassert if f(0) == 1 then STOP else SKIP [T= STOP\n", "P = P\nassert P [T= STOP\n",
          "channel a\nP = P [] a -> STOP\nassert P [T= STOP\n",
          "channel a\nP = P ||| a -> STOP\nassert P [T= STOP\n",
          "channel c : Int\nassert c?x -> STOP [T= STOP\n",
          "X = {0..9999999}\nassert STOP [T= if card(X) == 1 then STOP else SKIP\n",
          "P(x) = P(x + 1) [] STOP\nassert P(0) [T= STOP\n",
          "P(x) = P(x + 1) |~| STOP\nassert P [T= STOP\n"}) {
        Read read(text);
        ASSERT_TRUE(read.script) << read.faults() << text;
        EXPECT_FALSE(read.script->check(0, {}).answer) << text;
        EXPECT_FALSE(read.diagnostics.ok()) << text;
    }
}

}  // namespace
}  // namespace treaty::csp
