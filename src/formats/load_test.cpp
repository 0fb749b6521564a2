#include "formats/load.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "formats/names.h"
#include "formats/testing/documents.h"
#include "formats/testing/random_models.h"

namespace treaty::formats::load_test {
namespace {

struct Result : testing::LoadResult {
    std::string told() { return testing::listing(diagnostics); }
};

std::unique_ptr<Result> read(std::string path, std::string text) {
    auto r = std::make_unique<Result>();
    base::FileId file = r->sources.add(std::move(path), std::move(text));
    r->loaded = formats::read(r->sources, file, r->diagnostics);
    return r;
}

std::string convert(std::string path, std::string text, std::string extension,
                    LossPolicy policy = LossPolicy::refuse) {
    auto r = read(std::move(path), std::move(text));
    if (!r->loaded) return r->told();
    base::Diagnostics diagnostics;
    Written out = write(r->loaded, extension, diagnostics, policy);
    return out.text ? *out.text : testing::listing(diagnostics);
}

const std::string order =
    "Buyer -> Shop : order;\nsel Shop {\n  Shop -> Buyer : yes\n+\n  Shop -> Buyer : no\n}\n";
const std::string fsa =
    ".outputs A\n.state graph\nq0 1 ! m q1\n.marking q0\n.end\n.outputs B\n.state graph\n"
    "q0 0 ? m q1\n.marking q0\n.end\n";
const std::string aut = "des (0, 1, 2)\n(0, \"a\", 1)\n";
const std::string pnml =
    "<pnml><net id=\"n\"><place id=\"p\"><initialMarking><text>1</text></initialMarking></place>"
    "</net></pnml>";

TEST(names, stems_and_extensions) {
    EXPECT_EQ(stem_of("a.b/c.v2.GC"), "c.v2");
    EXPECT_EQ(extension_of("a.b/c.v2.GC"), "gc");
    EXPECT_EQ(extension_of("a.b/c"), "");
    EXPECT_EQ(extension_of(".gc"), "");
    EXPECT_EQ(identifier_of("7 up"), "P7_up");
    EXPECT_EQ(identifier_of(""), "Protocol");
}

TEST(load, chooses_by_extension) {
    EXPECT_EQ(describe(read("x.gc", order)->loaded), "a specification");
    EXPECT_EQ(describe(read("x.treaty", "protocol P(A, B) { A -> B: m }")->loaded), "a specification");
    EXPECT_EQ(describe(read("x.FSA", fsa)->loaded), "a system");
    EXPECT_EQ(describe(read("x.aut", aut)->loaded), "a machine");
    EXPECT_EQ(describe(read("x.pnml", pnml)->loaded), "a net");
    EXPECT_EQ(read("x.txt", "")->told(), "T0800 cannot tell the notation of `x.txt` by its extension\n");
    EXPECT_EQ(read("x", "")->told(), "T0800 cannot tell the notation of `x` by its extension\n");
    EXPECT_EQ(read("x.dot", "")->told(), "T0807 `x.dot` is a picture, which can be written but not read\n");
}

TEST(load, files) {
    std::filesystem::path dir =
        std::filesystem::path(::testing::TempDir()) / ("treaty_formats_load" + std::to_string(getpid()));
    std::filesystem::create_directories(dir);
    std::string path = (dir / "order.gc").string();
    std::ofstream(path) << order;
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    EXPECT_TRUE(load(path, sources, diagnostics));
    EXPECT_FALSE(load((dir / "absent.gc").string(), sources, diagnostics));
    ASSERT_EQ(diagnostics.errors(), 1u);
    EXPECT_EQ(diagnostics.all()[0].code->number, 801);
    std::filesystem::remove_all(dir);
}

TEST(write, goes_where_it_fits) {
    EXPECT_EQ(convert("x.gc", order, "gc"), order);
    EXPECT_EQ(convert("x.fsa", fsa, "fsa"), fsa);
    EXPECT_EQ(convert("x.aut", aut, "aut"), aut);
    for (auto [path, text] : {std::pair("x.gc", order), {"x.fsa", fsa}, {"x.aut", aut}, {"x.pnml", pnml}}) {
        std::string json = convert(path, text, "json");
        EXPECT_EQ(convert("x.json", json, "json"), json);
        EXPECT_EQ(convert(path, text, "dot").substr(0, 8), "digraph ");
    }
    std::string treaty = convert("shop.gc", order, "treaty");
    EXPECT_EQ(convert("shop.treaty", treaty, "gc"), order);
    EXPECT_EQ(convert("shop.treaty", convert("shop.json", convert("shop.gc", order, "json"), "treaty"), "gc"),
              order);
}

TEST(write, says_what_else_to_do) {
    EXPECT_EQ(convert("x.gc", order, "fsa"), "T0804 machines are projections of a protocol\n");
    EXPECT_EQ(convert("x.gc", order, "aut"), "T0804 the machine of a protocol has to be computed\n");
    EXPECT_EQ(convert("x.gc", order, "pnml"), "T0804 the net of a protocol has to be computed\n");
    EXPECT_EQ(convert("x.fsa", fsa, "aut"), "T0804 the state space of a system has to be computed\n");
    EXPECT_EQ(convert("x.pnml", pnml, "aut"), "T0804 the state space of a net has to be computed\n");
    EXPECT_EQ(convert("x.fsa", fsa, "gc"), "T0804 a system of machines cannot be written as .gc\n");
    EXPECT_EQ(convert("x.aut", aut, "fsa"), "T0804 machine x has no role\n");
    EXPECT_EQ(convert("x.aut", aut, "treaty"), "T0804 a machine cannot be written as .treaty\n");
    EXPECT_EQ(convert("x.pnml", pnml, "fsa"), "T0804 a net cannot be written as .fsa\n");
    EXPECT_EQ(convert("x.gc", order, "docx"), "T0800 cannot write .docx files\n");
    // Names that the language does not have are replaced, by free ones.
    EXPECT_EQ(convert("x.gc", "A -> B : 1; A -> B : m1", "treaty"),
              "protocol X(A, B) {\n  A -> B: m1_2\n  A -> B: m1\n}\n");
    EXPECT_EQ(convert("x.gc", "A -> B : a=b", "treaty"), "protocol X(A, B) {\n  A -> B: a_b\n}\n");
}

TEST(write, losses_are_errors_until_they_are_allowed) {
    const std::string text = "message m(x: int)\nprotocol P(A, B) {\n  A -> B: m(let x)\n}\n";
    EXPECT_EQ(convert("x.treaty", text, "gc"), "T0802 .gc cannot express the data of message `m`\n");
    EXPECT_EQ(convert("x.treaty", text, "gc", LossPolicy::allow), "A -> B : m\n");
}

// A specification from JSON is held to the rules of the language.
TEST(load, rules_of_the_language) {
    const std::string text = R"({"treaty": 1, "model": "specification",
        "variables": [{"name": "x", "type": "int"}], "roles": ["A", "B"],
        "messages": [{"name": "m", "declared": true, "fields": [{"name": "v", "type": "int", "variable": 0}]}],
        "protocols": [{"name": "P", "roles": ["A", "B"], "body":
            {"kind": "interaction", "from": "A", "to": "B", "message": "m", "arguments": [{"var": 0}]}}]})";
    auto r = read("x.json", text);
    EXPECT_FALSE(r->loaded);
    ASSERT_EQ(r->diagnostics.errors(), 1u);
    EXPECT_EQ(r->diagnostics.all()[0].code->number, 727);
    EXPECT_NE(r->diagnostics.all()[0].hint.find("A -> B: m(x)"), std::string::npos);
}

