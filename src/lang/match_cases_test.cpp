// `match`: the same protocol as a chain of `if`, the case that a plain search finds, and no value twice or
// forgotten.
#include "lang/match_cases.h"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/evaluate.h"
#include "lang/print.h"
#include "lang/testing/reading.h"

namespace treaty::lang {
namespace {

using testing::Reading;

constexpr std::string_view declarations =
    "enum Kind { get, put, quit }\n"
    "message ask(k: Kind, n: int, small: int in 0..9, t: string, b: bool, r: real)\n";

// A protocol in which B knows one value of each type; `steps` begins in line 5.
std::string protocol(const std::string& steps) {
    return fmt::format(
        "{}protocol P(A, B, C) {{\n  A -> B: ask(let k, let n, let s, let t, let b, let r)\n{}\n  B -> C: "
        "end\n}}\n",
        declarations, steps);
}

std::string printed(const std::string& steps) {
    Reading r(protocol(steps));
    return r.spec ? print(*r.spec) : r.messages();
}

std::string codes(const std::string& steps) {
    return Reading(protocol(steps)).codes();
}

TEST(Match, IsAChainOfConditions) {
    EXPECT_EQ(printed("match k { get { B -> A: a } put, quit { B -> A: b } }"),
              printed("if k == get { B -> A: a } else { B -> A: b }"));
    EXPECT_EQ(printed("match k { get { B -> A: a } put { B -> A: b } quit { B -> A: c } }"),
              printed("if k == get { B -> A: a } else if k == put { B -> A: b } else { B -> A: c }"));
    EXPECT_EQ(printed("match n + 1 { -1, 3..5 { B -> A: a } else {} }"),
              printed("when n + 1 == -1 or n + 1 >= 3 and n + 1 <= 5 { B -> A: a }"));
    EXPECT_EQ(printed("match t { \"x\" { B -> A: a } else { B -> A: b } }"),
              printed("if t == \"x\" { B -> A: a } else { B -> A: b }"));
    EXPECT_EQ(printed("match b { true { B -> A: a } false { B -> A: b } }"),
              printed("if b == true { B -> A: a } else { B -> A: b }"));
    EXPECT_EQ(printed("match k { get, put, quit { B -> A: a } }"), printed("B -> A: a"));
}

TEST(Match, EveryValueHasACase) {
    EXPECT_EQ(codes("match k { get { B -> A: a } }"), "T0411 5:1\n");
    EXPECT_EQ(codes("match k {}"), "T0411 5:1\n");
    EXPECT_EQ(codes("match b { true { B -> A: a } }"), "T0411 5:1\n");
    EXPECT_EQ(codes("match s { 0..8 { B -> A: a } }"), "T0411 5:1\n");
    EXPECT_EQ(codes("match s { 0..4 { B -> A: a } 5..9 { B -> A: b } }"), "");
    EXPECT_EQ(codes("match n { 0 { B -> A: a } }"), "T0411 5:1\n");
    EXPECT_EQ(codes("match t { \"\" { B -> A: a } }"), "T0411 5:1\n");
    // Computed values are not bounded by the range of what they are computed from.
    EXPECT_EQ(codes("let s = s + 1\nmatch s { 0..9 { B -> A: a } }"), "T0411 6:1\n");
}

TEST(Match, NamesWhatIsMissing) {
    EXPECT_EQ(
        Reading(protocol("match k { put { B -> A: a } }")).messages(),
        "T0411 5:1 this match has no case for `get` and `quit`; add the missing cases, or else { ... }\n");
    EXPECT_EQ(
        Reading(protocol("match s { 2 { B -> A: a } 4..8 { B -> A: b } }")).messages(),
        "T0411 5:1 this match has no case for `0..1`, `3` and `9`; add the missing cases, or else { ... }\n");
}

TEST(Match, NoCaseIsInVain) {
    EXPECT_EQ(codes("match k { get { B -> A: a } get { B -> A: b } else { B -> A: c } }"), "T0412 5:29\n");
    EXPECT_EQ(codes("match n { 1..5 { B -> A: a } 0, 5..7 { B -> A: b } else { B -> A: c } }"),
              "T0412 5:33\n");
    EXPECT_EQ(codes("match t { \"a\", \"a\" { B -> A: a } else {} }"), "T0412 5:16\n");
    EXPECT_EQ(codes("match b { true, false { B -> A: a } else {} }"), "T0412 5:37\n");
    EXPECT_EQ(codes("match n { else { B -> A: a } 1 { B -> A: b } }"), "T0412 5:30\n");
    EXPECT_EQ(codes("match s { 5..12 { B -> A: a } else {} }"), "T0309 5:14\n");
    EXPECT_EQ(codes("match s { 3 + 7 { B -> A: a } else {} }"), "T0309 5:11\n");
}

TEST(Match, CasesAreConstantsOfTheType) {
    EXPECT_EQ(codes("match n { s { B -> A: a } else {} }"), "T0311 5:11\n");
    EXPECT_EQ(codes("match n { 9223372036854775807 + 1 { B -> A: a } else {} }"), "T0311 5:11\n");
    EXPECT_EQ(codes("match n { get { B -> A: a } else {} }"), "T0301 5:11\n");
    EXPECT_EQ(codes("match k { got { B -> A: a } else {} }"), "T0207 5:11\n");
    EXPECT_EQ(codes("match r { 1 { B -> A: a } else {} }"), "T0301 5:7\n");
    EXPECT_EQ(codes("match n { 5..1 { B -> A: a } else {} }"), "T0307 5:11\n");
    EXPECT_EQ(codes("match t { \"a\"..\"b\" { B -> A: a } else {} }"), "T0307 5:11\n");
    EXPECT_EQ(codes("match z { 1 { B -> A: a } else { B -> X: a } }"), "T0207 5:7\nT0202 5:39\n");
}

TEST(Match, WhoDecidesKnowsTheValue) {
    EXPECT_EQ(codes("match k { get { C -> A: a } put { C -> A: b } quit { C -> A: c } }"), "T0401 5:1\n");
}

TEST(Match, FaultsOfTheTextAreOneEach) {
    EXPECT_EQ(codes("match {\n  get { B -> A: a }\n}"), "T0110 5:7\n");
    EXPECT_EQ(codes("match n { _ { B -> A: a } }"), "T0110 5:11\n");
    EXPECT_EQ(codes("match n {\n  case 1 { B -> A: a }\n  2 -> { B -> A: b }\n  else { B -> X: b }\n}"),
              "T0110 6:8\nT0110 7:5\n");
    EXPECT_EQ(codes("match n {\n  1 {\n    B -> A: a\n  else {\n    B -> A: b\n  }\n}"), "T0111 6:5\n");
    EXPECT_EQ(codes("match n\n  1 { B -> A: a }\n  else { B -> A: b }\n}"), "T0110 5:8\n");
    EXPECT_EQ(codes("  match n {\n    1 { B -> A: a }\n"), "T0111 5:11\n");
    EXPECT_EQ(codes("match n {\n  B -> A: a\n  1 { B -> X: a }\n  else {}\n}"), "T0110 6:3\n");
}

TEST(Match, CalledProtocolsNestAsDeepAsTheirCases) {
    std::string cases;
    for (int i = 0; i < 380; ++i) cases += fmt::format("    {} {{ a -> b: m{} }}\n", i, i);
    std::string text = "message n(x: int)\nprotocol Q(a, b) {\n  a -> b: n(let x)\n  match x {\n" + cases +
                       "    else {}\n  }\n}\nprotocol P(A, B) {\n  do Q(A, B)\n  do Q(B, A)\n}\n";
    EXPECT_EQ(Reading(text).codes(), "");
    std::string many;
    for (int i = 0; i <= 100; ++i) many += fmt::format("{}{}", i == 0 ? "" : ", ", i);
    EXPECT_EQ(codes("match n { " + many + " { B -> A: a } else {} }"), "T0107 5:401\n");
}

// Random cases over 0..9, against a list that says for each value which case has it.
TEST(Match, TakesTheCaseThatHasTheValue) {
    std::mt19937 random(7);
    std::size_t fine = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<int> owner(10, -1);
        bool repeated = false;
        std::string cases;
        int count = 1 + static_cast<int>(random() % 4);
        for (int c = 0; c < count; ++c) {
            for (std::size_t v = 1 + random() % 2; v > 0; --v) {
                std::size_t low = random() % 10;
                std::size_t high = random() % 2 == 0 ? low : std::min<std::size_t>(9, low + random() % 4);
                for (std::size_t x = low; x <= high; ++x) {
                    if (owner[x] >= 0) repeated = true;
                    if (owner[x] < 0) owner[x] = c;
                }
                cases += low == high ? fmt::format("{}", low) : fmt::format("{}..{}", low, high);
                cases += v > 1 ? ", " : " ";
            }
            cases += fmt::format("{{ B -> A: m{} }} ", c);
        }
        bool complete = std::find(owner.begin(), owner.end(), -1) == owner.end();
        bool otherwise = random() % 2 == 0;
        if (otherwise) cases += fmt::format("else {{ B -> A: m{} }} ", count);
        Reading r(protocol("match s { " + cases + "}"));
        ASSERT_EQ(!r.spec.has_value(), repeated || complete == otherwise) << cases << r.messages();
        if (!r.spec) continue;
        ++fine;
        const model::Protocol& p = r.spec->protocols.back();
        for (int x = 0; x < 10; ++x) {
            model::NodeId at = p.children(p.root())[1];
            for (;;) {
                while (p[at].kind == model::NodeKind::sequence) at = p.children(at)[0];
                if (p[at].kind != model::NodeKind::conditional) break;
                expr::Environment values;
                values.set(r.spec->pool->variables_of(p[at].guard).at(0), std::int64_t{x});
                at = p.children(at)[expr::satisfied(*r.spec->pool, p[at].guard, values) ? 0 : 1];
            }
            int expected =
                owner[static_cast<std::size_t>(x)] < 0 ? count : owner[static_cast<std::size_t>(x)];
            EXPECT_EQ(r.spec->alphabet->name(p[at].message), fmt::format("m{}", expected)) << cases << x;
        }
    }
    EXPECT_GT(fine, 100u);
}

}  // namespace
}  // namespace treaty::lang
