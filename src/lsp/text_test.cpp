#include "lsp/text.h"

#include <gtest/gtest.h>

#include <random>

namespace treaty::lsp {
namespace {

TEST(Text, CountsUtf16CodeUnitsInEveryScript) {
    Text text("aé\nж中x\n😀y𝒜\n");
    EXPECT_EQ(text.line_count(), 4u);
    EXPECT_EQ(text.offset({0, 1}), 1u);
    EXPECT_EQ(text.offset({0, 2}), 3u);
    EXPECT_EQ(text.offset({1, 2}), 9u);
    EXPECT_EQ(text.offset({2, 2}), 15u);  // after the emoji, which counts as two
    EXPECT_EQ(text.offset({2, 1}), 11u);  // inside it: at its beginning
    EXPECT_EQ(text.position(15), (Position{2, 2}));
    EXPECT_EQ(text.position(20), (Position{2, 5}));
    EXPECT_EQ(text.position(13), (Position{2, 0}));  // inside it
}

TEST(Text, EveryKindOfLineEndCounts) {
    Text text("a\r\nb\rc\nd");
    EXPECT_EQ(text.line_count(), 4u);
    EXPECT_EQ(text.offset({1, 0}), 3u);
    EXPECT_EQ(text.offset({2, 0}), 5u);
    EXPECT_EQ(text.offset({3, 0}), 7u);
    EXPECT_EQ(text.position(7), (Position{3, 0}));
}

TEST(Text, PositionsOutsideAreMovedToTheNearestPlace) {
    Text text("ab\ncd");
    EXPECT_EQ(text.offset({0, 99}), 2u);
    EXPECT_EQ(text.offset({1, 99}), 5u);
    EXPECT_EQ(text.offset({99, 0}), 5u);
    EXPECT_EQ(text.position(99), (Position{1, 2}));
    EXPECT_EQ(Text("").offset({3, 3}), 0u);
    EXPECT_EQ(text.replaced({1, 9}, {0, 1}, "x").all(), "ab\ncdx");  // an end before its beginning
}

// Any place between two characters has one position, which leads back to it.
TEST(Text, OffsetsAndPositionsAreInverses) {
    static const std::vector<std::string> parts{"a", " ", "é", "ж", "中", "😀", "𝒜", "\n", "\r\n", "e\u0301"};
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::string all;
        std::vector<std::size_t> places{0};
        for (int i = 0; i < 20; ++i) {
            const std::string& part = parts[random() % parts.size()];
            all += part;
            if (part != "\r\n") places.push_back(all.size());
        }
        Text text(all);
        for (std::size_t place : places) EXPECT_EQ(text.offset(text.position(place)), place) << all;
    }
}

TEST(Text, AnEditReplacesItsRange) {
    Text text("one\n😀two\nthree");
    EXPECT_EQ(text.replaced({1, 2}, {2, 2}, "X").all(), "one\n😀Xree");
    EXPECT_EQ(text.replaced({0, 0}, {0, 0}, "z\n").all(), "z\none\n😀two\nthree");
}

}  // namespace
}  // namespace treaty::lsp