// Whatever is nested too deeply, or means too much when it is expanded, ends in an error.
TEST(load, hostile_texts_end_in_a_diagnostic) {
    auto many = [](std::string_view piece) {
        std::string text;
        for (int i = 0; i < 100'000; ++i) text += piece;
        return text;
    };
    const std::pair<std::string, std::string> texts[] = {
        {"x.treaty", "protocol P(A, B) { " + many("par { ")},
        {"x.treaty", "protocol P(A, B) { if " + many("(")},
        {"x.gc", many("{")},
        {"x.gc", many("repeat A { ")},
        {"x.sgg", many("(")},
        {"x.scr", "global protocol P(role A, role B) { " + many("choice at A { ")},
        {"x.scr", "global protocol P(role A, role B) { " + many("rec X { ")},
        {"x.nuscr", "global protocol P(role A, role B) { m(x: int{" + many("(")},
        {"x.nuscr", many("(*")},
        {"x.mmd", "sequenceDiagram\n" + many("opt x\n")},
        {"x.puml", "@startuml\n" + many("group x\n")},
        {"x.chor", many("(")},
        {"x.schora", "component A = " + many("(")},
        {"x.json", many("[")},
        {"x.json", many("{\"a\":")},
        {"x.yaml", "openapi: 3.1.0\nx: " + many("[")},
        {"x.yaml", "asyncapi: 3.0.0\nx: " + many("{a: ")},
        {"x.yaml", "arazzo: 1.0.0\nx: " + many("- ")},
        {"x.pnml", "<pnml><net id=\"n\">" + many("<page id=\"p\">")},
        {"x.pnml", "<!DOCTYPE x [<!ENTITY a \"" + many("x") + "\"><!ENTITY b \"" + many("&a;") +
                       "\">]><pnml><net id=\"&b;\"/></pnml>"},
    };
    for (const auto& [path, text] : texts) {
        auto result = testing::load_document({{path, text}}, path);
        EXPECT_FALSE(result->loaded) << path << ": " << text.substr(0, 60);
        EXPECT_FALSE(result->diagnostics.ok()) << path << ": " << text.substr(0, 60);
    }
}

}  // namespace
}  // namespace treaty::formats::load_test
