// Symbolic answers against the same questions run on all values of small ranges.

#include <gtest/gtest.h>

#include <cstdlib>

#include "choreo/testing/seeds.h"
#include "expr/print.h"
#include "symbolic/conformance.h"
#include "symbolic/linear.h"
#include "symbolic/logic.h"
#include "symbolic/reach.h"
#include "symbolic/testing/graphs.h"

namespace treaty::symbolic {
namespace {

using namespace testing;

// Every condition with every value of the others, against trying values far beyond its constants.
TEST(Logic, EliminationAgreesWithTryingValues) {
    std::size_t eliminated = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(100); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        auto below = [&](int n) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
        };
        Meeting m = Meeting::fresh();
        expr::Pool& pool = *m.pool;
        VarId z = pool.declare(pool.names().intern("z"), pool.types().integer());
        VarId a = pool.declare(pool.names().intern("a"), pool.types().integer());
        auto atom = [&] {
            ExprId left = scaled(pool, 1 + below(3), pool.var(z));
            if (below(3) == 0) left = plus(pool, left, pool.var(a));
            ExprId right = below(2) ? pool.integer(below(9) - 4) : pool.var(a);
            expr::Op ops[] = {expr::Op::less, expr::Op::less_equal, expr::Op::equal, expr::Op::not_equal,
                              expr::Op::greater};
            return compare(pool, ops[below(5)], left, right);
        };
        ExprId e = atom();
        for (int i = 0; i < 3; ++i) {
            ExprId other = atom();
            if (below(4) == 0) other = pool.logical_not(other);
            e = below(2) ? pool.logical_and(e, other) : pool.logical_or(e, other);
        }
        solve::Solver solver(pool);
        Logic logic(pool, solver);
        auto some = logic.exists(z, e), all = logic.for_all(z, e);
        ASSERT_TRUE(some && all) << logic.problem();
        ++eliminated;
        ExprId tidied = seed % 10 == 0 ? logic.minimal(*some) : *some;
        for (std::int64_t v = -6; v <= 6; ++v) {
            expr::Environment env;
            env.set(a, expr::Value(v));
            bool any = false, every = true;
            for (std::int64_t t = -60; t <= 60; ++t) {
                env.set(z, expr::Value(t));
                bool now = expr::satisfied(pool, e, env);
                any = any || now;
                every = every && now;
            }
            EXPECT_EQ(any, expr::satisfied(pool, *some, env)) << expr::print(pool, e) << " at " << v;
            EXPECT_EQ(any, expr::satisfied(pool, tidied, env)) << expr::print(pool, tidied) << " at " << v;
            EXPECT_EQ(every, expr::satisfied(pool, *all, env)) << expr::print(pool, e) << " at " << v;
        }
    }
    EXPECT_EQ(eliminated, 100u);
}

TEST(Reachability, AgreesWithRunningOnAllValues) {
    std::size_t unreachable = 0, unknown = 0, total = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(150); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        SymbolicGraph graph = make.graph(5, 8, true, 70);
        solve::Solver solver(*graph.pool);
        Reachability found = reachability(graph, solver);
        Explicit run(graph);
        std::set<Config> seen;
        std::vector<Config> pending;
        model::ByGraphState<std::set<GraphEdgeId>> taken(graph.states.size());
        auto visit = [&](const Config& c) {
            if (seen.insert(c).second) pending.push_back(c);
        };
        for (const Config& c : run.starts()) visit(c);
        while (!pending.empty()) {
            Config c = pending.back();
            pending.pop_back();
            for (GraphEdgeId e : run.out(c).ids())
                for (std::int64_t z = 0; z < values; ++z)
                    if (run.guard(c, run.out(c)[e]) && run.data(c, run.out(c)[e], z)) {
                        taken[c.state].insert(e);
                        visit(run.after(c, run.out(c)[e], z));
                    }
        }
        for (GraphStateId s : graph.states.ids())
            for (GraphEdgeId e : graph.states[s].out.ids()) {
                ++total;
                if (found.edges[s][e] == Reach::unknown) {
                    ++unknown;
                    continue;
                }
                bool happens = found.edges[s][e] == Reach::reachable;
                unreachable += !happens;
                EXPECT_EQ(happens, taken[s].contains(e)) << print_edge(graph, graph.states[s].out[e]);
            }
    }
    EXPECT_GT(unreachable, 20u);
    EXPECT_LT(unknown * 20, total);  // the method gives an answer nearly always
}

