#include "campaign/failure_store.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/seeded_random.h"
#include "campaign/retry.h"

namespace treaty::campaign {
namespace {

using base::SeededRandom;

class FailureStoreTest : public ::testing::Test {
protected:
    FailureStoreTest() {
        std::string pattern = ::testing::TempDir() + "/store.XXXXXX";
        folder = mkdtemp(pattern.data());
        path = folder + "/failures.db";
    }
    ~FailureStoreTest() override { std::filesystem::remove_all(folder); }

    std::unique_ptr<FailureStore> open() {
        auto store = FailureStore::open(path);
        EXPECT_TRUE(store) << store.error();
        return std::move(*store);
    }

    std::string folder, path;
};

SavedFailure failure(std::string target, std::string cause, std::string run, std::uint64_t messages) {
    SavedFailure f;
    f.target = std::move(target);
    f.cause = std::move(cause);
    f.problem = "wrong data";
    f.reason = "it is \"wrong\"";
    f.run = std::move(run);
    f.messages = messages;
    return f;
}

// What the store should hold, kept in a map; now and then the file is closed and opened again.
TEST_F(FailureStoreTest, HoldsWhatAMapHolds) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        std::filesystem::remove(path);
        SeededRandom random(seed);
        auto store = open();
        std::map<std::int64_t, SavedFailure> model;
        std::int64_t last = 0;
        std::size_t counted = 0, improved = 0, dropped = 0;
        for (int step = 0; step < 60; ++step) {
            std::string target = "t" + std::to_string(random.below(3)),
                        cause = "c" + std::to_string(random.below(4));
            auto known = std::find_if(model.begin(), model.end(), [&](const auto& one) {
                return one.second.target == target && one.second.cause == cause;
            });
            switch (random.below(4)) {
                case 0:
                case 1: {
                    SavedFailure f =
                        failure(target, cause, "run " + std::to_string(step), 1 + random.below(9));
                    auto number = store->add(f);
                    ASSERT_TRUE(number) << number.error();
                    if (known != model.end()) {
                        EXPECT_EQ(*number, known->first);
                        ++known->second.count;
                        ++counted;
                    } else {
                        EXPECT_GT(*number, last) << "a number is never given twice";
                        last = f.number = *number;
                        model[*number] = f;
                    }
                    break;
                }
                case 2:
                    if (known != model.end()) {
                        SavedFailure f =
                            failure(target, cause, "small " + std::to_string(step), random.below(9));
                        f.number = known->first;
                        f.repeated = 3;
                        f.failed = random.below(4);
                        ASSERT_TRUE(store->improve(f));
                        if (known->second.shrunk && known->second.messages < f.messages) break;
                        f.shrunk = true;
                        f.count = known->second.count;
                        known->second = f;
                        ++improved;
                    }
                    break;
                default: {
                    std::int64_t number = 1 + static_cast<std::int64_t>(random.below(8));
                    auto was = store->drop(number);
                    ASSERT_TRUE(was);
                    EXPECT_EQ(*was, model.erase(number) == 1);
                    dropped += *was;
                }
            }
            if (random.below(10) == 0) store = open();
            auto all = store->failures();
            ASSERT_TRUE(all);
            ASSERT_EQ(all->size(), model.size());
            for (const SavedFailure& f : *all) {
                const SavedFailure& m = model.at(f.number);
                EXPECT_EQ(std::tie(f.target, f.cause, f.problem, f.reason, f.run, f.messages, f.shrunk,
                                   f.count, f.repeated, f.failed),
                          std::tie(m.target, m.cause, m.problem, m.reason, m.run, m.messages, m.shrunk,
                                   m.count, m.repeated, m.failed));
            }
            auto some = store->failures("t1");
            ASSERT_TRUE(some);
            EXPECT_EQ(some->size(),
                      static_cast<std::size_t>(std::count_if(model.begin(), model.end(), [](const auto& one) {
                          return one.second.target == "t1";
                      })));
        }
        EXPECT_GT(counted, 0u);
        EXPECT_GT(improved + dropped, 0u);
    }
}

