#include "base/shared_vector.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>

namespace treaty::base {
namespace {

using Shared = SharedVector<std::string>;
using Plain = std::vector<std::string>;

void expect_same(const Shared& a, const Plain& b) {
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    ASSERT_EQ(a.size(), b.size());
    ASSERT_EQ(a.empty(), b.empty());
}

// Random changes of some vectors that are copied to each other, beside plain ones.
TEST(SharedVector, IsAVector) {
    std::mt19937_64 random(7);
    auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    constexpr std::size_t count = 4;
    std::array<Shared, count> shared;
    std::array<Plain, count> plain;
    for (int step = 0; step < 30'000; ++step) {
        std::size_t i = below(count);
        Shared& a = shared[i];
        Plain& b = plain[i];
        std::string text(below(40), static_cast<char>('a' + below(26)));
        std::size_t at = below(b.size() + 1);
        auto place = static_cast<std::ptrdiff_t>(at);
        switch (below(14)) {
            case 0: a.push_back(text), b.push_back(text); break;
            case 1: a.emplace_back(3, 'x'), b.emplace_back(3, 'x'); break;
            case 2:
                if (!b.empty()) a.pop_back(), b.pop_back();
                break;
            case 3: a.insert(std::as_const(a).begin() + at, text), b.insert(b.begin() + place, text); break;
            case 4:
                if (at < b.size()) a.erase(a.begin() + at), b.erase(b.begin() + place);
                break;
            case 5:
                if (at < b.size()) a[at] = text, b[at] = text;
                break;
            case 6: {
                std::size_t other = below(count);
                shared[other] = a, plain[other] = b;
                break;
            }
            case 7: {
                std::size_t other = below(count);
                shared[other].copy_from(a), plain[other] = b;
                break;
            }
            case 8: {
                Shared moved = std::move(a);
                a = std::move(moved);
                break;
            }
            case 9: std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end()); break;
            case 10: {
                auto goes = [&](const std::string& s) { return s < text; };
                ASSERT_EQ(erase_if(a, goes), std::erase_if(b, goes));
                break;
            }
            case 11:
                if (b.size() < 200) {
                    Plain more{text, "y"};
                    a.insert(std::as_const(a).begin() + at, more.begin(), more.end());
                    b.insert(b.begin() + place, more.begin(), more.end());
                }
                break;
            case 12: a.resize(at), b.resize(at); break;
            default:
                if (below(20) == 0) a.clear(), b.clear();
                if (!b.empty()) a.push_back(a.front()), b.push_back(Plain(b).front());
        }
        for (std::size_t k = 0; k < count; ++k) expect_same(shared[k], plain[k]);
        for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(shared[0] == shared[k], plain[0] == plain[k]);
    }
}

TEST(SharedVector, CopiesShareUntilOneIsChanged) {
    Shared a{"x", "y"};
    Shared b = a;
    EXPECT_TRUE(a.shares_with(b));
    EXPECT_EQ(std::as_const(b)[1], "y");
    EXPECT_TRUE(a.shares_with(b));
    b[0] = "z";
    EXPECT_FALSE(a.shares_with(b));
    EXPECT_EQ(std::as_const(a)[0], "x");
}

TEST(SharedVector, ForgetsWhatWasNotedWhenItChanges) {
    Shared a{"x"};
    a.note(7);
    Shared b = a;
    EXPECT_EQ(b.noted(), 7u);
    b.push_back("y");
    EXPECT_EQ(b.noted(), 0u);
    EXPECT_EQ(a.noted(), 7u);
    a[0] = "z";
    EXPECT_EQ(a.noted(), 0u);
    EXPECT_EQ(Shared().noted(), 0u);
}

TEST(SharedVector, CopiesAreUsedInSeveralThreads) {
    Shared common;
    for (int n = 0; n < 100; ++n) common.push_back(std::to_string(n));
    std::vector<std::thread> threads;
    std::array<std::size_t, 4> sizes{};
    for (std::size_t t = 0; t < sizes.size(); ++t)
        threads.emplace_back([&common, &sizes, t] {
            for (int n = 0; n < 2000; ++n) {
                Shared copy = common;
                if (n % 3 == 0) copy.push_back("more");
                sizes[t] += copy.size();
            }
        });
    for (std::thread& one : threads) one.join();
    for (std::size_t size : sizes) EXPECT_EQ(size, 200'667u);
    EXPECT_EQ(common.size(), 100u);
}

}  // namespace
}  // namespace treaty::base
