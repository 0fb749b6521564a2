#include "expr/program.h"

#include <gtest/gtest.h>

#include "expr/print.h"
#include "expr/testing/random_expressions.h"

namespace treaty::expr {
namespace {

// Random expressions with every operator, in environments in which some variables have no value and some have
// one of another type: the same values, the same faults.
TEST(Programs, FindWhatEvaluateFinds) {
    std::uint64_t seed = property_seed();
    SmallWorld w;
    RandomExpressions random(w, seed);
    Programs programs(*w.pool);
    std::size_t asked = 0, values = 0, faults = 0;
    for (int n = 0; n < 6000; ++n) {
        TypeId type = w.types->base(w.pool->variable(w.variables[random.below(w.variables.size())]).type);
        ExprId e =
            random.expression(random.chance(50) ? w.boolean : type, 2 + static_cast<int>(random.below(5)));
        for (int k = 0; k < 6; ++k) {
            Environment env = random.environment(k == 0 ? 80 : 100);
            if (k == 1) env.set(w.variables[random.below(w.variables.size())], random.value(w.integer));
            Result expected = evaluate(*w.pool, e, env), got = programs.evaluate(e, env);
            auto where = [&] {
                return testing::Message()
                       << "TREATY_SEED=" << seed << " case " << n << ": " << print(*w.pool, e);
            };
            ASSERT_EQ(expected.index(), got.index()) << where();
            ++asked;
            if (const auto* value = std::get_if<Value>(&expected)) {
                ASSERT_EQ(*value, std::get<Value>(got)) << where();
                ++values;
            } else {
                ASSERT_EQ(std::get<Fault>(expected).reason, std::get<Fault>(got).reason) << where();
                ASSERT_EQ(std::get<Fault>(expected).at, std::get<Fault>(got).at) << where();
                ++faults;
            }
            if (w.types->kind((*w.pool)[e].type) == TypeKind::boolean) {
                ASSERT_EQ(satisfied(*w.pool, e, env), programs.satisfied(e, env)) << where();
            }
        }
    }
    EXPECT_GT(values, asked / 3);
    EXPECT_GT(faults, asked / 20);
    // Most of what has a value is found without asking evaluate().
    EXPECT_LT(programs.plain_count(), 2 * faults + asked / 5);
}

// What was found before does not change when the same memory is used again.
TEST(Programs, KeepNothingOfEarlierRuns) {
    SmallWorld w;
    Programs programs(*w.pool);
    VarId xs = w.pool->var_of(w.var("xs")), i = w.pool->var_of(w.var("i"));
    ExprId longer = w.make(Op::concat, w.list, {w.var("xs"), w.make(Op::list, w.list, {w.var("i")})});
    Environment env;
    env.set(xs, Sequence{});
    std::vector<Value> found;
    for (std::int64_t n = 0; n < 5; ++n) {
        env.set(i, n);
        Result result = programs.evaluate(longer, env);
        found.push_back(std::get<Value>(result));
        env.set(xs, found.back());
    }
    for (std::size_t n = 0; n < found.size(); ++n) {
        ASSERT_EQ(found[n].items().size(), n + 1);
        for (std::size_t k = 0; k <= n; ++k)
            EXPECT_EQ(found[n].items()[k], Value(static_cast<std::int64_t>(k)));
    }
    EXPECT_EQ(programs.plain_count(), 0u);
}

// A pool that grows moves its tables.
TEST(Programs, GoOnWhenThePoolHasGrown) {
    SmallWorld w;
    Programs programs(*w.pool);
    ExprId e = w.make(Op::equal, w.boolean, {w.var("s"), w.pool->literal("ab", w.string)});
    Environment env;
    env.set(w.pool->var_of(w.var("s")), "ab");
    EXPECT_TRUE(programs.satisfied(e, env));
    for (int n = 0; n < 5000; ++n) w.pool->literal(std::to_string(n), w.string);
    EXPECT_TRUE(programs.satisfied(e, env));
    ExprId later = w.pool->logical_not(e);
    EXPECT_FALSE(programs.satisfied(later, env));
}

// Functions that call functions many times over, and very deep expressions, are left to evaluate().
TEST(Programs, AreBounded) {
    SmallWorld w;
    Programs programs(*w.pool);
    ExprId sum = w.var("i");
    for (int n = 0; n < 40; ++n) sum = w.make(Op::add, w.integer, {sum, sum});
    Environment env;
    env.set(w.pool->var_of(w.var("i")), std::int64_t{1});
    EXPECT_EQ(std::get<Value>(programs.evaluate(sum, env)), Value(std::int64_t{1} << 40));
    ExprId deep = w.var("b");
    for (int n = 0; n < 20'000; ++n) deep = w.make(Op::equal, w.boolean, {deep, w.var("c")});
    env.set(w.pool->var_of(w.var("b")), true);
    env.set(w.pool->var_of(w.var("c")), true);
    EXPECT_TRUE(programs.satisfied(deep, env));
}

}  // namespace
}  // namespace treaty::expr
