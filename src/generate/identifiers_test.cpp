#include "generate/identifiers.h"

#include <gtest/gtest.h>

#include "generate/literals.h"

namespace treaty::generate {
namespace {

TEST(Identifiers, DifferentNamesStayDifferent) {
    EXPECT_EQ(identifier("order_2"), "order_2");
    EXPECT_EQ(identifier("a-b"), "ax2db");
    EXPECT_EQ(identifier("a__b"), "a_x5fb");
    EXPECT_EQ(identifier("2nd"), "n2nd");
    EXPECT_NE(identifier("\xc3\xa9"), identifier("\xc3\xa8"));
}

TEST(Identifiers, WordsOfTheLanguageGetAnUnderscore) {
    EXPECT_EQ(identifier("class", Language::cpp), "class_");
    EXPECT_EQ(identifier("None", Language::python), "None_");
    EXPECT_EQ(identifier("None", Language::typescript), "None");
    EXPECT_EQ(identifier("kind", Language::typescript), "kind_");
}

TEST(Identifiers, Cases) {
    EXPECT_EQ(camel_case("auth_req"), "AuthReq");
    EXPECT_EQ(camel_case("authReq"), "AuthReq");
    EXPECT_EQ(snake_case("AuthReq"), "auth_req");
    EXPECT_EQ(snake_case("ATM"), "atm");
}

TEST(Identifiers, ATakenNameGetsANumber) {
    Scope scope(Language::cpp);
    scope.reserve("fault");
    EXPECT_EQ(scope.name({Declared::message, 0}, "Order"), "Order");
    EXPECT_EQ(scope.name({Declared::type, 0}, "Order"), "Order2");
    EXPECT_EQ(scope.name({Declared::message, 0}, "Order"), "Order");
    EXPECT_EQ(scope.name({Declared::message, 1}, "fault"), "fault2");
}

TEST(Literals, TextsAreEscaped) {
    EXPECT_EQ(text_literal("a\"\n\x01"
                           "1",
                           Language::cpp),
              R"("a\"\n\0011")");
    EXPECT_EQ(text_literal("\x01", Language::python), R"("\x01")");
    EXPECT_EQ(text_literal("\xff", Language::python), R"("\udcff")");
    EXPECT_EQ(text_literal("\xff", Language::typescript), std::nullopt);
    EXPECT_EQ(bytes_literal("\xff", Language::typescript), "new Uint8Array([255])");
}

TEST(Literals, Numbers) {
    EXPECT_EQ(integer_literal(INT64_MIN, Language::cpp), "std::numeric_limits<std::int64_t>::min()");
    EXPECT_EQ(integer_literal(3, Language::typescript), "3n");
    EXPECT_EQ(real_literal(2), "2.0");
    EXPECT_EQ(real_literal(1e300), "1e+300");
}

}  // namespace
}  // namespace treaty::generate
