// A pattern among bytes against the plain meaning: all beginnings of the bytes, one after the other.
#include "wire/stream_pattern.h"

#include <gtest/gtest.h>

#include <random>

#include <re2/re2.h>

namespace treaty::wire {
namespace {

using Kind = StreamPattern::Match::Kind;

TEST(StreamPattern, GoesAsFarAsItCan) {
    auto key = StreamPattern::make("[^ \\r\\n]+");
    ASSERT_TRUE(key);
    EXPECT_EQ(key->match("abc d", false).at, 3u);
    EXPECT_EQ(key->match("abc", false).kind, Kind::more);
    EXPECT_EQ(key->match("abc", true).kind, Kind::text);
    EXPECT_EQ(key->match(" abc", false).kind, Kind::fault);
    EXPECT_EQ(key->match("", true).kind, Kind::fault);
    auto three = StreamPattern::make("[0-9][0-9][0-9]");
    ASSERT_TRUE(three);
    EXPECT_EQ(three->match("2501", false).at, 3u) << "nothing can follow, so nothing is waited for";
    EXPECT_EQ(three->match("250", false).kind, Kind::text);
    EXPECT_EQ(three->digits(), 3u);
    auto word = StreamPattern::make("ab|abcd");
    ASSERT_TRUE(word);
    EXPECT_EQ(word->match("abc!", false).kind, Kind::fault) << "it does not go back";
    EXPECT_EQ(word->match("abc!", false).at, 3u);
    EXPECT_FALSE(StreamPattern::make("a{1000}{1000}"));
}

// The text ends before the first byte with which no text that matches can begin.
TEST(StreamPattern, AgreesWithThePlainMeaning) {
    constexpr std::uint64_t seed = 11;
    std::mt19937_64 random(seed);
    for (const char* pattern : {"[ab]+", "a*b", "(ab)*", "a?b?c?", "abc|ab|b", "[^c]*", "(a|bb)+c?", "aa"}) {
        auto made = StreamPattern::make(pattern);
        ASSERT_TRUE(made) << pattern;
        re2::RE2 whole(pattern, re2::RE2::Latin1);  // bytes
        // Whether a text that matches begins with this: enough is looked at, the patterns are small.
        auto begins = [&](const std::string& text) {
            std::vector<std::string> now{text};
            for (int more = 0; more < 4; ++more) {
                std::vector<std::string> longer;
                for (const std::string& one : now) {
                    if (re2::RE2::FullMatch(one, whole)) return true;
                    for (char c : {'a', 'b', 'c', 'd'}) longer.push_back(one + c);
                }
                now = std::move(longer);
            }
            return false;
        };
        for (int round = 0; round < 200; ++round) {
            std::string bytes(random() % 7, 'a');
            for (char& c : bytes) c = static_cast<char>('a' + random() % 4);
            std::size_t end = 0;
            while (end < bytes.size() && begins(bytes.substr(0, end + 1))) ++end;
            auto match = made->match(bytes, true);
            EXPECT_EQ(match.at, end) << pattern << " " << bytes << ", seed " << seed;
            EXPECT_EQ(match.kind == Kind::text, re2::RE2::FullMatch(bytes.substr(0, end), whole))
                << pattern << " " << bytes << ", seed " << seed;
            // More bytes never change what was decided.
            auto open = made->match(bytes, false);
            if (open.kind != Kind::more) {
                EXPECT_EQ(made->match(bytes + "x", false).at, open.at);
            }
        }
        for (std::uint64_t draw = 0; draw < 50; ++draw) {
            solve::Choices choices(draw);
            std::string text = made->draw(choices);
            EXPECT_TRUE(re2::RE2::FullMatch(text, whole)) << pattern << " " << text;
        }
    }
}

}  // namespace
}  // namespace treaty::wire
