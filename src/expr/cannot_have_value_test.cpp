#include "expr/cannot_have_value.h"

#include <limits>

#include <gtest/gtest.h>

#include "expr/print.h"
#include "expr/testing/random_expressions.h"

namespace treaty::expr {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(CannotHaveValue, GoesByWhatIsAlwaysNeeded) {
    SmallWorld w;
    Pool& pool = *w.pool;
    ExprId i = w.var("i"), j = w.var("j"), one = pool.integer(1);
    ExprId next = w.make(Op::add, w.integer, {i, one});
    ExprId equal = pool.equal(j, next), positive = w.make(Op::greater, w.boolean, {j, one});
    Environment known;
    EXPECT_FALSE(cannot_have_value(pool, equal, known));
    known.set(pool.var_of(i), std::int64_t{5});
    EXPECT_FALSE(cannot_have_value(pool, equal, known));
    known.set(pool.var_of(i), largest);
    EXPECT_TRUE(cannot_have_value(pool, next, known));
    EXPECT_TRUE(cannot_have_value(pool, equal, known));
    EXPECT_FALSE(cannot_have_value(pool, pool.logical_or(positive, equal), known));
    EXPECT_TRUE(cannot_have_value(pool, pool.logical_or(equal, positive), known));
    EXPECT_FALSE(cannot_have_value(pool, pool.logical_and(positive, equal), known));
    EXPECT_TRUE(cannot_hold(pool, pool.logical_and(positive, equal), known));
    EXPECT_FALSE(cannot_hold(pool, pool.logical_or(positive, equal), known));
}

// With some variables known: where it cannot have a value, no values of the others give it one; with all
// known, it is what evaluate() says.
TEST(CannotHaveValue, AgreesWithTryingValues) {
    const std::uint64_t seed = property_seed();
    SCOPED_TRACE("TREATY_SEED=" + std::to_string(seed));
    SmallWorld w;
    RandomExpressions random(w, seed);
    std::size_t without = 0;
    for (int round = 0; round < 3000; ++round) {
        ExprId e = random.expression(w.boolean, 4);
        Environment all = random.environment(), some;
        for (VarId v : w.pool->variables_of(e))
            if (random.chance(50) && all.get(v)) some.set(v, *all.get(v));
        bool faults = std::holds_alternative<Fault>(evaluate(*w.pool, e, all));
        EXPECT_EQ(cannot_have_value(*w.pool, e, all), faults) << print(*w.pool, e);
        if (cannot_have_value(*w.pool, e, some)) {
            ++without;
            EXPECT_TRUE(faults) << print(*w.pool, e);
        }
        if (cannot_hold(*w.pool, e, some)) {
            EXPECT_FALSE(satisfied(*w.pool, e, all)) << print(*w.pool, e);
        }
    }
    EXPECT_GT(without, 20u);
}

}  // namespace
}  // namespace treaty::expr
