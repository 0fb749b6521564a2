#include "explore/key_set.h"

#include <gtest/gtest.h>

#include <set>

#include "base/hash.h"

namespace treaty::explore {
namespace {

TEST(Scrambler, is_invertible_at_every_width) {
    for (unsigned bits = 1; bits <= 64; ++bits) {
        Scrambler scrambler(bits);
        std::uint64_t mask = bits == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << bits) - 1;
        for (std::uint64_t i = 0; i < 500; ++i) {
            std::uint64_t key = base::mix(i) & mask;
            EXPECT_LE(scrambler.scramble(key), mask);
            EXPECT_EQ(scrambler.unscramble(scrambler.scramble(key)), key) << bits;
        }
    }
}

TEST(KeySet, agrees_with_a_set_while_it_grows) {
    for (unsigned bits : {5u, 12u, 20u, 33u, 60u, 64u}) {
        SCOPED_TRACE(bits);
        Budget budget;
        KeySet keys(budget);
        Scrambler scrambler(bits);
        std::uint64_t mask = bits == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << bits) - 1;
        ASSERT_TRUE(keys.resize(bits, 16));
        std::set<std::uint64_t> expected;
        for (std::uint64_t i = 0; i < 20000; ++i) {
            std::uint64_t key = scrambler.scramble(base::mix(i / 2 * 7) & mask);
            KeySet::Added added = keys.add(key);
            while (added == KeySet::Added::full) {
                ASSERT_TRUE(keys.resize(bits, keys.slots() + keys.slots() / 4 + 1));
                added = keys.add(key);
            }
            EXPECT_EQ(added == KeySet::Added::yes, expected.insert(key).second);
        }
        EXPECT_EQ(keys.count(), expected.size());
        std::set<std::uint64_t> held;
        for (std::size_t i = 0; i < keys.slots(); ++i)
            if (keys.taken(i)) held.insert(keys.at(i));
        EXPECT_EQ(held, expected);
        for (std::uint64_t key : expected) EXPECT_EQ(keys.at(keys.find(key)), key);
        for (std::uint64_t i = 0; i < 1000; ++i) {
            std::uint64_t key = base::mix(i + 12345678) & mask;
            EXPECT_EQ(keys.find(key) != KeySet::nowhere, expected.count(key) == 1);
        }
    }
}

TEST(KeySet, refuses_when_the_budget_is_spent) {
    Budget budget(8192);
    KeySet keys(budget);
    ASSERT_TRUE(keys.resize(30, 100));
    EXPECT_EQ(keys.add(5), KeySet::Added::yes);
    EXPECT_FALSE(keys.resize(30, 100000));
    EXPECT_EQ(keys.add(5), KeySet::Added::no);
}

}  // namespace
}  // namespace treaty::explore
