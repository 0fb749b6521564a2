#include "expr/simplify.h"

#include <gtest/gtest.h>

#include "expr/evaluate.h"
#include "expr/print.h"
#include "expr/testing/random_expressions.h"

namespace treaty::expr {
namespace {

TEST(SimplifyTest, MeansTheSameWhereTheInputHasAValue) {
    std::uint64_t seed = property_seed();
    SmallWorld w;
    RandomExpressions random(w, seed);
    std::size_t smaller = 0;
    for (int n = 0; n < 8000; ++n) {
        TypeId type = w.types->base(w.pool->variable(w.variables[random.below(w.variables.size())]).type);
        ExprId e = random.expression(random.chance(60) ? w.boolean : type, 5);
        ExprId s = simplify(*w.pool, e);
        auto where = [&] {
            return testing::Message() << "TREATY_SEED=" << seed << " case " << n << ": " << print(*w.pool, e)
                                      << " became " << print(*w.pool, s);
        };
        ASSERT_EQ(w.types->base((*w.pool)[s].type), w.types->base((*w.pool)[e].type)) << where();
        ASSERT_EQ(simplify(*w.pool, s), s) << where() << " and then " << print(*w.pool, simplify(*w.pool, s));
        ASSERT_LE(w.pool->parts_of(s).size(), w.pool->parts_of(e).size() + 2) << where();
        smaller += w.pool->parts_of(s).size() < w.pool->parts_of(e).size();
        for (int k = 0; k < 6; ++k) {
            Environment env = random.environment(99);
            Result before = evaluate(*w.pool, e, env);
            if (std::holds_alternative<Fault>(before)) continue;
            Result after = evaluate(*w.pool, s, env);
            ASSERT_TRUE(std::holds_alternative<Value>(after))
                << where() << ": " << std::get<Fault>(after).reason;
            ASSERT_EQ(std::get<Value>(before), std::get<Value>(after)) << where();
        }
    }
    EXPECT_GT(smaller, 3000u);
}

struct SimplifyExamples : testing::Test {
    SmallWorld w;
    ExprId b = w.var("b"), c = w.var("c"), i = w.var("i"), j = w.var("j");
    ExprId yes = w.pool->boolean(true), no = w.pool->boolean(false);