TEST_F(FailureStoreTest, WhoIsKilledLosesNothing) {
    for (int round = 1; round <= 5; ++round) {
        int pipe_ends[2];
        ASSERT_EQ(pipe(pipe_ends), 0);
        pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            auto store = FailureStore::open(path);
            for (std::int64_t i = 0; store; ++i) {
                auto number =
                    (*store)->add(failure("t", std::to_string(round) + " " + std::to_string(i), "run", 1));
                if (number && write(pipe_ends[1], &i, sizeof i) != sizeof i) break;
            }
            _exit(1);
        }
        close(pipe_ends[1]);
        std::int64_t said = -1;
        while (said < std::int64_t{5} * round && read(pipe_ends[0], &said, sizeof said) == sizeof said) {
        }
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        while (read(pipe_ends[0], &said, sizeof said) == sizeof said) {
        }
        close(pipe_ends[0]);
        ASSERT_GE(said, 5 * round);
        auto store = open();
        auto all = store->failures("t");
        ASSERT_TRUE(all);
        std::string prefix = std::to_string(round) + " ";
        auto kept = std::count_if(all->begin(), all->end(),
                                  [&](const SavedFailure& f) { return f.cause.starts_with(prefix); });
        EXPECT_GE(kept, said + 1) << "what was said to be kept is there";
        EXPECT_LE(kept, said + 2) << "and at most the one that was being written";
    }
}

TEST_F(FailureStoreTest, CoverageIsAddedOverRunsOfOneText) {
    auto store = open();
    using Values = decltype(FailureStore::Seen::values);
    ASSERT_TRUE(
        store->merge("t", "text", {1, 10, {{"a", 2}, {"b", 1}}, {{{"m", "x"}, {{"0", 3}, {"1", 1}}}}}));
    store = open();
    auto all = store->merge(
        "t", "text", {1, 5, {{"b", 4}, {"c", 1}}, {{{"m", "x"}, {{"0", 1}}}, {{"m", "y"}, {{"1", 7}}}}});
    ASSERT_TRUE(all);
    EXPECT_EQ(all->runs, 2u);
    EXPECT_EQ(all->sessions, 15u);
    EXPECT_EQ(all->steps, (std::map<std::string, std::uint64_t>{{"a", 2}, {"b", 5}, {"c", 1}}));
    EXPECT_EQ(all->values, (Values{{{"m", "x"}, {{"0", 4}, {"1", 1}}}, {{"m", "y"}, {{"1", 7}}}}));
    auto other = store->merge("u", "text", {1, 1, {{"z", 1}}, {}});
    ASSERT_TRUE(other);
    EXPECT_EQ(other->steps.size(), 1u);
    EXPECT_TRUE(other->values.empty());
    auto changed = store->merge("t", "another text", {1, 3, {{"c", 1}}, {{{"m", "x"}, {{"1", 1}}}}});
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->runs, 1u);
    EXPECT_EQ(changed->sessions, 3u);
    EXPECT_EQ(changed->steps, (std::map<std::string, std::uint64_t>{{"c", 1}}));
    EXPECT_EQ(changed->values, (Values{{{"m", "x"}, {{"1", 1}}}}));
}

TEST_F(FailureStoreTest, WhatIsNoStoreIsRefusedAndNotChanged) {
    for (const std::string& text : {std::string("hello, world\n"), std::string(5000, '\0')}) {
        std::ofstream(path, std::ios::binary) << text;
        auto store = FailureStore::open(path);
        ASSERT_FALSE(store);
        EXPECT_FALSE(store.error().empty());
        std::ifstream file(path, std::ios::binary);
        EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
    }
    EXPECT_FALSE(FailureStore::open(folder + "/no/such/folder.db"));
    EXPECT_FALSE(FailureStore::open(folder));
}

TEST(Retry, AFlakyFailureIsTriedOftenEnough) {
    EXPECT_EQ(tries_needed(0, 0), 3u);
    EXPECT_EQ(tries_needed(3, 3), 3u);
    for (std::uint64_t failed = 0; failed < 10; ++failed) {
        std::size_t tries = tries_needed(failed, 10);
        double rate = std::max(static_cast<double>(failed), 0.5) / 10, missed = 1;
        for (std::size_t i = 0; i < tries; ++i) missed *= 1 - rate;
        EXPECT_TRUE(missed <= 0.01 || tries == 60) << failed;
    }
}

}  // namespace
}  // namespace treaty::campaign
