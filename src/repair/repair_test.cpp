// What is added is enough, the fewest where it says so, and right whenever the search is stopped.

#include "repair/repair.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "choreo/testing/random_protocol.h"
#include "choreo/testing/seeds.h"
#include "repair/relevance.h"
#include "repair/suggest.h"
#include "symbolic/import_graph.h"
#include "symbolic/testing/graphs.h"

namespace treaty::repair {
namespace {

using model::GraphEdge;
using model::GraphState;
using model::GraphStateId;
using model::SymbolicGraph;
using symbolic::CommunicationMode;
using symbolic::GuardFacts;
using symbolic::Verified;
using symbolic::testing::prepared;
using symbolic::testing::Prepared;
using symbolic::testing::RandomGraphs;
using enum CommunicationMode;

constexpr CommunicationMode modes[] = {sync, sending, reception, disjoint};

RepairLimits with_work(std::size_t work) {
    RepairLimits limits;
    limits.work = work;
    return limits;
}

// Its roles were composed and do what the protocol says; found out here, not believed.
void expect_repaired(const Prepared& c, CommunicationMode mode, solve::Solver& solver, const Repair& result) {
    ASSERT_TRUE(result.found);
    Draft draft(c.part);
    for (const Addition& a : result.additions) apply(draft, a);
    EXPECT_TRUE(find_problems(draft, c.facts, mode).empty());
    EXPECT_TRUE(symbolic::realizable(result.graph, mode, solver));
    Verified verified = symbolic::verify(c.part, result.graph).verified;
    EXPECT_EQ(verified, result.verification.verified);
    EXPECT_TRUE(verified == Verified::yes || verified == Verified::with_additions)
        << to_string(mode) << "\n"
        << symbolic::describe(verified) << "\n"
        << to_text(c.part) << to_text(result.graph);
    EXPECT_EQ(result.worth.additions, result.additions.size());
}

// Whether so many additions are enough, whatever they are and wherever they are made.
bool some_are_enough(const SymbolicGraph& graph, const Draft& draft, const GuardFacts& facts,
                     CommunicationMode mode, std::size_t count) {
    if (find_problems(draft, facts, mode, 1).empty() &&
        symbolic::verify(graph, draft.graph).verified != Verified::no)
        return true;
    if (count == 0) return false;
    AdditionSpace all(draft);
    for (std::size_t position = 0; position < all.positions().size(); ++position)
        for (std::size_t saying = 0; saying < all.sayings().size(); ++saying) {
            Addition a = all.at({position, saying});
            a.id = AdditionId(count);
            a.message = graph.alphabet->message("tried" + std::to_string(count));
            Draft next = draft;
            apply(next, a);
            if (some_are_enough(graph, next, facts, mode, count - 1)) return true;
        }
    return false;
}

TEST(Repair, AdditionsAreEnoughAndFewest) {
    std::size_t repaired = 0, proved = 0, searched = 0, deep = 0, as_it_was = 0, not_found = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(80); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.protocol(2 + make.below(3), 2 + make.below(3));
        solve::Solver solver(*graph.pool);
        Prepared c = prepared(graph, solver);
        CommunicationMode mode = modes[seed % 4];
        Repair result = repair(c.part, c.reach, mode, solver, with_work(20'000));
        not_found += !result.found;
        if (!result.found || result.additions.empty()) continue;
        ++repaired;
        expect_repaired(c, mode, solver, result);
        as_it_was += result.worth.as_it_was;
        proved += result.minimal;
        std::size_t size = result.additions.size();
        std::size_t ways = AdditionSpace(Draft(c.part)).size();
        if (!result.minimal || size > 3 || (size == 3 && (ways > 60 || deep >= 6))) continue;
        ++searched;
        deep += size == 3;
        EXPECT_FALSE(some_are_enough(c.part, Draft(c.part), c.facts, mode, size - 1)) << to_text(c.part);
    }
    EXPECT_GT(repaired, 35u);
    EXPECT_GT(proved, 20u);
    EXPECT_GT(searched, 20u);
    EXPECT_GT(as_it_was, 12u);
    EXPECT_LT(not_found * 10, repaired);
    RecordProperty("repaired", static_cast<int>(repaired));
    RecordProperty("proved", static_cast<int>(proved));
    RecordProperty("not_found", static_cast<int>(not_found));
}

// After a, p sends b whether or not d has come before. Telling p whether it has takes two additions. One that
// p does not see is enough: before b, so that s decides, and p goes on alike.
TEST(Repair, WhatOthersDoFirstCanBeEnough) {
    symbolic::Meeting meeting = symbolic::Meeting::fresh();
    SymbolicGraph graph;
    graph.pool = meeting.pool;
    graph.alphabet = meeting.alphabet;
    graph.states.resize(6);
    auto edge = [&](std::size_t from, const char* sender, const char* receiver, const char* message,
                    std::size_t to) {
        GraphEdge e;
        e.label = graph.alphabet->interaction(graph.alphabet->role(sender), graph.alphabet->role(receiver),
                                              graph.alphabet->message(message));
        e.target = GraphStateId(to);
        graph.states[GraphStateId(from)].out.push_back(std::move(e));
    };
    edge(0, "s", "p", "a", 1);
    edge(0, "s", "u", "d", 2);
    edge(1, "p", "s", "b", 3);
    edge(1, "s", "u", "d", 4);
    edge(2, "s", "p", "a", 4);
    edge(3, "s", "u", "d", 5);
    edge(4, "p", "s", "b", 5);
    graph.states[GraphStateId(5u)].terminates = graph.pool->boolean(true);
    solve::Solver solver(*graph.pool);
    Prepared c = prepared(graph, solver);
    Repair result = repair(c.part, c.reach, sync, solver);
    expect_repaired(c, sync, solver, result);
    EXPECT_EQ(result.additions.size(), 1u);
    EXPECT_TRUE(result.minimal);
}

// With any budget the answer is a set that is enough, or none; it is called the fewest only if it is.
TEST(Repair, IsRightWhateverTheBudget) {
    std::size_t smaller = 0, proved = 0, none = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(30); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.protocol(2 + make.below(3), 2 + make.below(3));
        solve::Solver solver(*graph.pool);
        Prepared c = prepared(graph, solver);
        CommunicationMode mode = modes[seed % 4];
        Repair full = repair(c.part, c.reach, mode, solver, with_work(40'000));
        std::size_t before = std::numeric_limits<std::size_t>::max();
        for (std::size_t work : {0u, 100u, 1'000u, 10'000u}) {
            RepairLimits limits = with_work(work);
            limits.polish = 0;
            Repair result = repair(c.part, c.reach, mode, solver, limits);
            none += !result.found;
            if (!result.found) {
                EXPECT_FALSE(result.minimal);
                EXPECT_TRUE(result.additions.empty());
                continue;
            }
            expect_repaired(c, mode, solver, result);
            std::size_t size = result.additions.size();
            EXPECT_LE(size, before);  // more work never makes it worse
            smaller += before != std::numeric_limits<std::size_t>::max() && size < before;
            before = size;
            EXPECT_TRUE(!full.minimal || size >= full.additions.size());
            EXPECT_TRUE(!result.minimal || size <= full.additions.size());
            proved += result.minimal && work == 100;
        }
    }
    EXPECT_GT(smaller, 3u);
    EXPECT_GT(proved, 3u);
    RecordProperty("none", static_cast<int>(none));
}

// Stopped when the first set is found, that one is the answer, and nothing is claimed about it.
TEST(Repair, StoppedItGivesTheBestSoFar) {
    std::size_t stopped = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(40); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.protocol(2 + make.below(3), 2 + make.below(3));
        solve::Solver solver(*graph.pool);
        Prepared c = prepared(graph, solver);
        CommunicationMode mode = modes[seed % 4];
        base::StopSource stop;
        RepairLimits limits;
        limits.graph.deadline = limits.graph.deadline.with(stop.token());
        std::vector<Worth> found;
        RepairHooks hooks;
        hooks.found_better = [&](const Repair& best) {
            found.push_back(best.worth);
            stop.request();
        };
        Repair result = repair(c.part, c.reach, mode, solver, limits, hooks);
        if (!result.found || result.additions.empty()) continue;
        ++stopped;
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(result.worth, found[0]);
        EXPECT_FALSE(result.minimal);
        expect_repaired(c, mode, solver, result);
    }
    EXPECT_GT(stopped, 15u);
}

TEST(Repair, EachSetIsBetterThanTheOneBefore) {
    std::size_t improved = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(30); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.protocol(2 + make.below(3), 2 + make.below(3));
        solve::Solver solver(*graph.pool);
        Prepared c = prepared(graph, solver);
        std::vector<Worth> found;
        RepairHooks hooks;
        hooks.found_better = [&](const Repair& best) { found.push_back(best.worth); };
        // Of sets of equal size some cannot be written.
        hooks.can_be_written = [](const std::vector<Addition>& additions) {
            return additions.back().from.index % 2 == 0;
        };
        Repair result = repair(c.part, c.reach, modes[seed % 4], solver, with_work(5'000), hooks);
        for (std::size_t i = 1; i < found.size(); ++i) EXPECT_LT(found[i - 1], found[i]);
        EXPECT_TRUE(!result.found || result.worth == found.back());
        improved += found.size() > 1;
    }
    EXPECT_GT(improved, 5u);
}

TEST(Worth, VerifiedThenFewestThenAsItWasThenWritten) {
    Worth open{false, 1, false, true}, three{true, 3, false, false}, two{true, 2, false, false};
    Worth as_it_was{true, 2, true, false}, written{true, 2, true, true}, text{true, 2, false, true};
    EXPECT_LT(open, three);
    EXPECT_LT(three, two);
    EXPECT_LT(two, text);
    EXPECT_LT(text, as_it_was);
    EXPECT_LT(as_it_was, written);
}

// What is repaired again gets messages that it does not have yet, and ids from 0 on.
TEST(Repair, AddedMessagesHaveNamesOfTheirOwn) {
    std::size_t twice = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.protocol(2 + make.below(3), 2 + make.below(3));
        solve::Solver solver(*graph.pool);
        Prepared c = prepared(graph, solver);
        Repair first = repair(c.part, c.reach, sync, solver, with_work(1'000));
        if (!first.found || first.additions.empty()) continue;
        for (GraphState& state : first.graph.states)
            for (GraphEdge& edge : state.out) edge.added = {};
        Prepared again = prepared(first.graph, solver);
        Repair second = repair(again.part, again.reach, disjoint, solver, with_work(1'000));
        if (!second.found || second.additions.empty()) continue;
        ++twice;
        for (const Addition& b : second.additions) {
            EXPECT_EQ(&b - second.additions.data(), b.id.index);
            for (const Addition& a : first.additions) EXPECT_NE(a.message, b.message);
        }
    }
    EXPECT_GT(twice, 5u);
}

// What is called realizable, with additions or without, is: the roles composed never do anything else.
class Conforming {
public:
    void try_all_modes(const SymbolicGraph& graph) {
        solve::Solver solver(*graph.pool);
        Prepared c = prepared(graph, solver);
        if (symbolic::roles_of(c.part).empty()) return;
        for (CommunicationMode mode : modes) {
            Repair result = repair(c.part, c.reach, mode, solver, with_work(15'000));
            not_found += !result.found;
            if (!result.found) continue;
            expect_repaired(c, mode, solver, result);
            ++realized;
            repaired += !result.additions.empty();
        }
    }
    std::size_t realized = 0, repaired = 0, not_found = 0;
};

TEST(Repair, WhatIsCalledRealizableConforms) {
    Conforming all;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(25); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        model::Specification spec;
        choreo::RandomShape shape;
        shape.roles = 3 + seed % 2;
        shape.messages = 6;
        shape.steps = 3;
        shape.branches = 2;
        shape.depth = 2;
        shape.parallel = false;
        shape.loops = seed % 3 == 0;
        model::Protocol protocol = choreo::random_protocol(spec, shape, seed);
        spec.messages.resize(spec.alphabet->message_count());
        all.try_all_modes(*symbolic::protocol_graph(spec, protocol));
    }
    EXPECT_GT(all.realized, 80u);
    EXPECT_GT(all.repaired, 50u);
    EXPECT_LT(all.not_found * 10, all.realized);
}

TEST(Repair, WhatIsCalledRealizableConformsWithData) {
    Conforming all;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(25); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        all.try_all_modes(make.protocol(2 + make.below(4), 2 + make.below(4)));
    }
    EXPECT_GT(all.realized, 60u);
    EXPECT_GT(all.repaired, 40u);
    EXPECT_LT(all.not_found * 5, all.realized);
}

// Additions around one state leave states with names of their own.
TEST(Repair, StatesOfARepairedGraphHaveDifferentNames) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.protocol(2 + make.below(3), 2 + make.below(3));
        solve::Solver solver(*graph.pool);
        Prepared c = prepared(graph, solver);
        SymbolicGraph repaired = repair(c.part, c.reach, disjoint, solver, with_work(0)).graph;
        std::set<std::string> names;
        for (GraphStateId s : repaired.states.ids())
            EXPECT_TRUE(names.insert(repaired.state_name(s)).second) << to_text(repaired);
    }
}

}  // namespace
}  // namespace treaty::repair
