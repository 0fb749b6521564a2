// The questions of editors: navigation, completion, quick fixes.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/editor/diagnose.h"
#include "api/editor/explain.h"
#include "api/editor/navigate.h"
#include "api/editor/quick_fixes.h"
#include "api/editor/suggest.h"
#include "api/editor/text_structure.h"

namespace treaty::api {
namespace {

constexpr const char* path = "/shop.treaty";

std::string applied(std::string text, const QuickFix& fix) {
    for (auto edit = fix.edits.rbegin(); edit != fix.edits.rend(); ++edit)
        text.replace(edit->range.begin, edit->range.end - edit->range.begin, edit->text);
    return text;
}

std::vector<ShownDiagnostic> diagnosed(const std::string& text) {
    Workspace workspace;
    workspace.set_overlay(path, text);
    return diagnose(workspace, {path, true}, {}).shown;
}

// The text after the first fix of its only diagnostic; empty if there is none.
std::string repaired(const std::string& text, const std::string& code) {
    std::vector<ShownDiagnostic> shown = diagnosed(text);
    auto one = std::find_if(shown.begin(), shown.end(), [&](const auto& d) { return d.code == code; });
    if (one == shown.end()) return "no such diagnostic";
    Workspace workspace;
    workspace.set_overlay(path, text);
    auto fixes = quick_fixes(workspace, {path, code, {one->place.begin, one->place.end}});
    return fixes.empty() ? std::string() : applied(text, fixes.front());
}

TEST(QuickFixes, EachRemovesItsDiagnostic) {
    const std::string head =
        "message pay(amount: int)\nprotocol P(buyer, seller) {\n  buyer -> seller: pay(1)\n";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"T0101", "message m(a: int, b: bool) where b && a > 1\n"},
        {"T0113", "mesage m(a: int)\n"},
        {"T0116", "message m(a: int) where a = 1\n"},
        {"T0117", head + "  buyer -> seller: ok;\n}\n"},
        {"T0202", head + "  buyer -> selle: ok\n}\n"},
        {"T0205", head + "  buyer -> seller: send(let number, \"x\")\n}\n"},
        {"T0206", "message m(a: strng)\n"},
        {"T0207", "message m(amount: int) where amuont > 1\n"},
        {"T0208", "message m(a: string) where szie(a) > 1\n"},
        {"T0209", head + "  rec again {\n    buyer -> seller: ok\n    continue agian\n  }\n}\n"},
        {"T0210",
         head + "}\nprotocol Main(a, b) {\n  do Pp(a, b)\n}\nprotocol Pq(a, b) {\n  a -> b: ok\n}\n"},
        {"T0214", head + "  seller -> buyer: pya\n}\n"},
        {"T0215", "protocol P(a, b, c) {\n  a -> b: ok\n}\n"},
        {"T0216", head + "  buyer -> seller: pay(amuont = 1)\n}\n"},
        {"T0221", "import \"library/smpt.treaty\"\n"},
        {"T0402",
         head + "  choice at buyer {\n    seller -> buyer: yes\n  } or {\n    seller -> buyer: no\n  }\n}\n"},
        {"T0501", head + "}\nwire W over lines \"\\n\" {\n  pya(amount) = amount:/[0-9]+/\n}\n"},
    };
    for (const auto& [code, text] : cases) {
        SCOPED_TRACE(code);
        std::string fixed = repaired(text, code);
        ASSERT_FALSE(fixed.empty());
        for (const ShownDiagnostic& d : diagnosed(fixed))
            EXPECT_NE(d.code, code) << d.message << "\n" << fixed;
    }
}

TEST(Navigate, RenamingReachesEveryFileThatSeesTheName) {
    Workspace workspace;
    workspace.set_overlay("/parts.treaty", "message pay(amount: int)\n");
    workspace.set_overlay("/a.treaty", "import \"parts.treaty\"\nprotocol A(x, y) {\n  x -> y: pay(1)\n}\n");
    workspace.set_overlay("/b.treaty",
                          "import \"parts.treaty\"\nprotocol B(x, y) {\n  y -> x: pay(amount = 1)\n}\n");
    workspace.set_overlay("/other.treaty", "protocol C(x, y) {\n  y -> x: pay\n}\n");
    SearchedFiles searched{{"/a.treaty", "/b.treaty", "/parts.treaty", "/other.treaty"}, {}};
    constexpr std::uint32_t pay = 53;  // in a.treaty
    auto places = rename(workspace, {"/a.treaty", pay, searched}, "give");
    ASSERT_TRUE(places.has_value()) << places.error();
    std::vector<std::string> paths;
    for (const TextPlace& place : *places) paths.push_back(place.path);
    EXPECT_EQ(paths, (std::vector<std::string>{"/a.treaty", "/b.treaty", "/parts.treaty"}));
    workspace.set_overlay("/b.treaty",
                          "import \"parts.treaty\"\nprotocol B(x, y) {\n  y -> x: pay(amount = \n}\n");
    EXPECT_FALSE(rename(workspace, {"/a.treaty", pay, searched}, "give").has_value());
}

TEST(Navigate, WhatIsDeclaredInTheLibraryIsNotRenamed) {
    Workspace workspace;
    std::string text = "import \"library/smtp.treaty\"\nprotocol P(a, b) {\n  a -> b: own\n}\n";
    workspace.set_overlay(path, text);
    auto own = static_cast<std::uint32_t>(text.find("own"));
    EXPECT_TRUE(rename(workspace, {path, own, {}}, "mine").has_value());
    EXPECT_TRUE(links(workspace, path).empty());
}

