#include "expr/value.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "expr/testing/random_expressions.h"

namespace treaty::expr {
namespace {

struct ValueTest : testing::Test {
    SmallWorld w;

    std::string text(const Value& value, TypeId type) { return print(value, type, *w.types, *w.names); }
};

TEST_F(ValueTest, PrintsLiterals) {
    EXPECT_EQ(text(std::int64_t{-7}, w.integer), "-7");
    EXPECT_EQ(text(true, w.boolean), "true");
    EXPECT_EQ(text(1.5, w.real), "1.5");
    EXPECT_EQ(text(2.0, w.real), "2.0");
    EXPECT_EQ(text(-0.0, w.real), "0.0");
    EXPECT_EQ(text(1e21, w.real), "1000000000000000000000.0");
    EXPECT_EQ(text(EnumMember{1}, w.color), "Green");
    EXPECT_EQ(text(Bytes{std::string("\x00\xff", 2)}, w.bytes), "0x\"00ff\"");
    EXPECT_EQ(text(Sequence{{std::int64_t{1}, std::int64_t{2}}}, w.list), "[1, 2]");
    EXPECT_EQ(text(Sequence{}, w.maybe), "none");
    EXPECT_EQ(text(Sequence{{std::int64_t{1}}}, w.maybe), "some(1)");
    EXPECT_EQ(text(Sequence{{std::int64_t{1}, true}}, w.point), "Point(x = 1, on = true)");
    EXPECT_EQ(text(Sequence{}, w.list), "[]");
}

TEST_F(ValueTest, QuotesAnyBytes) {
    EXPECT_EQ(quote("a\n\r\t\\\"b"), "\"a\\n\\r\\t\\\\\\\"b\"");
    EXPECT_EQ(quote("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
    EXPECT_EQ(quote(std::string_view("\0\x7f", 2)), "\"\\x00\\x7f\"");
    EXPECT_EQ(quote("\xc3"), "\"\\xc3\"");                             // cut short
    EXPECT_EQ(quote("\xc0\x80"), "\"\\xc0\\x80\"");                    // overlong
    EXPECT_EQ(quote("\xed\xa0\x80"), "\"\\xed\\xa0\\x80\"");           // a surrogate
    EXPECT_EQ(quote("\xf4\x90\x80\x80"), "\"\\xf4\\x90\\x80\\x80\"");  // beyond Unicode
    EXPECT_EQ(quote("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\"");
}

TEST_F(ValueTest, BelongsChecksRangesInside) {
    TypeId small = w.types->list(w.types->integer(0, 3));
    EXPECT_TRUE(belongs(Sequence{{std::int64_t{0}, std::int64_t{3}}}, small, *w.types));
    EXPECT_FALSE(belongs(Sequence{{std::int64_t{4}}}, small, *w.types));
    EXPECT_FALSE(belongs(EnumMember{3}, w.color, *w.types));
    EXPECT_FALSE(belongs(std::int64_t{1}, w.real, *w.types));
    EXPECT_FALSE(belongs(Sequence{{std::int64_t{1}}}, w.point, *w.types));
    EXPECT_FALSE(belongs(Sequence{{std::int64_t{1}, std::int64_t{1}}}, w.maybe, *w.types));
    EXPECT_FALSE(belongs("x", w.bytes, *w.types));
}

TEST_F(ValueTest, EqualityIsReflexiveAndOrderTotalEvenForOddReals) {
    Value nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(nan, nan);
    EXPECT_FALSE(nan < nan);
    EXPECT_TRUE(nan < Value(-1e300));
    EXPECT_FALSE(Value(-1e300) < nan);
    EXPECT_EQ(hash(Value(0.0)), hash(Value(-0.0)));
}

TEST_F(ValueTest, ConvertMakesRealsInside) {
    TypeId reals = w.types->list(w.real);
    Value converted = convert(Sequence{{std::int64_t{1}, 2.5}}, reals, *w.types);
    EXPECT_EQ(converted, Value(Sequence{{1.0, 2.5}}));
}

TEST_F(ValueTest, OrderAndHashAgreeWithEquality) {
    std::uint64_t seed = property_seed();
    SCOPED_TRACE(testing::Message() << "TREATY_SEED=" << seed);
    RandomExpressions random(w, seed);
    for (int i = 0; i < 5000; ++i) {
        TypeId type = w.pool->variable(w.variables[random.below(w.variables.size())]).type;
        Value a = random.value(type);
        Value b = random.value(type);
        bool equal = text(a, type) == text(b, type);
        ASSERT_EQ(a == b, equal);
        ASSERT_EQ((a < b) + (b < a) + (a == b), 1) << text(a, type) << " and " << text(b, type);
        if (equal)
            ASSERT_EQ(hash(a), hash(b));
        else
            ASSERT_NE(hash(a), hash(b));
        ASSERT_TRUE(belongs(a, w.types->base(type), *w.types));
    }
}

}  // namespace
}  // namespace treaty::expr
