#include "roles/combinations.h"

#include <gtest/gtest.h>

#include "base/seeded_random.h"

namespace treaty::roles {
namespace {

using base::SeededRandom;
using expr::Value;

const model::TransitionId step(0u);

std::vector<Combinations::Levels> numbers(const std::vector<std::size_t>& levels) {
    std::vector<Combinations::Levels> fields;
    for (std::size_t f = 0; f < levels.size(); ++f) {
        fields.push_back({f, {}});
        for (std::size_t v = 0; v < levels[f]; ++v)
            fields.back().values.emplace_back(static_cast<std::int64_t>(v));
    }
    return fields;
}

// Every combination of `strength` fields and their values, looked for in the rows one by one.
bool covers(const std::vector<std::vector<Value>>& rows, const std::vector<std::size_t>& levels,
            std::size_t strength, const std::function<bool(const std::vector<Value>&)>& possible) {
    std::vector<std::size_t> fields;
    std::function<bool(std::size_t, std::vector<std::pair<std::size_t, std::size_t>>)> each =
        [&](std::size_t from, std::vector<std::pair<std::size_t, std::size_t>> chosen) {
            if (chosen.size() == strength) {
                auto holds = [&](const std::vector<Value>& row) {
                    return std::all_of(chosen.begin(), chosen.end(), [&](auto c) {
                        return row[c.first] == Value(static_cast<std::int64_t>(c.second));
                    });
                };
                if (std::any_of(rows.begin(), rows.end(), holds)) return true;
                // Not covered: then no allowed row may hold it.
                std::vector<Value> row(levels.size(), Value(std::int64_t{0}));
                std::function<bool(std::size_t)> exists = [&](std::size_t f) {
                    if (f == levels.size()) return holds(row) && possible(row);
                    for (std::size_t v = 0; v < levels[f]; ++v) {
                        row[f] = Value(static_cast<std::int64_t>(v));
                        if (exists(f + 1)) return true;
                    }
                    return false;
                };
                return !exists(0);
            }
            for (std::size_t f = from; f < levels.size(); ++f)
                for (std::size_t v = 0; v < levels[f]; ++v) {
                    auto more = chosen;
                    more.emplace_back(f, v);
                    if (!each(f + 1, more)) return false;
                }
            return true;
        };
    return each(0, {});
}

TEST(Combinations, EveryPossibleOneIsCoveredInFarFewerRowsThanThereAre) {
    std::size_t with_refusals = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        SeededRandom random(seed);
        std::size_t strength = 2 + random.below(2);
        std::vector<std::size_t> levels;
        std::size_t all = 1, most = 1, fields = strength + random.below(3);
        for (std::size_t f = 0; f < fields; ++f) {
            levels.push_back(2 + random.below(3));
            all *= levels.back();
        }
        for (std::size_t i = 0; i < strength; ++i) most *= 4;
        // A condition that excludes some rows: fields 0 and 1 must not both be 1.
        bool restricted = random.percent(50);
        auto possible = [&](const std::vector<Value>& row) {
            return !restricted || !(row[0] == Value(std::int64_t{1}) && row[1] == Value(std::int64_t{1}));
        };
        Combinations combinations(static_cast<unsigned>(strength));
        combinations.add(step, numbers(levels));
        std::vector<std::vector<Value>> rows;
        std::size_t asked = 0;
        while (auto row = combinations.next(step)) {
            ASSERT_LT(++asked, 5000u);
            std::vector<Value> values(levels.size(), Value(std::int64_t{0}));
            for (const auto& [field, value] : row->fields) values[field] = value;
            // As the maker does: the whole row, then only what is needed with the rest at zero.
            if (!possible(values)) {
                values.assign(levels.size(), Value(std::int64_t{0}));
                for (std::size_t i = 0; i < row->needed; ++i)
                    values[row->fields[i].first] = row->fields[i].second;
            }
            if (!possible(values)) {
                combinations.refused(step, *row);
                ++with_refusals;
                continue;
            }
            combinations.sent(step, values);
            rows.push_back(values);
        }
        EXPECT_TRUE(covers(rows, levels, strength, possible));
        auto [covered, refused, total] = combinations.totals();
        EXPECT_EQ(covered + refused, total);
        EXPECT_EQ(refused > 0, restricted);
        // The greedy way stays near the least possible, the product of the largest levels.
        EXPECT_LE(rows.size(), 3 * most);
        EXPECT_TRUE(fields < strength + 2 || rows.size() < all);
    }
    EXPECT_GT(with_refusals, 20u);
}

TEST(Combinations, WhatTwoHaveCoveredIsPutTogether) {
    Combinations one(2), other(2);
    one.add(step, numbers({2, 2}));
    other.add(step, numbers({2, 2}));
    one.sent(step, {Value(std::int64_t{0}), Value(std::int64_t{0})});
    other.sent(step, {Value(std::int64_t{1}), Value(std::int64_t{0})});
    one.merge(other);
    EXPECT_EQ(one.totals().covered, 2u);
    EXPECT_EQ(one.totals().total, 4u);
}

}  // namespace
}  // namespace treaty::roles
