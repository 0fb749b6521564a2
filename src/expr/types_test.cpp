#include "expr/types.h"

#include <gtest/gtest.h>

namespace treaty::expr {
namespace {

struct TypesTest : testing::Test {
    base::Names names;
    Types types;
    TypeId color = types.enumeration(names.intern("Color"), {names.intern("Red")});
    TypeId point = types.record(names.intern("Point"), {{names.intern("x"), types.integer()}});

    std::string print(TypeId id) { return types.print(id, names); }
};

TEST_F(TypesTest, EqualTypesHaveEqualIds) {
    EXPECT_EQ(types.list(types.integer()), types.list(types.integer()));
    EXPECT_EQ(types.integer(0, 5), types.integer(0, 5));
    EXPECT_NE(types.integer(0, 5), types.integer(0, 6));
    EXPECT_NE(types.integer(0, std::nullopt), types.integer(std::nullopt, 0));
    EXPECT_EQ(types.integer(std::nullopt, std::nullopt), types.integer());
    EXPECT_NE(types.list(types.integer()), types.optional(types.integer()));
    EXPECT_NE(types.enumeration(names.intern("Color"), {}), color);
}

TEST_F(TypesTest, BaseForgetsRangesEverywhere) {
    TypeId small = types.integer(0, 5);
    EXPECT_EQ(types.base(small), types.integer());
    EXPECT_EQ(types.base(types.list(types.optional(small))), types.list(types.optional(types.integer())));
    EXPECT_EQ(types.base(point), point);
}

TEST_F(TypesTest, Fits) {
    EXPECT_TRUE(types.fits(types.integer(), types.integer(0, 5)));
    EXPECT_TRUE(types.fits(types.integer(), types.real()));
    EXPECT_FALSE(types.fits(types.real(), types.integer()));
    EXPECT_TRUE(types.fits(types.list(types.integer(0, 5)), types.list(types.real())));
    EXPECT_TRUE(types.fits(types.list(types.unknown()), types.list(point)));
    EXPECT_FALSE(types.fits(types.list(color), types.list(point)));
    EXPECT_FALSE(types.fits(types.list(color), types.optional(color)));
    EXPECT_FALSE(types.fits(types.string(), types.bytes()));
    EXPECT_TRUE(types.fits(types.unknown(), types.bytes()));
}

TEST_F(TypesTest, JoinTakesTheMorePrecise) {
    EXPECT_EQ(types.join(types.list(types.unknown()), types.list(color)), types.list(color));
    EXPECT_EQ(types.join(types.integer(), types.real()), types.real());
    EXPECT_EQ(types.join(types.integer(0, 1), types.integer(0, 2)), types.integer());
    EXPECT_EQ(types.join(types.integer(0, 1), types.integer(0, 1)), types.integer(0, 1));
    EXPECT_EQ(types.join(types.optional(types.real()), types.optional(types.integer())),
              types.optional(types.real()));
    EXPECT_FALSE(types.join(color, point).valid());
    EXPECT_FALSE(types.join(types.list(color), color).valid());
}

TEST_F(TypesTest, RecordsMayGetTheirFieldsLater) {
    TypeId outer = types.record(names.intern("Outer"), {});
    TypeId holder = types.list(outer);
    EXPECT_FALSE(types.contains(point, outer));
    EXPECT_TRUE(types.contains(holder, outer));
    types.set_fields(outer, {{names.intern("p"), types.optional(point)}});
    EXPECT_TRUE(types.contains(holder, point));
    EXPECT_EQ(types.nesting(holder), 5u);  // list, Outer, optional, Point, int
    EXPECT_EQ(types.nesting(types.boolean()), 1u);
}

TEST_F(TypesTest, DeepAndWideRecordsAreMeasuredQuickly) {
    TypeId inner = types.integer();
    for (int i = 0; i < 5000; ++i)
        inner = types.record(names.intern("R"), {{names.intern("a"), inner}, {names.intern("b"), inner}});
    EXPECT_EQ(types.nesting(inner), 5001u);
}

TEST_F(TypesTest, PrintsAsTheLanguageWritesIt) {
    EXPECT_EQ(print(types.list(types.optional(types.integer(-1, 5)))), "list<optional<int in -1..5>>");
    EXPECT_EQ(print(types.integer(0, std::nullopt)), "int in 0..");
    EXPECT_EQ(print(types.list(color)), "list<Color>");
    EXPECT_EQ(print(types.boolean()) + print(types.real()) + print(types.string()) + print(types.bytes()),
              "boolrealstringbytes");
}

}  // namespace
}  // namespace treaty::expr
