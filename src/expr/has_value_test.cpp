#include "expr/has_value.h"

#include <gtest/gtest.h>

#include "expr/digest.h"
#include "expr/print.h"
#include "expr/simplify.h"
#include "expr/testing/random_expressions.h"

namespace treaty::expr {
namespace {

bool has(const Result& result) {
    return std::holds_alternative<Value>(result);
}

std::size_t scaled(std::size_t cases) {
    const char* text = std::getenv("TREATY_TEST_SCALE");
    return text ? cases * std::strtoull(text, nullptr, 10) : cases;
}

TEST(HasValue, SaysWhatDividesAndWhatIsProtected) {
    SmallWorld w;
    Pool& pool = *w.pool;
    ExprId i = w.var("i"), zero = pool.integer(0), one = pool.integer(1);
    ExprId quotient = w.make(Op::divide, w.integer, {pool.integer(10), i});
    ExprId more = w.make(Op::greater, w.boolean, {quotient, one});
    ExprId not_zero = w.make(Op::not_equal, w.boolean, {i, zero});
    EXPECT_EQ(print(pool, has_value(pool, more)), "i != 0");
    EXPECT_EQ(print(pool, holds(pool, more)), "i != 0 and 10 / i > 1");
    EXPECT_EQ(print(pool, value_or_default(pool, quotient)), "if i != 0 then 10 / i else 0");
    ExprId protected_one = pool.logical_and(not_zero, more);
    EXPECT_FALSE(may_lack_value(pool, protected_one));
    EXPECT_EQ(holds(pool, protected_one), protected_one);
    EXPECT_FALSE(may_lack_value(pool, w.make(Op::modulo, w.integer, {i, pool.integer(3)})));
    EXPECT_TRUE(pool.is_false(has_value(pool, w.make(Op::modulo, w.integer, {i, zero}))));
    EXPECT_FALSE(may_lack_value(pool, total_parts(pool, more)));
}

TEST(HasValue, AVariableWithACompanionHasAValueWhereThatSaysSo) {
    SmallWorld w;
    Pool& pool = *w.pool;
    VarId j = pool.var_of(w.var("j"));
    EXPECT_FALSE(pool.presence(j));
    VarId present = pool.presence_of(j);
    EXPECT_EQ(pool.presence_of(j), present);
    EXPECT_EQ(has_value(pool, pool.var(j)), pool.var(present));
    ExprId less = w.make(Op::less, w.boolean, {pool.var(j), pool.integer(1)});
    EXPECT_EQ(holds(pool, less), pool.logical_and(pool.var(present), less));
    Environment environment;
    environment.set(present, false);
    environment.set(j, std::int64_t{0});
    EXPECT_TRUE(satisfied(pool, does_not_hold(pool, less), environment));
}

// All short texts over letters that matter.
TEST(HasValue, OfWhatIsDecodedIsWhatDecodingGives) {
    SmallWorld w;
    Pool& pool = *w.pool;
    for (Op op : {Op::unhex, Op::unbase64}) {
        ExprId part = w.make(op, w.bytes, {w.var("s")});
        ExprId condition = has_value(pool, part);
        std::string letters = op == Op::unhex ? "0aAg" : "AQEBg=w/";
        std::vector<std::string> texts{""};
        for (std::size_t t = 0; t < texts.size(); ++t) {
            Environment environment;
            environment.set(pool.var_of(w.var("s")), texts[t]);
            EXPECT_EQ(satisfied(pool, condition, environment), has(evaluate(pool, part, environment)))
                << texts[t];
            if (texts[t].size() < 5)
                for (char letter : letters) texts.push_back(texts[t] + letter);
        }
    }
}

// A condition is broken by values for which it is false, and by those for which it has no value: also where a
// function that it calls has none, and where a text cannot be decoded.
TEST(HasValue, WhatDoesNotHoldIsFalseOrHasNone) {
    SmallWorld w;
    Pool& pool = *w.pool;
    VarId x = pool.declare(w.name("x"), w.integer);
    FunctionId share = pool.declare_function(w.name("share"), {x}, w.integer);
    pool.define(share, w.make(Op::divide, w.integer, {pool.integer(10), pool.var(x)}));
    ExprId called = w.make(Op::call, w.integer, {w.var("i")}, share.index);
    ExprId more = w.make(Op::greater, w.boolean, {called, pool.integer(1)});
    ExprId decoded = w.make(Op::unhex, w.bytes, {w.var("s")});
    ExprId is_zero = pool.equal(decoded, pool.literal(Bytes{std::string(1, '\0')}, w.bytes));
    for (std::int64_t i = -2; i <= 12; ++i)
        for (const char* s : {"", "0", "00", "zz"}) {
            Environment environment;
            environment.set(pool.var_of(w.var("i")), i);
            environment.set(pool.var_of(w.var("s")), std::string(s));
            for (ExprId condition : {more, is_zero})
                EXPECT_NE(satisfied(pool, does_not_hold(pool, condition), environment),
                          satisfied(pool, condition, environment))
                    << print(pool, condition) << " with " << i << " and " << s;
        }
}

// Everything has a value everywhere, and says what evaluation does.
TEST(HasValueProperty, AgreesWithEvaluation) {
    std::uint64_t seed = property_seed();
    SmallWorld w;
    Pool& pool = *w.pool;
    RandomExpressions random(w, seed);
    random.extremes = false;
    std::size_t without = 0;
    for (std::size_t n = 0; n < scaled(4000); ++n) {
        bool condition = random.chance(70);
        ExprId e = random.expression(condition ? w.boolean : w.integer, 4);
        ExprId present = has_value(pool, e), value = value_or_default(pool, e), total = total_parts(pool, e);
        ExprId is = condition ? holds(pool, e) : e, is_not = condition ? does_not_hold(pool, e) : e;
        for (int k = 0; k < 8; ++k) {
            Environment environment = random.environment();
            Result expected = evaluate(pool, e, environment);
            Result said = evaluate(pool, present, environment), given = evaluate(pool, value, environment);
            Result simple = evaluate(pool, simplify(pool, present), environment);
            std::string where =
                "seed " + std::to_string(seed) + " case " + std::to_string(n) + ": " + print(pool, e);
            ASSERT_TRUE(has(said) && has(given) && has(evaluate(pool, total, environment))) << where;
            ASSERT_EQ(std::get<Value>(said).boolean(), has(expected)) << where;
            ASSERT_TRUE(has(simple) && std::get<Value>(simple) == std::get<Value>(said)) << where;
            without += !has(expected);
            if (has(expected)) {
                ASSERT_EQ(std::get<Value>(given), std::get<Value>(expected)) << where;
                ASSERT_EQ(std::get<Value>(evaluate(pool, total, environment)), std::get<Value>(expected))
                    << where;
            }
            if (!condition) continue;
            Result yes = evaluate(pool, is, environment), no = evaluate(pool, is_not, environment);
            ASSERT_TRUE(has(yes) && has(no)) << where;
            bool held = satisfied(pool, e, environment);
            ASSERT_TRUE(std::get<Value>(yes).boolean() == held && std::get<Value>(no).boolean() == !held)
                << where;
        }
    }
    EXPECT_GT(without, 1000u);
}

}  // namespace
}  // namespace treaty::expr
