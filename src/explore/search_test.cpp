#include "explore/search.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/hash.h"
#include "explore/make_table.h"

namespace treaty::explore {
namespace {

using base::StopReason;

// A random graph over `nodes` nodes, spread over the words of a state; node 0 is initial.
template <int W>
class GraphSpace final : public Space<W> {
public:
    GraphSpace(std::uint64_t seed, std::uint32_t nodes, std::uint32_t degree)
        : seed_(seed), nodes_(nodes), degree_(degree) {}

    State<W> pack(std::uint32_t node) const {
        State<W> state{};
        for (std::size_t w = 0; w < W; ++w) state[w] = base::combine(seed_ + w, node) & 0xfffff;
        state[W - 1] = node + (std::uint64_t(node) << 30);
        return state;
    }
    static std::uint32_t unpack(const State<W>& state) {
        return static_cast<std::uint32_t>(state[W - 1] & 0x3fffffff);
    }
    std::vector<std::uint32_t> next(std::uint32_t node) const {
        std::vector<std::uint32_t> all;
        std::uint64_t count = base::combine(seed_, node) % (degree_ + 1);
        for (std::uint64_t i = 0; i < count; ++i)
            all.push_back(static_cast<std::uint32_t>(base::combine(base::combine(seed_, node), i) % nodes_));
        return all;
    }