// A copy over variables of its own, perhaps with one thing changed.
SymbolicGraph variant(RandomGraphs& make, const SymbolicGraph& graph, std::uint32_t change) {
    Meeting meeting = make.meeting;
    SymbolicGraph copy = *import_graph(graph, meeting);
    if (make.percent(change)) {
        auto& edges =
            copy.states[GraphStateId(make.below(static_cast<std::uint32_t>(copy.states.size())))].out;
        if (!edges.empty()) {
            GraphEdge& e = edges[GraphEdgeId(make.below(static_cast<std::uint32_t>(edges.size())))];
            if (make.percent(50))
                e.guards.clear();
            else
                e.target = GraphStateId(make.below(static_cast<std::uint32_t>(copy.states.size())));
        }
    }
    return copy;
}

// A specification, and an implementation that is a copy of it with perhaps something changed, perhaps with a
// silent step in front of one edge.
struct Compared {
    SymbolicGraph mine, theirs;
};

Compared random_pair(RandomGraphs& make) {
    std::uint32_t states = 2 + make.below(3), edges = 3 + make.below(2);
    SymbolicGraph theirs =
        make.percent(50) ? make.protocol(states, edges) : make.graph(states, edges, false, 60);
    SymbolicGraph mine = variant(make, theirs, 35);
    if (make.percent(40) && !mine.states.front().out.empty()) {
        GraphEdge edge = mine.states.front().out.front();
        mine.states.push_back({{edge}, {}, {}});
        GraphEdge& silent = mine.states.front().out.front();
        silent = {};
        silent.guards = edge.guards;
        silent.label = mine.alphabet->silent();
        silent.target = GraphStateId(mine.states.size() - 1);
    }
    return {std::move(mine), std::move(theirs)};
}

// What was found, against running on all values.
void expect_true(const Conformance& found, const Compared& pair) {
    Explicit a(pair.mine), b(pair.theirs);
    ExplicitConformance truth(a, b, pair.mine.states.size(), pair.theirs.states.size());
    for (const Config& x : a.starts())
        for (const Config& y : b.starts()) {
            expr::Environment env = a.environment(x, {}, 0);
            for (std::size_t i = 0; i < b.variables().size(); ++i)
                env.set(b.variables()[i], expr::Value(y.value[i]));
            bool said = found.answer == base::Answer::holds ||
                        (found.answer == base::Answer::conditional &&
                         expr::satisfied(*pair.mine.pool, found.condition, env));
            ASSERT_EQ(said, truth.related(x, y)) << to_text(pair.mine) << "against\n" << to_text(pair.theirs);
        }
}

TEST(Conformance, AgreesWithRunningOnAllValues) {
    std::map<base::Answer, std::size_t> answers;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(150); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        Compared pair = random_pair(make);
        solve::Solver solver(*pair.mine.pool);
        Conformance found = conformance(pair.mine, pair.theirs, solver);
        ++answers[found.answer];
        if (found.answer != base::Answer::undecided) expect_true(found, pair);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(answers[base::Answer::holds], 20u);
    EXPECT_GT(answers[base::Answer::fails], 20u);
    EXPECT_GT(answers[base::Answer::conditional], 5u);
    EXPECT_LT(answers[base::Answer::undecided] * 15, answers[base::Answer::fails]);
}

// With no rounds to iterate in, only the guess can say yes: it must be right, and often enough.
TEST(Conformance, InductionNeverSaysYesWrongly) {
    std::size_t holds = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(150); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomGraphs make(seed);
        Compared pair = random_pair(make);
        solve::Solver solver(*pair.mine.pool);
        ConformanceLimits limits;
        limits.rounds = 0;
        Conformance found = conformance(pair.mine, pair.theirs, solver, limits);
        if (found.answer != base::Answer::holds) continue;
        ++holds;
        expect_true(found, pair);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(holds, 12u);
}

}  // namespace
}  // namespace treaty::symbolic