std::vector<std::string> suggested(const std::string& text) {
    std::size_t cursor = text.find('|');
    Workspace workspace;
    workspace.set_overlay(path, text.substr(0, cursor) + text.substr(cursor + 1));
    std::vector<std::string> result;
    for (const Suggestion& one : suggest(workspace, path, static_cast<std::uint32_t>(cursor)).suggestions)
        result.push_back(one.text);
    return result;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(Suggest, KnowsThePlace) {
    const std::string head =
        "enum Color { red, green }\nmessage pay(amount: int, c: Color)\nprotocol P(buyer, seller) {\n";
    using List = std::vector<std::string>;
    EXPECT_EQ(suggested(head + "  buyer -> |\n}\n"), (List{"buyer", "seller"}));
    EXPECT_EQ(suggested(head + "  buyer -> se|\n}\n"), (List{"buyer", "seller"}));
    EXPECT_EQ(suggested(head + "  buyer -> |"), (List{"buyer", "seller"}));
    EXPECT_EQ(suggested(head + "  choice at |\n}\n"), (List{"buyer", "seller"}));
    EXPECT_EQ(suggested(head + "  buyer -> seller: |\n}\n"), (List{"pay"}));
    EXPECT_EQ(suggested(head + "  buyer -> seller: p|\n}\n"), (List{"pay"}));
    EXPECT_EQ(suggested(head + "  do |\n}\n"), (List{"P"}));
    EXPECT_TRUE(has(suggested(head + "  |\n}\n"), "choice"));
    EXPECT_TRUE(has(suggested(head + "  buyer -> seller: pay(|)\n}\n"), "amount"));
    EXPECT_TRUE(has(suggested(head + "  buyer -> seller: pay(1, |)\n}\n"), "green"));
    auto after =
        suggested(head + "  buyer -> seller: pay(let x, _)\n  if | {\n    buyer -> seller: ok\n  }\n}\n");
    EXPECT_TRUE(has(after, "x"));
    EXPECT_TRUE(has(suggested("|"), "protocol"));
    EXPECT_FALSE(has(suggested("|"), "choice"));
    EXPECT_TRUE(has(suggested("enum Color { red, green }\nmessage m(c: |)\n"), "Color"));
    EXPECT_TRUE(has(suggested("import \"|"), "library/smtp.treaty"));
    EXPECT_TRUE(suggested("protocol P(|").empty());
    EXPECT_TRUE(suggested("message m(|").empty());
    EXPECT_TRUE(has(suggested("message m(a: int) where |"), "a"));
}

// No place of any prefix of a text is one where a question fails.
TEST(EditorQuestions, AreAnsweredAtEveryPlaceOfEveryPrefix) {
    const std::string text =
        "import \"library/types.treaty\"\nmessage pay(amount: int) where amount > 0\nprotocol Shop(a, b) {\n"
        "  choice {\n    a -> b: pay(let x)\n  } or {\n    a -> b: no\n  }\n}\n";
    for (std::size_t end = 0; end <= text.size(); end += 3) {
        Workspace workspace;
        workspace.set_overlay(path, text.substr(0, end));
        auto offset = static_cast<std::uint32_t>(end);
        suggest(workspace, path, offset);
        signature(workspace, path, offset);
        explain(workspace, path, offset);
        references(workspace, {path, offset, {}});
        std::vector<TextRange> ranges = selection(workspace, path, offset);
        ASSERT_FALSE(ranges.empty());
        EXPECT_EQ(ranges.back(), (TextRange{0, offset}));
        for (const ClassifiedWord& word : classify(workspace, path)) EXPECT_LE(word.range.end, end);
    }
}

TEST(Hints, NameTheRoleThatDecides) {
    Workspace workspace;
    workspace.set_overlay(path,
                          "protocol P(a, b) {\n  choice {\n    a -> b: x\n  } or {\n    a -> b: y\n  }\n}\n");
    std::vector<Hint> found = hints(workspace, path);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].text, "at a");
    EXPECT_EQ(found[0].offset, 27u);
}

TEST(Diagnose, TypeErrorsOfAScriptAreShown) {
    Workspace workspace;
    workspace.set_overlay("/a.csp", "channel c : {0..1}\nP = c!true -> STOP\nQ = P [] 1\n");
    DiagnoseAnswer found = diagnose(workspace, {"/a.csp", true}, {});
    ASSERT_EQ(found.shown.size(), 2u);
    EXPECT_EQ(found.shown[0].code, "T1616");
    EXPECT_EQ(workspace.sources().begin(found.shown[0].place).line, 2u);
    EXPECT_EQ(workspace.sources().begin(found.shown[1].place).line, 3u);
}

TEST(Diagnose, WhatIsWrongInAnImportIsShownAtTheImport) {
    Workspace workspace;
    workspace.set_overlay("/parts.treaty", "message pay(amount: itn)\n");
    workspace.set_overlay(path,
                          "// first\nimport \"parts.treaty\"\nprotocol P(a, b) {\n  a -> b: pay(1)\n}\n");
    DiagnoseAnswer found = diagnose(workspace, {path, true}, {});
    ASSERT_FALSE(found.shown.empty());
    EXPECT_EQ(found.shown[0].code, "T0206");
    EXPECT_EQ(workspace.sources().path(found.shown[0].place.file), path);
    EXPECT_EQ(workspace.sources().begin(found.shown[0].place).line, 2u);
    ASSERT_FALSE(found.shown[0].related.empty());
    EXPECT_EQ(workspace.sources().path(found.shown[0].related[0].span.file), "/parts.treaty");
    EXPECT_TRUE(found.read.contains("/parts.treaty"));
}

}  // namespace
}  // namespace treaty::api
