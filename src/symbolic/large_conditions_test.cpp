// Conditions that become large: what is done with them stays in proportion to their size.
#include <gtest/gtest.h>

#include "expr/simplify.h"
#include "symbolic/linear.h"
#include "symbolic/logic.h"
#include "symbolic/reach.h"
#include "symbolic/testing/graphs.h"

namespace treaty::symbolic {
namespace {

using namespace testing;
using expr::Op;

struct LargeConditions : ::testing::Test {
    Meeting meeting = Meeting::fresh();
    expr::Pool& pool = *meeting.pool;
    VarId x = pool.declare(pool.names().intern("x"), pool.types().integer());
    solve::Solver solver{pool};
    Logic logic{pool, solver};

    ExprId compared(Op op, std::size_t with) {
        return compare(pool, op, pool.var(x), pool.integer(static_cast<std::int64_t>(with)));
    }
};

// As a search combines them: the condition so far and one part more.
TEST_F(LargeConditions, PartsAreExaminedOnce) {
    constexpr std::size_t count = 400, parts_each = 3;
    ExprId all = logic.yes(), any = logic.no();
    for (std::size_t i = 0; i < count; ++i) {
        all = logic.all_of({all, compared(Op::not_equal, i)});
        any = logic.any_of({any, compared(Op::equal, i)});
    }
    EXPECT_EQ(logic.conjuncts(all).size(), count);
    EXPECT_EQ(logic.disjuncts(any).size(), count);
    EXPECT_LE(logic.work().examined, 2 * count * parts_each + 2);
}

// A chain of `or`, nested as deep as it is long, is one step.
TEST_F(LargeConditions, ChainsAreCombinedOnce) {
    constexpr std::size_t count = 1000, forms = 2;  // the condition and its negation
    ExprId any = logic.no();
    for (std::size_t i = 0; i < count; ++i) any = pool.logical_or(any, compared(Op::equal, i));
    EXPECT_EQ(logic.disjuncts(logic.negation_free(any)).size(), count);
    EXPECT_EQ(logic.conjuncts(logic.negation(any)).size(), count);
    EXPECT_LE(logic.work().combined, forms * (count + 1));
}

// What has no value everywhere is completed once, and that is examined once more.
TEST_F(LargeConditions, WhatWasCompletedIsKnown) {
    constexpr std::size_t count = 200;
    ExprId all = logic.yes();
    for (std::size_t i = 0; i < count; ++i) {
        ExprId sides[] = {pool.integer(static_cast<std::int64_t>(i) + 1), pool.var(x)};
        ExprId quotient = pool.make(Op::divide, pool.types().integer(), sides);
        all = logic.all_of({all, compare(pool, Op::less, quotient, pool.integer(7))});
    }
    EXPECT_LE(logic.work().examined, count * 30);
}

TEST_F(LargeConditions, NothingIsEliminatedBeyondTheLimit) {
    std::vector<ExprId> parts;
    for (std::size_t i = 0; i < 10'000; ++i) parts.push_back(compared(Op::equal, 3 * i));
    ExprId large = logic.any_of(parts);
    ASSERT_TRUE(logic.too_large(large));
    std::size_t combined = logic.work().combined;
    EXPECT_FALSE(logic.exists(x, large));
    EXPECT_EQ(logic.problem(), "the condition grows too large");
    EXPECT_EQ(logic.work().combined, combined);
}

// m(let x), then two steps that are possible for very many values: what is known of x after the first is
// beyond the limit, so that it counts as any.
TEST_F(LargeConditions, ReachabilityWidensThem) {
    std::vector<ExprId> parts;
    for (std::size_t i = 0; i < 6'700; ++i) parts.push_back(compared(Op::equal, 3 * i));
    SymbolicGraph graph;
    graph.pool = meeting.pool;
    graph.alphabet = meeting.alphabet;
    VarId payload = pool.declare(pool.names().intern("payload"), pool.types().integer());
    model::MessageId m = graph.alphabet->message("m"), n = graph.alphabet->message("n");
    model::RoleId a = graph.alphabet->role("a"), b = graph.alphabet->role("b");
    graph.payload[m] = {payload};
    graph.states.resize(4);
    auto edge = [&](std::uint32_t from, model::MessageId message) -> GraphEdge& {
        GraphEdge added;
        added.label = graph.alphabet->interaction(a, b, message);
        added.target = GraphStateId(from + 1);
        graph.states[GraphStateId(from)].out.push_back(added);
        return graph.states[GraphStateId(from)].out.front();
    };
    edge(0, m).updates.push_back({x, pool.var(payload)});
    edge(1, n).guards.push_back({logic.any_of(parts), {}});
    edge(2, n).guards.push_back({compared(Op::greater, 1), {}});
    graph.states[GraphStateId(3u)].terminates = logic.yes();

    Reachability found = reachability(graph, solver);
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.conditions[GraphStateId(2u)], logic.yes());
    EXPECT_EQ(found.states[GraphStateId(1u)], Reach::reachable);
    EXPECT_EQ(found.states[GraphStateId(2u)], Reach::unknown);  // widened, so not shown by a run
    EXPECT_EQ(found.states[GraphStateId(3u)], Reach::unknown);
    EXPECT_LT(solver.query_count(), 30u);
}

}  // namespace
}  // namespace treaty::symbolic
