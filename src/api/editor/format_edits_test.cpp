#include "api/editor/format_edits.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace treaty::api {
namespace {

std::string applied(std::string text, const std::vector<TextEdit>& edits) {
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
        text.replace(edit->range.begin, edit->range.end - edit->range.begin, edit->text);
    return text;
}

std::string random_text(std::mt19937& random) {
    static const std::vector<std::string> lines{"a\n", "b\n", "c\n", "\n", "  a\n", "d"};
    std::string text;
    for (std::uint32_t count = random() % 12; count > 0; --count) text += lines[random() % lines.size()];
    return text;
}

TEST(LineEdits, TurnOneTextIntoTheOther) {
    const char* scale = std::getenv("TREATY_TEST_SCALE");
    int rounds = 3000 * (scale ? std::max(1, std::atoi(scale)) : 1);
    std::mt19937 random(1);
    for (int i = 0; i < rounds; ++i) {
        std::string from = random_text(random), to = random_text(random);
        std::vector<TextEdit> edits = line_edits(from, to);
        ASSERT_EQ(applied(from, edits), to) << "seed 1, round " << i << "\n" << from;
        for (std::size_t k = 1; k < edits.size(); ++k)
            ASSERT_LT(edits[k - 1].range.end, edits[k].range.begin) << "edits that touch are one";
        ASSERT_EQ(edits.empty(), from == to) << "seed 1, round " << i << "\n" << from;
    }
}

TEST(LineEdits, LeaveEqualLinesAlone) {
    std::vector<TextEdit> edits = line_edits("a\nb\nc\nd\n", "a\nx\nc\nd\ny\n");
    ASSERT_EQ(edits.size(), 2u);
    EXPECT_EQ(edits[0].range, (TextRange{2, 4}));
    EXPECT_EQ(edits[0].text, "x\n");
    EXPECT_EQ(edits[1].range, (TextRange{8, 8}));
    EXPECT_EQ(edits[1].text, "y\n");
}

TEST(LineEdits, TextsThatAreTooLongToCompareAreOneEdit) {
    std::string from, to;
    for (int i = 0; i < 3000; ++i) {
        from += "a" + std::to_string(i) + "\n";
        to += "b" + std::to_string(i) + "\n";
    }
    std::vector<TextEdit> edits = line_edits(from, to);
    EXPECT_EQ(edits.size(), 1u);
    EXPECT_EQ(applied(from, edits), to);
}

std::vector<TextEdit> formatted(const std::string& path, const std::string& text,
                                std::optional<TextRange> range = std::nullopt) {
    Workspace workspace;
    workspace.set_overlay(path, text);
    return format_edits(workspace, path, range);
}

TEST(FormatEdits, AreOfTheLinesOfTheRange) {
    std::string text = "protocol P(a,b) {\n    a -> b:x\n     b->a: y\n}\n";
    EXPECT_EQ(applied(text, formatted("/a.treaty", text)),
              "protocol P(a, b) {\n  a -> b: x\n  b -> a: y\n}\n");
    // Neighbouring lines that change are one edit; the first line stays outside of the range of the last.
    std::string apart = "protocol P(a,b) {\n  a -> b: x\n     b->a: y\n}\n";
    auto at = static_cast<std::uint32_t>(apart.find("b->a"));
    EXPECT_EQ(applied(apart, formatted("/a.treaty", apart, TextRange{at, at})),
              "protocol P(a,b) {\n  a -> b: x\n  b -> a: y\n}\n");
}

TEST(FormatEdits, ATextWithFaultsStays) {
    EXPECT_TRUE(formatted("/a.treaty", "protocol P(a, b) {\n a -> : x\n}\n").empty());
    EXPECT_TRUE(formatted("/none.txt", "a").empty());
}

TEST(FormatEdits, OtherNotationsKeepEverythingButBlanks) {
    std::string text = "A -> B : m;B -> A : n";
    EXPECT_EQ(applied(text, formatted("/a.gc", text)), "A -> B : m;\nB -> A : n\n");
    EXPECT_TRUE(formatted("/a.gc", "A -> B : m; // why\nB -> A : n").empty());
}

}  // namespace
}  // namespace treaty::api
