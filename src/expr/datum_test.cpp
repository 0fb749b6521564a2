#include "expr/datum.h"

#include <gtest/gtest.h>

namespace treaty::expr {
namespace {

TEST(Datum, PrintsAsJsonWould) {
    EXPECT_EQ(print(Datum()), "null");
    EXPECT_EQ(print(true), "true");
    EXPECT_EQ(print(-3), "-3");
    EXPECT_EQ(print(2.0), "2.0");
    EXPECT_EQ(print(0.5), "0.5");
    EXPECT_EQ(print("a \"b\"\n\x01"), R"("a \"b\"\n\u0001")");
    EXPECT_EQ(print(DatumList{1, "x"}), R"([1,"x"])");
    EXPECT_EQ(print(DatumFields{{"x", 1}, {"y", DatumList{}}}), R"({"x":1,"y":[]})");
}

TEST(Datum, TextsThatDifferLookDifferent) {
    EXPECT_EQ(print(std::string("\x9f")), R"({"hex":"9f"})");
    EXPECT_EQ(print(std::string("\xff")), R"({"hex":"ff"})");
    EXPECT_EQ(print(Bytes{"\x9f"}), R"(0x"9f")");
}

TEST(Datum, TakesNamesFromTheTypes) {
    base::Names names;
    Types types;
    TypeId colour = types.enumeration(names.intern("Colour"), {names.intern("Red"), names.intern("Green")});
    TypeId point = types.record(names.intern("Point"),
                                {{names.intern("x"), types.integer()}, {names.intern("c"), colour}});
    Value value = Sequence{{Value(std::int64_t{7}), Value(EnumMember{1})}};
    EXPECT_EQ(datum_of(value, point, types, names), (Datum(DatumFields{{"x", 7}, {"c", "Green"}})));
    EXPECT_EQ(datum_of(Value(Sequence{}), types.optional(point), types, names), Datum());
}

}  // namespace
}  // namespace treaty::expr