    State<W> initial() const override { return pack(0); }
    std::size_t max_successors() const override { return degree_; }
    std::size_t expand(std::span<const State<W>> states, Batch<W>& batch) const override {
        std::size_t done = 0;
        for (; done < states.size() && !batch.full(); ++done) {
            std::uint32_t node = unpack(states[done]);
            std::size_t count = 0;
            for (std::uint32_t n : next(node)) batch.room()[count++] = pack(n);
            batch.add(count, node % 97 == 96 ? 1 : 0);
        }
        return done;
    }

private:
    std::uint64_t seed_;
    std::uint32_t nodes_, degree_;
};

struct Expected {
    std::map<std::uint32_t, std::uint32_t> depths;
    std::uint64_t transitions = 0;
    std::uint32_t depth = 0;
};

template <int W>
Expected breadth_first(const GraphSpace<W>& space) {
    Expected result;
    std::vector<std::uint32_t> queue{0};
    result.depths[0] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
        for (std::uint32_t n : space.next(queue[i])) {
            ++result.transitions;
            if (result.depths.emplace(n, result.depths[queue[i]] + 1).second) queue.push_back(n);
        }
    for (auto [node, depth] : result.depths) result.depth = std::max(result.depth, depth);
    return result;
}

template <int W>
struct Collect final : Observer<W> {
    bool notice(const Sighting<W>& s) override {
        seen.push_back(s);
        return seen.size() < most;
    }
    std::vector<Sighting<W>> seen;
    std::size_t most = SIZE_MAX;
};

template <int W>
void compare(std::uint64_t seed, std::uint32_t nodes, std::uint32_t degree, unsigned jobs, bool compress) {
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << " W " << W << " jobs " << jobs << " compress " << compress);
    GraphSpace<W> space(seed, nodes, degree);
    Expected expected = breadth_first(space);
    Budget budget;
    {
        auto table = make_table<W>(space, budget, jobs, compress);
        ASSERT_TRUE(table);
        SearchOptions options;
        options.jobs = jobs;
        Search<W> search(space, *table, budget, options);
        Collect<W> collect;
        SearchOutcome outcome = search.run(&collect);
        EXPECT_TRUE(outcome.complete);
        EXPECT_EQ(outcome.states, expected.depths.size());
        EXPECT_EQ(outcome.transitions, expected.transitions);
        EXPECT_EQ(outcome.depth, expected.depth);

        // Every flagged state is noticed once, at its depth, with a run that leads to it.
        std::map<std::uint32_t, std::uint32_t> noticed;
        for (const Sighting<W>& s : collect.seen) {
            std::uint32_t node = GraphSpace<W>::unpack(s.state);
            EXPECT_TRUE(noticed.emplace(node, s.depth).second);
            auto choices = search.choices(s.node);
            EXPECT_EQ(choices.size(), expected.depths.at(node));
            EXPECT_EQ(search.states(choices).back(), s.state);
        }
        for (auto [node, depth] : expected.depths)
            if (node % 97 == 96) {
                EXPECT_EQ(noticed.at(node), depth);
            }

        // The table holds exactly these states, each at its own position.
        std::set<std::size_t> positions;
        for (std::uint32_t node = 0; node < nodes; ++node) {
            std::size_t position = table->find(space.pack(node));
            ASSERT_EQ(position != Table<W>::nowhere, expected.depths.count(node) == 1);
            if (position == Table<W>::nowhere) continue;
            EXPECT_LT(position, table->positions());
            EXPECT_TRUE(positions.insert(position).second);
            EXPECT_EQ(table->at(position), space.pack(node));
        }
    }
    EXPECT_EQ(budget.used(), 0u);
    EXPECT_GT(budget.peak(), 0u);
}

TEST(Search, agrees_with_a_plain_breadth_first_search) {
    for (std::uint64_t seed = 0; seed < 40; ++seed)
        for (unsigned jobs : {1u, 2u, 3u})
            compare<1>(seed, 30 + static_cast<std::uint32_t>(seed) * 40, 4, jobs, false);
    for (unsigned jobs : {1u, 2u, 4u}) compare<1>(1, 60000, 6, jobs, false);
    for (unsigned jobs : {1u, 2u}) {
        compare<2>(2, 60000, 6, jobs, false);
        compare<3>(3, 20000, 5, jobs, false);
        compare<4>(4, 20000, 5, jobs, false);
        compare<8>(5, 10000, 5, jobs, false);
        compare<32>(6, 5000, 5, jobs, false);
    }
}

TEST(Search, agrees_when_compressed) {
    for (std::uint64_t seed = 0; seed < 40; ++seed)
        compare<1>(seed, 30 + static_cast<std::uint32_t>(seed) * 40, 4, 1, true);
    compare<1>(1, 60000, 6, 1, true);
    compare<2>(2, 60000, 6, 1, true);
    compare<3>(3, 20000, 5, 1, true);
    compare<4>(4, 20000, 5, 1, true);
    compare<8>(5, 10000, 5, 1, true);
    compare<32>(6, 5000, 5, 1, true);
}

SearchOutcome search_with(SearchOptions options, Budget& budget, Observer<1>* observer = nullptr) {
    GraphSpace<1> space(1, 60000, 6);
    auto table = make_table<1>(space, budget, options.jobs, false);
    if (!table) return {false, false, StopReason::memory, 0, 0, 0};
    return Search<1>(space, *table, budget, options).run(observer);
}

TEST(Search, ends_at_the_limit_of_states) {
    for (unsigned jobs : {1u, 2u})
        for (std::uint64_t limit : {1u, 2u, 100u, 5000u}) {
            Budget budget;
            SearchOptions options;
            options.jobs = jobs;
            options.limits.states = limit;
            SearchOutcome outcome = search_with(options, budget);
            EXPECT_FALSE(outcome.complete);
            EXPECT_EQ(outcome.stopped, StopReason::states);
            EXPECT_GE(outcome.states, limit);
            EXPECT_LE(outcome.states, limit + std::uint64_t{6} * jobs);
        }
}

TEST(Search, ends_at_the_limit_of_memory) {
    for (std::uint64_t limit : {1000u, 200000u, 400000u, 700000u}) {
        Budget budget(limit);
        SearchOptions options;
        SearchOutcome outcome = search_with(options, budget);
        EXPECT_FALSE(outcome.complete);
        EXPECT_EQ(outcome.stopped, StopReason::memory);
        EXPECT_LE(budget.peak(), limit);
    }
}

TEST(Search, ends_when_time_is_up_or_the_user_interrupts) {
    Budget budget;
    SearchOptions options;
    options.limits.time = base::Deadline::after(std::chrono::nanoseconds(0));
    EXPECT_EQ(search_with(options, budget).stopped, StopReason::time);
    base::StopSource user;
    user.request();
    options.limits.time = base::Deadline().with(user.token());
    EXPECT_EQ(search_with(options, budget).stopped, StopReason::interrupted);
}

TEST(Search, ends_when_the_observer_says_so) {
    for (unsigned jobs : {1u, 2u}) {
        Budget budget;
        SearchOptions options;
        options.jobs = jobs;
        Collect<1> collect;
        collect.most = 3;
        SearchOutcome outcome = search_with(options, budget, &collect);
        EXPECT_TRUE(outcome.ended);
        EXPECT_FALSE(outcome.complete);
        EXPECT_EQ(outcome.stopped, StopReason::none);
        EXPECT_EQ(collect.seen.size(), 3u);
    }
}

}  // namespace
}  // namespace treaty::explore
