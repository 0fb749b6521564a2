#include "report/render_diagnostics.h"

#include <gtest/gtest.h>

namespace treaty::report {
namespace {

constexpr base::Code unknown_role{312, base::Severity::error, "unknown role", ""};
constexpr base::Code idle{215, base::Severity::warning, "idle", ""};

class RenderTest : public testing::Test {
protected:
    base::FileId add(std::string text, std::string path = "a.treaty") {
        return sources.add(std::move(path), std::move(text));
    }
    // The n-th place where `needle` occurs.
    base::Span at(base::FileId file, std::string_view needle, int n = 1) {
        std::size_t place = std::string_view::npos;
        for (int i = 0; i < n; ++i) place = sources.text(file).find(needle, i == 0 ? 0 : place + 1);
        EXPECT_NE(place, std::string_view::npos);
        return {file, static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place + needle.size())};
    }
    std::string one() { return render(diagnostics.all().front(), sources, style); }

    base::SourceMap sources;
    base::Diagnostics diagnostics;
    draw::Style style;
};

TEST_F(RenderTest, ShowsPlaceLabelsAndHelp) {
    auto file = add("protocol Withdraw(C, A, B) {\n  C -> A: x\n  C -> D: withdraw\n}\n");
    diagnostics.report(unknown_role, at(file, "D"), "`D` is not a role of `Withdraw`")
        .label(at(file, "Withdraw"), "declared here")
        .help("did you mean `C`?");
    EXPECT_EQ(one(), R"(error[T0312]: `D` is not a role of `Withdraw`
 --> a.treaty:3:8
  |
1 | protocol Withdraw(C, A, B) {
  |          -------- declared here
...
3 |   C -> D: withdraw
  |        ^
  |
  = help: did you mean `C`?
)");
}

TEST_F(RenderTest, SeveralLabelsOnOneLineHangFromTheRight) {
    auto file = add("alpha beta gamma delta\n");
    diagnostics.report(unknown_role, at(file, "gamma"), "three")
        .label(at(file, "alpha"), "first")
        .label(at(file, "beta"), "second")
        .label(at(file, "delta"), "last");
    EXPECT_EQ(one(), R"(error[T0312]: three
 --> a.treaty:1:12
  |
1 | alpha beta gamma delta
  | ----- ---- ^^^^^ ----- last
  | |     second
  | first
)");
}

TEST_F(RenderTest, LabelUnderTheCaretsHangsBelow) {
    auto file = add("choice at B\n");
    diagnostics.report(unknown_role, at(file, "choice at B"), "wide").label(at(file, "at"), "inside");
    EXPECT_EQ(one(), R"(error[T0312]: wide
 --> a.treaty:1:1
  |
1 | choice at B
  | ^^^^^^^^^^^
  |        inside
)");
}

TEST_F(RenderTest, TabsAndWideCharactersKeepCaretsInPlace) {
    auto file = add("\tname: \"\xe6\x97\xa5\xe6\x9c\xac e\xcc\x81\" here\n");
    diagnostics.report(unknown_role, at(file, "here"), "tab");
    EXPECT_EQ(one(),
              "error[T0312]: tab\n"
              " --> a.treaty:1:16\n"
              "  |\n"
              "1 |     name: \"\xe6\x97\xa5\xe6\x9c\xac e\xcc\x81\" here\n"
              "  |                    ^^^^\n");
}

TEST_F(RenderTest, WindowsLongLines) {
    std::string line(5000, 'x');
    line.replace(3000, 4, "HERE");
    auto file = add(line + "\n");
    diagnostics.report(unknown_role, at(file, "HERE"), "long").label({file, 10, 12}, "far away");
    style.width = 60;
    std::string text = one();
    for (std::size_t start = 0; start < text.size();) {
        std::size_t end = text.find('\n', start);
        EXPECT_LE(end - start, 60u) << text;
        start = end + 1;
    }
    std::size_t shown = text.find("HERE"), caret = text.find("^^^^");
    ASSERT_NE(shown, std::string::npos) << text;
    ASSERT_NE(caret, std::string::npos) << text;
    auto column = [&](std::size_t place) { return place - text.rfind('\n', place); };
    EXPECT_EQ(column(shown), column(caret)) << text;
    EXPECT_NE(text.find("-- far away"), std::string::npos) << text;
}

TEST_F(RenderTest, EndOfFileAndSpansOverLines) {
    auto file = add("protocol P(A, B) {\n  A -> B: x");
    auto size = static_cast<std::uint32_t>(sources.text(file).size());
    diagnostics.report(unknown_role, {file, size, size}, "end").label({file, 17, size}, "begins here");
    EXPECT_EQ(one(), R"(error[T0312]: end
 --> a.treaty:2:12
  |
1 | protocol P(A, B) {
  |                  - begins here
2 |   A -> B: x
  |            ^
)");
}

TEST_F(RenderTest, SpanBeyondTheTextDoesNoHarm) {
    auto file = add("");
    diagnostics.report(unknown_role, {file, 70, 90}, "nowhere");
    EXPECT_EQ(one(), "error[T0312]: nowhere\n --> a.treaty:1:1\n  |\n1 |\n  | ^\n");
}

TEST_F(RenderTest, OtherFilesAndPlacesUnknown) {
    auto file = add("one\n");
    auto other = add("two\n", "b.treaty");
    diagnostics.report(unknown_role, at(file, "one"), "here").label(at(other, "two"), "there");
    diagnostics.report(idle, {}, "nowhere").help("look up");
    EXPECT_EQ(render(diagnostics, sources, style), R"(error[T0312]: here
 --> a.treaty:1:1
  |
1 | one
  | ^^^
 ::: b.treaty:1
1 | two
  | --- there

warning[T0215]: nowhere
  = help: look up

1 error, 1 warning
)");
}

TEST_F(RenderTest, NothingFromTheFileControlsTheTerminal) {
    auto file = add("a\x1b[31m\xe2\x80\xae b\xff\n");
    diagnostics.report(unknown_role, at(file, "b"), "evil \x1b[2J\r");
    std::string text = one();
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\r'), std::string::npos);
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
}

TEST_F(RenderTest, ColourChangesNothingButColour) {
    auto file = add("alpha beta\n");
    diagnostics.report(unknown_role, at(file, "beta"), "m").label(at(file, "alpha"), "l").help("h");
    std::string plain = one();
    style.color = true;
    std::string painted = one();
    EXPECT_NE(painted, plain);
    std::string stripped;
    for (std::size_t i = 0; i < painted.size(); ++i) {
        if (painted[i] == '\x1b')
            i = painted.find('m', i);
        else
            stripped += painted[i];
    }
    EXPECT_EQ(stripped, plain);
}

TEST_F(RenderTest, SummaryCountsWhatIsNotKept) {
    EXPECT_EQ(summary(diagnostics), "");
    for (std::size_t i = 0; i < base::Diagnostics::max_kept + 7; ++i)
        diagnostics.report(unknown_role, {}, "m");
    EXPECT_EQ(summary(diagnostics), "1007 errors (7 not shown)");
}

}  // namespace
}  // namespace treaty::report
