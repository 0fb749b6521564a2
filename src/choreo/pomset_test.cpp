#include "choreo/pomset.h"

#include <gtest/gtest.h>

#include "choreo/pomset_language.h"
#include "choreo/random_protocol.h"
#include "choreo/testing_notation.h"
#include "choreo/testing_pomsets.h"
#include "choreo/testing_seeds.h"

namespace treaty::choreo {
namespace {

using testing::order_text;
using testing::read;
using testing::TestProtocol;

std::vector<std::string> orders(const TestProtocol& t, PomsetLimits limits = {}) {
    std::vector<std::string> result;
    for (const Pomset& p : enumerate_pomsets(*t.spec, *t.protocol, limits).branches)
        result.push_back(order_text(*t.spec->alphabet, p));
    return result;
}

TEST(Pomset, Example2_1_OrdersAllEventsOfARole) {
    EXPECT_EQ(orders(read("A->B:x ; A->B:y")),
              (std::vector<std::string>{"AB!x<AB?x AB!x<AB!y AB?x<AB?y AB!y<AB?y"}));
}

const char* const withdraw =
    "C->A:withdraw ; A->B:authW ; ch B { B->A:deny ; A->C:bye } { B->A:allow ; A->C:money }";

TEST(Pomset, Example2_2_Withdraw) {
    std::string common = "CA!withdraw<CA?withdraw CA?withdraw<AB!authW AB!authW<AB?authW AB?authW<BA!";
    EXPECT_EQ(
        orders(read(withdraw)),
        (std::vector<std::string>{common + "deny BA!deny<BA?deny BA?deny<AC!bye AC!bye<AC?bye",
                                  common + "allow BA!allow<BA?allow BA?allow<AC!money AC!money<AC?money"}));
}

TEST(Pomset, Example2_2_WithParallelInsteadOfChoice) {
    auto t = read("C->A:withdraw ; A->B:authW ; par { B->A:deny ; A->C:bye } { B->A:allow ; A->C:money }");
    EXPECT_EQ(orders(t),
              (std::vector<std::string>{
                  "CA!withdraw<CA?withdraw CA?withdraw<AB!authW AB!authW<AB?authW AB?authW<BA!deny "
                  "AB?authW<BA!allow BA!deny<BA?deny BA?deny<AC!bye AC!bye<AC?bye "
                  "BA!allow<BA?allow BA?allow<AC!money AC!money<AC?money"}));
}

TEST(Pomset, LoopsGiveOneBranchARound) {
    EXPECT_EQ(orders(read("rep A { A->B:x }"), {.rounds = 2}),
              (std::vector<std::string>{"", "AB!x<AB?x", "AB!x<AB?x AB!x<AB!x AB?x<AB?x AB!x<AB?x"}));
}

TEST(Pomset, LimitsAreKeptAndSaid) {
    auto t = read("ch A { A->B:x } { A->B:y } ; ch A { A->B:x } { A->B:y } ; ch A { A->B:x } { A->B:y }");
    auto family = enumerate_pomsets(*t.spec, *t.protocol, {.branches = 5});
    EXPECT_LE(family.branches.size(), 5u);
    EXPECT_FALSE(family.reason.empty());
    EXPECT_EQ(enumerate_pomsets(*t.spec, *t.protocol).branches.size(), 8u);
}

TEST(Pomset, InterruptionAndSemaphoresAreRefused) {
    for (const char* text : {"try { A->B:x } { B->A:y }", "par { sig s } { wait s }"}) {
        auto t = read(text);
        EXPECT_TRUE(enumerate_pomsets(*t.spec, *t.protocol).branches.empty());
        EXPECT_FALSE(enumerate_pomsets(*t.spec, *t.protocol).reason.empty());
        auto language = PomsetLanguage::of(*t.spec, *t.protocol);
        ASSERT_FALSE(language);
        EXPECT_FALSE(language.error().empty());
    }
}

// A word as "AB!x AB?x".
std::vector<model::LabelId> word(const TestProtocol& t, const std::string& text) {
    std::vector<model::LabelId> result;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = std::min(text.find(' ', i), text.size());
        auto role = [&](std::size_t k) { return t.spec->alphabet->role(text.substr(i + k, 1)); };
        auto message = t.spec->alphabet->message(text.substr(i + 3, end - i - 3));
        result.push_back(text[i + 2] == '!' ? t.spec->alphabet->send(role(0), role(1), message)
                                            : t.spec->alphabet->receive(role(0), role(1), message));
        i = end + 1;
    }
    return result;
}

bool has_prefix(const TestProtocol& t, const std::string& text) {
    auto language = PomsetLanguage::of(*t.spec, *t.protocol);
    return language->contains_prefix(word(t, text)) == base::Answer::holds;
}
bool has_word(const TestProtocol& t, const std::string& text) {
    auto language = PomsetLanguage::of(*t.spec, *t.protocol);
    return language->contains(word(t, text)) == base::Answer::holds;
}

TEST(PomsetLanguage, Example2_1) {
    auto t = read("A->B:x ; A->B:y");
    EXPECT_TRUE(has_word(t, "AB!x AB!y AB?x AB?y"));
    EXPECT_TRUE(has_word(t, "AB!x AB?x AB!y AB?y"));
    EXPECT_FALSE(has_prefix(t, "AB!y"));
    EXPECT_FALSE(has_prefix(t, "AB!x AB!y AB?y"));
}

TEST(PomsetLanguage, Example2_3) {
    auto t = read("C->A:withdraw ; A->B:authW ; par { B->A:deny ; A->C:bye } { B->A:allow ; A->C:money }");
    std::string start = "CA!withdraw CA?withdraw AB!authW AB?authW ";
    EXPECT_TRUE(has_word(t, start + "BA!deny BA?deny AC!bye AC?bye BA!allow BA?allow AC!money AC?money"));
    EXPECT_TRUE(has_word(t, start + "BA!allow BA?allow AC!money AC?money BA!deny BA?deny AC!bye AC?bye"));
    EXPECT_TRUE(has_prefix(t, start + "BA!allow BA!deny BA?deny"));
    EXPECT_FALSE(has_word(t, start + "BA!deny BA?deny AC!bye AC?bye"));
    EXPECT_FALSE(has_prefix(t, "CA!withdraw AB!authW"));
}

TEST(PomsetLanguage, ChoicesStayOpenUntilAnEventTellsThem) {
    auto t = read("ch A { A->B:x ; A->B:y } { A->B:x ; A->B:z }");
    auto language = PomsetLanguage::of(*t.spec, *t.protocol);
    auto after_x = language->after(language->start(), word(t, "AB!x")[0]);
    EXPECT_EQ(language->next(after_x).size(), 3u);  // y, z, and the reception
}

TEST(PomsetLanguage, RolesRunAheadInLoops) {
    auto t = read("rep A { A->B:x ; A->C:y }");
    EXPECT_TRUE(has_word(t, "AB!x AC!y AB!x AC!y AC?y AC?y AB?x AB?x"));
    EXPECT_FALSE(has_prefix(t, "AB!x AC!y AB!x AC!y AC?y AC?y AC?y"));
    EXPECT_FALSE(has_word(t, "AB!x AC!y AB!x AC!y AC?y AC?y AB?x"));
}

TEST(PomsetLanguage, EndlessRecursionHasPrefixesButNoWords) {
    auto t = read("rec L { A->B:x ; cont L } ; A->B:y");
    EXPECT_TRUE(has_prefix(t, "AB!x AB?x AB!x AB!x"));
    EXPECT_FALSE(has_word(t, "AB!x AB?x"));
    EXPECT_FALSE(has_prefix(t, "AB!x AB!y"));
}

TEST(PomsetLanguage, NestedRecursionsContinueTheOneNamed) {
    auto t =
        read("rec L { A->B:x ; rec M { A->B:y ; ch A { A->B:m ; cont M } { A->B:l ; cont L } { A->B:e } } }");
    EXPECT_TRUE(has_prefix(t, "AB!x AB!y AB!m AB!y AB!l AB!x AB!y AB!e"));
    EXPECT_FALSE(has_prefix(t, "AB!x AB!y AB!m AB!x"));
    EXPECT_FALSE(has_prefix(t, "AB!x AB!y AB!l AB!y"));
}

TEST(PomsetLanguage, LongSequencesAreFollowedInTheirOwnTime) {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "A->B:x ; B->C:y ; ";
    auto t = read(text);
    auto language = PomsetLanguage::of(*t.spec, *t.protocol);
    Residual at = language->start();
    auto events = word(t, "AB!x AB?x BC!y BC?y");
    for (int i = 0; i < 3000; ++i)
        for (auto e : events) at = language->after(at, e);
    EXPECT_TRUE(language->complete(at));
}

// What a branch-by-branch enumeration of linearisations says, for words of up to `length` events.
void compare_with_enumeration(const model::Specification& spec, const model::Protocol& protocol,
                              std::uint32_t rounds, std::size_t length, const std::string& name) {
    auto family = enumerate_pomsets(spec, protocol, {.rounds = rounds, .branches = 200, .events = 4000});
    if (!family.reason.empty()) return;
    auto language = PomsetLanguage::of(spec, protocol);
    ASSERT_TRUE(language) << name;
    ASSERT_EQ(testing::compare_languages(family.branches, *language, *spec.alphabet, length), "") << name;
}

TEST(PomsetLanguage, AgreesWithEnumerationOnAllSmallChoreographies) {
    std::size_t count = 0;
    testing::for_all_choreographies({"A->B:x", "B->A:x", "A->C:x", "C->B:y", "A->B:y"}, 3, false,
                                    [&](const std::string& text) {
                                        ++count;
                                        auto t = read(text);
                                        compare_with_enumeration(*t.spec, *t.protocol, 0, 6, text);
                                    });
    EXPECT_GT(count, 1000u);
}

// With loops the enumeration must have more rounds than the words can use.
TEST(PomsetLanguage, AgreesWithEnumerationOnAllSmallLoops) {
    std::size_t count = 0;
    testing::for_all_choreographies({"A->B:x", "B->A:x", "C->D:y"}, 2, true, [&](const std::string& text) {
        ++count;
        auto t = read(text);
        compare_with_enumeration(*t.spec, *t.protocol, 4, 3, text);
    });
    EXPECT_GT(count, 100u);
}

// An endless loop is split into its independent parts; the enumeration unrolls it as a whole.
TEST(PomsetLanguage, AgreesWithEnumerationOnAllSmallEndlessLoops) {
    std::size_t count = 0, compared = 0;
    testing::for_all_choreographies(
        {"A->B:x", "C->D:y", "B->A:z", "D->C:w"}, 3, true, [&](const std::string& body) {
            if (++count % 11 != 0) return;
            auto endless = read("rec L { { " + body + " } ; cont L }");
            auto rounds = read("rep - { " + body + " }");
            auto family = enumerate_pomsets(*rounds.spec, *rounds.protocol,
                                            {.rounds = 4, .branches = 700, .events = 8000});
            if (!family.reason.empty()) return;
            ++compared;
            auto language = PomsetLanguage::of(*endless.spec, *endless.protocol);
            ASSERT_EQ(
                testing::compare_languages(family.branches, *language, *endless.spec->alphabet, 3, true), "")
                << body;
        });
    EXPECT_GT(compared, 40u);
}

// Each message is received at once; so many residuals are met, at most `limit`.
std::size_t residuals_when_received_at_once(const TestProtocol& t, std::size_t limit) {
    auto language = PomsetLanguage::of(*t.spec, *t.protocol);
    model::Alphabet& alphabet = *t.spec->alphabet;
    std::vector<Residual> met{language->start()};
    for (std::size_t i = 0; i < met.size() && met.size() < limit; ++i)
        for (model::LabelId sent : language->next(met[i])) {
            model::Event event = alphabet.event(sent);
            if (event.kind != model::EventKind::send) continue;
            event.kind = model::EventKind::receive;
            Residual at = language->after(language->after(met[i], sent), alphabet.label(event));
            if (language->possible(at) && std::find(met.begin(), met.end(), at) == met.end())
                met.push_back(at);
        }
    return met.size();
}

TEST(PomsetLanguage, EndlessLoopsOfSeparateRolesDoNotCountWhoIsAhead) {
    for (const char* body :
         {"A->B:m ; C->D:n", "A->B:m ; B->A:k ; C->D:n ; D->C:l", "par { A->B:m } { C->D:n } ; E->F:o",
          "ch A { A->B:m ; C->D:n } { A->B:k ; C->D:n }",
          "A->B:m ; C->D:n ; ch A { A->B:x } { A->B:y } ; ch C { C->D:x } { C->D:y }"})
        EXPECT_LT(
            residuals_when_received_at_once(read("rec L { { " + std::string(body) + " } ; cont L }"), 100),
            100u)
            << body;
    // Here both take the same branch in each round, so how far one is ahead does matter.
    auto coupled = read("rec L { ch A { A->B:m ; C->D:n } { A->B:k ; C->D:l } ; cont L }");
    EXPECT_TRUE(has_prefix(coupled, "AB!m AB?m AB!k CD!n CD?n CD!l"));
    EXPECT_FALSE(has_prefix(coupled, "AB!m AB?m AB!k CD!n CD?n CD!n"));
}

TEST(PomsetLanguage, WhatWasAnsweredStaysAnsweredWhenThereIsNoRoomLeft) {
    auto t = read("rep A { A->B:m ; C->D:n } ; A->C:x");
    auto language = PomsetLanguage::of(*t.spec, *t.protocol, 200);
    auto events = word(t, "AB!m AB?m");
    std::vector<Residual> way{language->start()};
    std::optional<Residual> next = way[0];
    for (std::size_t i = 0; (next = language->try_after(way.back(), events[i % 2])); ++i)
        way.push_back(*next);
    EXPECT_TRUE(language->exhausted());
    EXPECT_GT(way.size(), 10u);
    for (std::size_t i = 0; i + 1 < way.size(); ++i)
        EXPECT_EQ(language->try_after(way[i], events[i % 2]), way[i + 1]);
}

TEST(PomsetLanguage, AgreesWithEnumerationOnRandomProtocols) {
    for (std::uint64_t seed = 1; seed <= testing::seeds(500); ++seed) {
        model::Specification spec;
        RandomShape shape;
        shape.steps = 4;
        shape.loops = false;
        auto protocol = random_protocol(spec, shape, seed);
        compare_with_enumeration(spec, protocol, 0, 5, "seed " + std::to_string(seed));
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace treaty::choreo