    std::string simple(ExprId id) { return print(*w.pool, simplify(*w.pool, id)); }
    ExprId integer(std::int64_t x) { return w.pool->integer(x); }
    ExprId add(ExprId x, ExprId y) { return w.make(Op::add, w.integer, {x, y}); }
    ExprId sub(ExprId x, ExprId y) { return w.make(Op::subtract, w.integer, {x, y}); }
    ExprId less(ExprId x, ExprId y) { return w.make(Op::less, w.boolean, {x, y}); }
    ExprId conj(ExprId x, ExprId y) { return w.pool->logical_and(x, y); }
    ExprId disj(ExprId x, ExprId y) { return w.pool->logical_or(x, y); }
    ExprId choose(TypeId type, ExprId x, ExprId y, ExprId z) { return w.make(Op::if_else, type, {x, y, z}); }
};

TEST_F(SimplifyExamples, Truth) {
    EXPECT_EQ(simple(conj(conj(b, yes), conj(c, b))), "b and c");
    EXPECT_EQ(simple(conj(b, conj(c, w.pool->logical_not(b)))), "false");
    EXPECT_EQ(simple(disj(b, disj(c, w.pool->logical_not(b)))), "true");
    EXPECT_EQ(simple(disj(b, conj(b, c))), "b");
    EXPECT_EQ(simple(w.pool->logical_not(w.pool->logical_not(b))), "b");
    EXPECT_EQ(simple(w.pool->logical_not(less(i, j))), "i >= j");
    EXPECT_EQ(simple(w.make(Op::implies, w.boolean, {b, no})), "not b");
    EXPECT_EQ(simple(w.pool->equal(b, no)), "not b");
    EXPECT_EQ(simple(conj(less(i, j), w.make(Op::greater_equal, w.boolean, {i, j}))), "false");
}

TEST_F(SimplifyExamples, Conditionals) {
    EXPECT_EQ(simple(choose(w.boolean, b, yes, no)), "b");
    EXPECT_EQ(simple(choose(w.boolean, b, yes, c)), "b or c");
    EXPECT_EQ(simple(choose(w.integer, w.pool->logical_not(b), i, j)), "if b then j else i");
    EXPECT_EQ(simple(choose(w.integer, b, choose(w.integer, b, i, j), j)), "if b then i else j");
    EXPECT_EQ(simple(choose(w.integer, c, i, i)), "i");
}

TEST_F(SimplifyExamples, Numbers) {
    EXPECT_EQ(simple(add(add(i, integer(1)), integer(2))), "i + 3");
    EXPECT_EQ(simple(sub(add(i, integer(2)), integer(5))), "i - 3");
    EXPECT_EQ(simple(add(integer(1), i)), "i + 1");
    EXPECT_EQ(simple(sub(add(i, integer(5)), i)), "5");
    EXPECT_EQ(simple(less(integer(3), add(i, integer(1)))), "i > 2");
    EXPECT_EQ(simple(w.pool->equal(add(i, integer(1)), i)), "false");
    EXPECT_EQ(simple(w.make(Op::multiply, w.integer, {add(i, j), integer(0)})), "0");
    EXPECT_EQ(simple(w.make(Op::call, w.integer, {integer(21)}, w.twice.index)), "42");
    // What has no value is left alone.
    ExprId zero = w.make(Op::divide, w.integer, {integer(1), integer(0)});
    EXPECT_EQ(simple(zero), "1 / 0");
    // The integer would divide differently in the place of the real.
    ExprId real = w.make(Op::add, w.real, {i, w.pool->literal(0.0, w.real)});
    EXPECT_EQ(simple(real), "i + 0.0");
}

TEST_F(SimplifyExamples, Data) {
    ExprId some = w.make(Op::some, w.maybe, {i});
    EXPECT_EQ(simple(w.make(Op::value, w.integer, {some})), "i");
    EXPECT_EQ(simple(w.make(Op::has, w.boolean, {some})), "true");
    EXPECT_EQ(simple(w.make(Op::field, w.integer, {w.make(Op::record, w.point, {j, b})}, 0)), "j");
    ExprId two =
        w.make(Op::concat, w.list, {w.make(Op::list, w.list, {i}), w.make(Op::list, w.list, {integer(1)})});
    EXPECT_EQ(simple(two), "[i, 1]");
    EXPECT_EQ(simple(w.make(Op::at, w.integer, {two, integer(1)})), "1");
    EXPECT_EQ(simple(w.make(Op::size, w.integer, {two})), "2");
    EXPECT_EQ(simple(w.make(Op::member, w.boolean, {j, w.make(Op::list, w.list, {i})})), "j == i");
    EXPECT_EQ(simple(w.make(Op::permutes, w.boolean, {w.var("xs"), w.var("xs")})), "true");
}

TEST_F(SimplifyExamples, AGuardOnTheLeftStays) {
    // Dropping (j != 0 or c) because j != 0 follows later would evaluate 1 / j where j is 0.
    ExprId guard = w.make(Op::not_equal, w.boolean, {j, integer(0)});
    ExprId risky = less(integer(0), w.make(Op::divide, w.integer, {integer(1), j}));
    ExprId e = conj(conj(disj(guard, c), risky), guard);
    Environment env;
    env.set(w.pool->var_of(j), std::int64_t{0});
    env.set(w.pool->var_of(c), false);
    EXPECT_EQ(evaluate(*w.pool, simplify(*w.pool, e), env).index(), 0u);
}

TEST_F(SimplifyExamples, DepthCostsNothing) {
    ExprId deep = i;
    ExprId chain = b;
    for (int n = 0; n < 20'000; ++n) {
        deep = w.make(Op::add, w.integer, {deep, integer(1)});
        chain = conj(chain, w.pool->equal(i, integer(n)));
    }
    EXPECT_EQ(simple(deep), "i + 20000");
    ExprId kept = simplify(*w.pool, chain);
    EXPECT_EQ(w.pool->variables_of(kept).size(), 2u);
}

}  // namespace
}  // namespace treaty::expr
