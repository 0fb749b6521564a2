#include "solve/automaton.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <random>

#include "expr/random_expressions.h"

namespace treaty::solve {
namespace {

std::string random_pattern(std::mt19937_64& random, int depth) {
    auto below = [&](std::size_t n) { return random() % n; };
    if (depth == 0) {
        constexpr const char* atoms[] = {"a", "b", "[bc]", "[^a]", ".", "\\d", "c", "[c-e]", "x", "\\."};
        return atoms[below(10)];
    }
    std::string inner = random_pattern(random, depth - 1);
    switch (below(6)) {
        case 0: return "(" + inner + ")*";
        case 1: return "(?:" + inner + ")+";
        case 2: return "(" + inner + "|" + random_pattern(random, depth - 1) + ")";
        case 3: return "(" + inner + "){1,2}";
        case 4: return "(" + inner + ")?";
        default: return inner + random_pattern(random, depth - 1);
    }
}

TEST(Automaton, AgreesWithRe2OnSmallTexts) {
    std::mt19937_64 random(expr::property_seed());
    std::vector<std::string> texts{""};
    for (std::size_t i = 0; i < texts.size() && texts.size() < 400; ++i)
        for (char c : {'a', 'b', 'A', 'c', '1', '.', '\n'}) texts.push_back(texts[i] + c);
    for (int round = 0; round < 300; ++round) {
        std::string pattern = random_pattern(random, 1 + static_cast<int>(random() % 3));
        if (random() % 4 == 0) pattern = "(?i)" + pattern;
        auto automaton = Automaton::of(pattern);
        ASSERT_TRUE(automaton) << pattern;
        RE2 re(pattern);
        ASSERT_TRUE(re.ok()) << pattern;
        for (const std::string& text : texts)
            ASSERT_EQ(automaton->matches(text), RE2::FullMatch(text, re)) << pattern << " on " << text;
        if (auto shortest = automaton->shortest()) {
            EXPECT_TRUE(RE2::FullMatch(*shortest, re)) << pattern;
        }
        Automaton complement = automaton->complement();
        for (const std::string& text : texts) ASSERT_NE(complement.matches(text), automaton->matches(text));
        auto other = Automaton::of(random_pattern(random, 2));
        auto both = automaton->both(*other);
        ASSERT_TRUE(both);
        for (const std::string& text : texts)
            ASSERT_EQ(both->matches(text), automaton->matches(text) && other->matches(text));
    }
}

TEST(Automaton, WhatItCannotReadItRefuses) {
    for (const char* pattern : {"\\bword", "a^b", "\\pL", "(", "[", "a{2000}", "*"})
        EXPECT_FALSE(Automaton::of(pattern)) << pattern;
    EXPECT_TRUE(Automaton::of("^abc$")->matches("abc"));
    EXPECT_EQ(read_pattern("HELO|EHLO")->simplest_text(), "HELO");
    EXPECT_EQ(Automaton::of("a|bb")->prefix_free(), true);
    EXPECT_EQ(Automaton::of("a|ab")->prefix_free(), false);
}

}  // namespace
}  // namespace treaty::solve
