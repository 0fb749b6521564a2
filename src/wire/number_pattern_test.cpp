#include "wire/number_pattern.h"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

namespace treaty::wire {
namespace {

TEST(NumberPattern, SignAndDigits) {
    auto writing = [](const char* pattern) { return number_bounds(pattern, Side::writing); };
    auto reading = [](const char* pattern) { return number_bounds(pattern, Side::reading); };
    EXPECT_EQ(writing("-?[0-9]+"), NumberBounds());
    EXPECT_EQ(writing("[0-9]+"), (NumberBounds{0, INT64_MAX}));
    EXPECT_EQ(reading("[0-9]+"), (NumberBounds{0, INT64_MAX}));
    EXPECT_EQ(writing("[1-9][0-9]*"), (NumberBounds{1, INT64_MAX}));
    EXPECT_EQ(writing("[0-9]{3}"), (NumberBounds{0, 999}));
    EXPECT_EQ(reading("[0-9]{3}"), (NumberBounds{0, 999}));
    EXPECT_EQ(writing("[0-9]{3,4}"), (NumberBounds{100, 9999}));
    EXPECT_EQ(writing("-[0-9]{2,4}"), (NumberBounds{-9999, -10}));
    EXPECT_EQ(writing("-?[0-9]{1,2}"), (NumberBounds{-99, 99}));
    EXPECT_EQ(writing("0"), (NumberBounds{0, 0}));
    EXPECT_EQ(writing("[a-z]+"), NumberBounds());
    EXPECT_EQ(writing("\\pN+"), NumberBounds()) << "only RE2 can read it";
}

// Whatever matches is within the bounds, by trying numbers.
TEST(NumberPattern, NoNumberThatMatchesIsOutside) {
    std::size_t inside = 0, bounded = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        std::string pattern = random() % 2 ? "-?" : random() % 4 ? "" : "-";
        for (std::uint64_t i = 0, parts = 1 + random() % 3; i < parts; ++i) {
            const char* classes[] = {"[0-9]", "[1-5]", "0", "7", "[0-9]?", "(12|3)"};
            const char* counts[] = {"", "*", "+", "{2}", "{1,3}"};
            pattern += fmt::format("({}){}", classes[random() % 6], counts[random() % 5]);
        }
        SCOPED_TRACE(pattern);
        NumberBounds written = number_bounds(pattern, Side::writing),
                     read = number_bounds(pattern, Side::reading);
        if (written != NumberBounds()) {
            ++bounded;
            EXPECT_LE(read.low, written.low);
            EXPECT_GE(read.high, written.high);
        }
        for (int n = 0; n < 400; ++n) {
            auto x = static_cast<std::int64_t>(random()) >> random() % 64;
            std::string text = std::to_string(x);
            if (re2::RE2::FullMatch(text, pattern)) {
                ++inside;
                EXPECT_TRUE(written.low <= x && x <= written.high) << x;
            }
            text.insert(x < 0 ? 1 : 0, random() % 4, '0');
            if (re2::RE2::FullMatch(text, pattern)) {
                EXPECT_TRUE(read.low <= x && x <= read.high) << text;
            }
        }
    }
    EXPECT_GT(inside, 400u);
    EXPECT_GT(bounded, 40u);
}

}  // namespace
}  // namespace treaty::wire
