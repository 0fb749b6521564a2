#include "lang/name_index.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "lang/parser.h"

namespace treaty::lang {
namespace {

struct Indexed {
    base::SourceMap sources;
    base::Names names;
    base::Diagnostics diagnostics;
    base::FileId file;
    Syntax syntax;
    NameIndex index;

    explicit Indexed(std::string text)
        : file(sources.add("test.treaty", std::move(text))),
          syntax(parse(sources, file, names, diagnostics)),
          index(syntax, names) {}

    // The lines on which what is named at the first `part` of the text is mentioned: "role 1 3 4".
    std::string about(std::string_view part) const {
        auto offset = static_cast<std::uint32_t>(sources.text(file).find(part));
        const Mention* at = index.at(file, offset);
        if (!at) return "nothing";
        std::string out(to_string(index[at->symbol].kind));
        for (const Mention& m : index.of(at->symbol))
            out += fmt::format(" {}{}", sources.line_number(file, m.span.begin), m.declares ? "!" : "");
        return out;
    }
};

TEST(NameIndex, MessagesRolesAndFields) {
    Indexed shop(
        "message pay(amount: int)\n"
        "protocol Shop(a, b) {\n"
        "  a -> b: pay(amount = 3)\n"
        "  b -> a: ok\n"
        "  a -> b: ok\n"
        "}\n"
        "protocol Other(a, b) {\n"
        "  do Shop(a, b)\n"
        "}\n"
        "property P at a {\n"
        "  after a -> b: pay(let x)\n"
        "  expect b -> a: ok\n"
        "}\n");
    EXPECT_EQ(shop.about("pay("), "message 1! 3 11");
    EXPECT_EQ(shop.about("amount"), "field 1! 3");
    EXPECT_EQ(shop.about("ok"), "message 4! 5 12");
    EXPECT_EQ(shop.about("a, b) {\n  a"), "role 2! 3 4 5");
    EXPECT_EQ(shop.about("a, b) {\n  do"), "role 7! 8 10 11 12");
    EXPECT_EQ(shop.about("Shop"), "protocol 2! 8");
}

TEST(NameIndex, AValueIsVisibleToTheEndOfItsBlock) {
    Indexed shop(
        "message m(v: int)\n"
        "protocol P(a, b) {\n"
        "  choice at a {\n"
        "    a -> b: m(let x)\n"
        "    b -> a: m(x)\n"
        "    a -> b: m(let x) where x > 0\n"
        "  } or {\n"
        "    a -> b: n\n"
        "    b -> a: m(let x)\n"
        "    a -> b: m(x)\n"
        "  }\n"
        "}\n");
    EXPECT_EQ(shop.about("x)\n    b -> a: m(x)"), "value 4! 5 6! 6");
    EXPECT_EQ(shop.about("x)\n    a -> b: m(x)"), "value 9! 10");
    auto at = [&](std::string_view part) {
        return static_cast<std::uint32_t>(shop.sources.text(shop.file).find(part));
    };
    auto count = [&](std::uint32_t offset) {
        std::size_t values = 0;
        for (SymbolId id : shop.index.visible(shop.file, offset))
            values += shop.index[id].kind == SymbolKind::variable ? 1 : 0;
        return values;
    };
    EXPECT_EQ(count(at("x > 0")), 1u);
    EXPECT_EQ(count(at("n\n")), 0u);
}

TEST(NameIndex, TypesFunctionsRecordsAndLoops) {
    Indexed text(
        "enum Color { red, green }\n"
        "record Point { x: int, c: Color }\n"
        "type Where = Point\n"
        "function twice(n: int): int = n + n\n"
        "message at(p: Where, q: list<Point>) where p.x == twice(q[0].x)\n"
        "protocol P(a, b) {\n"
        "  rec again {\n"
        "    a -> b: at(let p, _) where p.c == red\n"
        "    continue again\n"
        "  }\n"
        "}\n");
    EXPECT_EQ(text.about("Color"), "enum 1! 2");
    EXPECT_EQ(text.about("red"), "member 1! 8");
    EXPECT_EQ(text.about("x: int"), "field 2! 5 5");
    EXPECT_EQ(text.about("c: Color"), "field 2! 8");
    EXPECT_EQ(text.about("Point"), "record 2! 3 5");
    EXPECT_EQ(text.about("Where"), "type 3! 5");
    EXPECT_EQ(text.about("twice"), "function 4! 5");
    EXPECT_EQ(text.about("n: int"), "parameter 4! 4 4");
    EXPECT_EQ(text.about("again"), "loop 7! 9");
}

TEST(NameIndex, ConstantsAndCases) {
    Indexed text(
        "const limit: int = 3\n"
        "enum Color { red, green }\n"
        "message m(v: int, c: Color) where v < limit\n"
        "protocol P(a, b) {\n"
        "  a -> b: m(let v, let c)\n"
        "  match c {\n"
        "    red {\n"
        "      a -> b: m(limit, _)\n"
        "    }\n"
        "    else {\n"
        "      a -> b: n\n"
        "    }\n"
        "  }\n"
        "}\n");
    ASSERT_TRUE(text.diagnostics.ok());
    EXPECT_EQ(text.about("limit"), "const 1! 3 8");
    EXPECT_EQ(text.about("red"), "member 2! 7");
    EXPECT_EQ(text.about("c)\n"), "value 5! 6");
}

TEST(NameIndex, WiresNameMessagesAndFields) {
    Indexed text(
        "message say(text: string, size: int)\n"
        "wire W over lines \"\\n\" {\n"
        "  say(text, size) = size:/[0-9]+/ \" \" text:/[^\\n]*/\n"
        "}\n");
    EXPECT_EQ(text.about("say"), "message 1! 3");
    EXPECT_EQ(text.about("text"), "field 1! 3 3");
    EXPECT_EQ(text.about("size"), "field 1! 3 3");
    EXPECT_EQ(text.about("W over"), "wire 2!");
}

TEST(NameIndex, ProtobufNamesFieldsOfMessagesAndRecords) {
    Indexed text(
        "enum Kind { tool, part }\n"
        "record Line { sku: string, kind: Kind }\n"
        "message order(id: int, lines: list<Line>, sku: optional<string>)\n"
        "wire W over length-prefixed 4 {\n"
        "  order(id, lines, sku) = protobuf {\n"
        "    1: int32 id,\n"
        "    2: message lines { 1: string sku,\n"
        "      2: enum kind { tool = 0, part = 1 } },\n"
        "    oneof { 3: string sku }\n"
        "  }\n"
        "}\n");
    EXPECT_EQ(text.about("id: int"), "field 3! 5 6");
    EXPECT_EQ(text.about("lines:"), "field 3! 5 7");
    EXPECT_EQ(text.about("sku: string"), "field 2! 7");
    EXPECT_EQ(text.about("sku: optional"), "field 3! 5 9");
    EXPECT_EQ(text.about("kind: Kind"), "field 2! 8");
    EXPECT_EQ(text.about("part }"), "member 1! 8");
}

// What a text says in full and in part: no prefix of a text is too broken, and every mention has the name's
// text.
TEST(NameIndex, EveryPrefixOfATextHasAnIndex) {
    const std::string text =
        "message pay(amount: int) where amount > 0\n"
        "protocol Shop(a, b) {\n"
        "  par {\n    a -> b: pay(let x) where x > 1\n    signal s\n  } and {\n    wait s\n    b -> a: "
        "pay(3)\n  }\n"
        "  if x > 2 {\n    a -> b: pay(x)\n  } else {\n    b -> a: no\n  }\n}\n"
        "property P at a {\n  after a -> b: pay(let v)\n  expect b -> a: no\n}\n";
    for (std::size_t end = 0; end <= text.size(); ++end) {
        Indexed part(text.substr(0, end));
        for (const Mention& m : part.index.mentions())
            EXPECT_EQ(part.sources.text(m.span), part.names.text(part.index[m.symbol].name)) << end;
    }
}

}  // namespace
}  // namespace treaty::lang
