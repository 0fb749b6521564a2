#include "formats/dot/dot.h"

#include <gtest/gtest.h>

#include "formats/dot/text.h"
#include "formats/gc/gc.h"
#include "formats/testing/random_models.h"
#include "formats/testing/reading.h"

namespace treaty::formats::dot_test {
namespace {

TEST(dot_text, quotes_anything) {
    EXPECT_EQ(dot::quote("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
    EXPECT_EQ(dot::quote("&lt;"), "\"&amp;lt;\"");
    EXPECT_EQ(dot::quote("\xc3\xa9\xff\x01"), "\"\xc3\xa9\xef\xbf\xbd \"");
}

// The lines that draw something, without the looks.
std::string skeleton(const std::string& text) {
    std::string out;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = text.find('\n', begin);
        std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        bool defaults =
            line.starts_with("  graph") || line.starts_with("  node") || line.starts_with("  edge");
        if (defaults || line.find("color=\"#b8c4d0\"") != std::string::npos) continue;
        std::size_t bracket = line.find(" [");
        std::string label;
        std::size_t at = line.find("label=\"");
        if (at != std::string::npos) label = " " + line.substr(at + 6, line.find('"', at + 7) - at - 5);
        if (bracket != std::string::npos) line = line.substr(0, bracket) + label;
        out += line + '\n';
    }
    return out;
}

TEST(dot, a_protocol) {
    auto r = testing::read<model::Specification>(
        read_gc, "p.gc", "A -> B : m; sel A { A -> B : x + (o) }; repeat B { B -> A : y | A -> B : z }");
    ASSERT_TRUE(r->model);
    EXPECT_EQ(skeleton(write_dot(*r->model, r->model->protocols[0])),
              "digraph \"P\" {\n"
              "  start \"\"\n"
              "  n0 \"A \xe2\x86\x92 B\\nm\"\n"
              "  n1 \"A\"\n"
              "  n2 \"A \xe2\x86\x92 B\\nx\"\n"
              "  n3 \"\"\n"
              "  n4 \"B *\"\n"
              "  n5 \"\"\n"
              "  n6 \"B \xe2\x86\x92 A\\ny\"\n"
              "  n7 \"A \xe2\x86\x92 B\\nz\"\n"
              "  n8 \"\"\n"
              "  end \"\"\n"
              "  start -> n0;\n"
              "  n0 -> n1;\n"
              "  n1 -> n2;\n"
              "  n2 -> n3;\n"
              "  n1 -> n3;\n"
              "  n3 -> n4;\n"
              "  n4 -> n5;\n"
              "  n5 -> n6;\n"
              "  n5 -> n7;\n"
              "  n6 -> n8;\n"
              "  n7 -> n8;\n"
              "  n8 -> n4;\n"
              "  n4 -> end;\n"
              "}\n");
}

TEST(dot, a_machine) {
    auto alphabet = std::make_shared<model::Alphabet>();
    model::RoleId a = alphabet->role("A"), b = alphabet->role("B");
    model::MachineBuilder builder("A", alphabet, a);
    builder.state(false, "go");
    builder.state(true);
    builder.edge(model::StateId(0u), alphabet->send(a, b, alphabet->message("m")), model::StateId(1u));
    builder.edge(model::StateId(0u), alphabet->receive(b, a, alphabet->message("n")), model::StateId(1u));
    model::Machine m = *builder.finish();
    EXPECT_EQ(skeleton(write_dot(m)),
              "digraph \"A\" {\n  start \"\"\n  s0 \"go\"\n  s1 \"1\"\n  start -> s0;\n  s0 -> s1 "
              "\"B!m\\nB?n\"\n}\n");
    EXPECT_NE(write_dot(m).find("s1 [shape=doublecircle"), std::string::npos);
    auto system = model::make_system("S", {m}, {});
    EXPECT_EQ(
        skeleton(write_dot(*system)),
        "digraph \"S\" {\n  subgraph cluster_0 {\n    m0_start \"\"\n    m0_s0 \"go\"\n    m0_s1 \"1\"\n  }\n"
        "  m0_start -> m0_s0;\n  m0_s0 -> m0_s1 \"B!m\\nB?n\"\n}\n");
}

// Every quote is closed, every bracket too, whatever is in the model.
TEST(dot_property, pictures_of_random_models_are_well_formed) {
    auto check = [](const std::string& text) {
        bool quoted = false;
        int braces = 0, brackets = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            char c = text[i];
            if (quoted && c == '\\') {
                ++i;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted) {
                braces += c == '{' ? 1 : c == '}' ? -1 : 0;
                brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
            }
            ASSERT_GE(braces, 0);
        }
        ASSERT_FALSE(quoted);
        ASSERT_EQ(braces, 0);
        ASSERT_EQ(brackets, 0);
    };
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        auto s = testing::RandomModels(seed).specification();
        for (const model::Protocol& p : s.protocols) {
            check(write_dot(s, p));
            ASSERT_EQ(write_dot(s, p), write_dot(s, p));
        }
        check(write_dot(testing::RandomModels(seed).machine()));
        check(write_dot(testing::RandomModels(seed).system()));
        check(write_dot(testing::RandomModels(seed).net()));
    }
}

}  // namespace
}  // namespace treaty::formats::dot_test
