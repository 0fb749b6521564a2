// Reading what is wrong: one message a fault, the rest read as usual, and no text that exhausts anything.
#include "lang/parser.h"

#include <random>

#include <gtest/gtest.h>

#include "lang/testing/reading.h"
#include "lang/testing/texts.h"

namespace treaty::lang {
namespace {

using testing::Reading;
using testing::tokens_of;

std::string codes(const std::string& text) {
    return Reading(text).codes();
}

std::string repeated(const std::string& piece, std::size_t times) {
    std::string all;
    all.reserve(piece.size() * times);
    for (std::size_t i = 0; i < times; ++i) all += piece;
    return all;
}

TEST(Parser, AFaultIsOneMessageAndTheNextStepIsRead) {
    EXPECT_EQ(codes("protocol P(A, B) {\n  A -> \n  A -> B: x\n  A B: y\n  X -> B: z\n}\n"),
              "T0110 2:7\nT0110 4:5\nT0202 5:3\n");
    EXPECT_EQ(codes("protocol P(A, B) {\n  A -> B: m(\n  A -> B: x\n}\n"), "T0110 2:13\n");
    EXPECT_EQ(codes("protocol P(A, B) {\n  A -> B: x y\n  A -> B: z\n}\n"), "T0110 2:14\n");
    EXPECT_EQ(codes("protocol P(A, B) {\n  A -> B:\n  A -> B: z\n}\n"), "T0110 2:10\n");
    EXPECT_EQ(codes("protocol P(A, B) {\n  let x =\n  A -> B: z\n}\n"), "T0110 2:10\n");
    EXPECT_EQ(codes("protocol P(A, B) {\n  A -> B: z within soon\n  A -> B: z\n}\n"), "T0110 2:20\n");
}

TEST(Parser, AFaultInAHeadDoesNotHideItsBlock) {
    EXPECT_EQ(
        codes(
            "protocol P(A, B) {\n  choice at {\n    A -> B: x\n    A -> \n  } or {\n    A -> B: y\n  }\n}\n"),
        "T0110 2:13\nT0110 4:9\n");
    EXPECT_EQ(codes("protocol P(A B) {\n  A -> B: x\n  A -> \n}\n"), "T0110 1:14\nT0110 3:7\n");
    EXPECT_EQ(codes("protocol P(A, B) {\n  if {\n    A -> B: x\n  } else if x > {\n    A -> B: y\n  }\n}\n"),
              "T0110 2:6\nT0110 4:17\n");
}

TEST(Parser, AMissingBraceIsFoundByIndentation) {
    EXPECT_EQ(codes("protocol P(A, B) {\n  choice at A\n    A -> B: x\n  } or {\n    A -> B: y\n  }\n  A -> "
                    "B: z\n}\n"),
              "T0110 2:14\n");
    EXPECT_EQ(codes("protocol P(A, B) {\n  if 1 < 2\n    A -> B: x\n  } else {\n    A -> B: y\n  }\n  A -> "
                    "B: z\n}\n"),
              "T0110 2:11\n");
    EXPECT_EQ(codes("protocol P(A, B) {\n  try\n    A -> B: x\n  } interrupt {\n    A -> B: y\n  }\n  A -> "
                    "B: z\n}\n"),
              "T0110 2:6\n");
    // Without braces at all, the lines are taken as they come.
    EXPECT_EQ(codes("protocol P(A, B) {\n  repeat at A\n    A -> B: x\n  A -> B: z\n}\n"), "T0110 2:14\n");
}

TEST(Parser, AMissingClosingBraceIsSaidOnce) {
    Reading r(
        "protocol P(A, B) {\n  choice at A {\n    A -> B: x\n  } or {\n    A -> B: y\n}\nprotocol Q(A, B) "
        "{\n  A -> B: z\n}\n");
    EXPECT_EQ(r.codes(), "T0111 1:18\n");
    ASSERT_EQ(r.diagnostics.all()[0].labels.size(), 1u);
    EXPECT_EQ(r.sources.begin(r.diagnostics.all()[0].labels[0].span).line, 4u);
    EXPECT_EQ(codes("protocol P(A, B) {\n  A -> B: x\n"), "T0111 1:18\n");
    EXPECT_EQ(codes("wire W over stream {\n  a = {\n    x: 8\n  }\nprotocol P(A, B) {\n  A -> B: a\n}\n"),
              "T0111 1:6\n");
    EXPECT_EQ(codes("message a(x: int)\nwire W over stream {\n  a(x) = {\n    x: 8\nprotocol P(A, B) {\n  A "
                    "-> B: a\n}\n"),
              "T0111 2:6\n");
    EXPECT_EQ(codes("protocol P(A, B) {\n  A -> B: a\n}\nproperty Q at A {\n  expect A -> B: a\nproperty R "
                    "at A {\n  expect A -> B: a\n}\n"),
              "T0111 4:10\n");
}

TEST(Parser, AnOpenCommentIsTheOnlyFault) {
    EXPECT_EQ(codes("protocol P(A, B) {\n  A -> B: x /* and\n  A -> B: y\n}\n"), "T0103 2:13\n");
    EXPECT_EQ(codes("message m(x: /* int)\n"), "T0103 1:14\n");
}

TEST(Parser, WhatFollowsFromABadTokenIsNotSaid) {
    EXPECT_EQ(codes("message m(x: string)\nprotocol P(A, B) {\n  A -> B: m(\"a)\n  A -> B: m(\"b\")\n}\n"),
              "T0102 3:13\n");
    EXPECT_EQ(codes("message m(x: int)\nprotocol P(A, B) {\n  A -> B: m(let x)\n  if x > 1 && x < 3 || !(x "
                    "== 2) {\n    A -> B: a\n  }\n}\n"),
              "T0101 4:12\nT0101 4:21\nT0101 4:24\n");
    EXPECT_EQ(codes("message m(x: string)\nprotocol P(A, B) {\n  A -> B: m(let x)\n  if x == \"a {\n    A -> "
                    "B: a\n  } else {\n    A -> B: b\n  }\n  A -> B: c\n}\n"),
              "T0102 4:11\n");
}

TEST(Parser, AStepWithABadTokenIsNotJudged) {
    EXPECT_EQ(codes("protocol P(A, B) {\n  A -> B: x where \"a == \"b\"\n}\n"), "T0102 2:27\n");
    EXPECT_EQ(codes("message n(x: int)\nprotocol P(A, B) {\n  A -> B: n(12abc, let x)\n  B -> A: n(x)\n}\n"),
              "T0105 3:13\n");
}

TEST(Parser, AMisspeltDeclarationDeclaresAllTheSame) {
    EXPECT_EQ(codes("mesage price(x: int)\nprotocol P(A, B) {\n  A -> B: price(3)\n}\n"), "T0113 1:1\n");
    EXPECT_EQ(codes("protocl Q(A, B) {\n  A -> B: x\n}\nprotocol P(A, B) {\n  do Q(A, B)\n}\n"),
              "T0113 1:1\n");
    EXPECT_EQ(codes("mesage price(x: int)\nprotocl Q(A, B) {\n  A -> B: x\n}\nprotocol P(A, B) {\n  do Q(A, "
                    "B)\n  A -> B: price(3)\n}\n"),
              "T0113 1:1\nT0113 2:1\n");
    EXPECT_EQ(
        codes("enum Colour { red green }\nmessage m(c: Colour)\nprotocol P(A, B) {\n  A -> B: m(red)\n}\n"),
        "T0110 1:19\n");
    EXPECT_EQ(
        codes("function f(x int): int = x\nmessage m(c: int)\nprotocol P(A, B) {\n  A -> B: m(f(3))\n}\n"),
        "T0110 1:14\n");
    EXPECT_EQ(codes("type T = list<int\nmessage m(c: T)\nprotocol P(A, B) {\n  A -> B: m([1])\n}\n"),
              "T0110 1:18\n");
}

TEST(Parser, WhatAWrongStepWouldHaveDoneIsNotMissed) {
    // The step that is wrong may have bound x, used the message, and let C take part.
    EXPECT_EQ(codes("message m(x: int)\nprotocol P(A, B, C) {\n  A -> B m(let x)\n  B -> A: m(x)\n  A - > C: "
                    "hello\n}\n"
                    "wire W over lines \"\\n\" {\n  hello = \"hi\"\n}\nproperty Q at C {\n  expect A -> C: "
                    "hello\n}\n"),
              "T0110 3:10\nT0110 5:5\n");
    EXPECT_EQ(codes("message m(x: int)\nprotocol P(A, B) {\n  let x = 1 +\n  A -> B: m(x)\n}\n"),
              "T0110 3:14\n");
    EXPECT_EQ(codes("protocol P(A B) {\n  A -> B: x\n}\nproperty Q at A {\n  expect A -> B: x\n}\n"),
              "T0110 1:14\n");
}

TEST(Parser, FaultsInWiresAndPropertiesAreReadOneByOne) {
    EXPECT_EQ(codes("message f(a: int, b: bytes)\nprotocol P(A, B) {\n  A -> B: f\n}\nwire W over stream {\n "
                    " f(a, b) = {\n    a 8\n    n: 8 = size(b)\n    b bytes n\n  }\n}\n"),
              "T0110 7:7\nT0110 9:7\n");
    EXPECT_EQ(
        codes("message f(a: string)\nmessage g(a: string)\nprotocol P(A, B) {\n  A -> B: f\n  A -> B: "
              "g\n}\nwire W over lines \"\\n\" {\n  f(a) = \"F\" a:\n  g(a) = a:/x/\n  f(b) = a:/x/\n}\n"),
        "T0110 8:16\nT0216 10:5\n");
    EXPECT_EQ(codes("protocol P(A, B) {\n  A -> B: f\n}\nproperty Q at A {\n  aftr A -> B: f\n  expect A B: "
                    "f\n  within 3\n}\n"),
              "T0110 5:3\nT0110 6:12\n");
}

TEST(Parser, WordsOfTheLanguageMayNameMessagesAndFields) {
    EXPECT_EQ(codes("message message(type: int, where: string)\nprotocol P(A, B) {\n  A -> B: message(type = "
                    "3, where = \"x\")\n}\n"
                    "wire W over lines \"\\n\" {\n  message(type, where) = type:/[0-9]+/ where:/.*/\n}\n"
                    "property Q at A {\n  expect A -> B: message(type = t)\n}\n"),
              "");
    EXPECT_EQ(codes("message record(type: int)\nprotocol P(A, B) {\n  A -> B: record\n}\nwire W over stream "
                    "{\n  record(type) = {\n    type: 8\n  }\n}\n"),
              "");
    EXPECT_EQ(codes("protocol P(A, choice) {\n  A -> choice: x\n}\n"), "T0110 1:15\nT0110 2:8\n");
}

// --- nesting

// One message, about the nesting; the rest of the file is read.
void expect_too_deep(const std::string& text) {
    Reading r(text);
    ASSERT_EQ(r.diagnostics.all().size(), 1u) << r.messages().substr(0, 2000);
    EXPECT_EQ(to_string(*r.diagnostics.all()[0].code), "T0107") << r.messages().substr(0, 2000);
}

constexpr std::size_t many = 100000;

TEST(ParserDepth, Blocks) {
    for (const char* open :
         {"repeat at A { A -> B: x ", "repeat at A {\nA -> B: x\n", "when 1 < 2 { ", "optional { A -> B: x "})
        expect_too_deep("protocol P(A, B) {\n" + repeated(open, many) + "A -> B: x" + repeated("}", many) +
                        "\n}\n");
    for (const char* open : {"par { ", "choice { ", "try { "}) {
        Reading r("protocol P(A, B) {\n" + repeated(open, many) + repeated("}", many) +
                  "\n}\nprotocol Q(A, B) {\n  X -> B: y\n}\n");
        EXPECT_NE(r.codes().find("T0107"), std::string::npos);
        EXPECT_NE(r.codes().find("T0202"), std::string::npos) << "the rest is not read";
    }
}

TEST(ParserDepth, BlocksThatAreNeverClosed) {
    Reading r("protocol P(A, B) {\n" + repeated("par {\n", many));
    EXPECT_LE(r.diagnostics.errors(), 2u);
    EXPECT_GE(r.diagnostics.errors(), 1u);
}

TEST(ParserDepth, Expressions) {
    auto predicate = [](const std::string& body) {
        return "predicate p(x: int) = " + body + "\nprotocol P(A, B) {\n  A -> B: x\n}\n";
    };
    expect_too_deep(predicate(repeated("(", many) + "x" + repeated(")", many) + " > 0"));
    expect_too_deep(predicate(repeated("-", many) + "x > 0"));
    expect_too_deep(predicate(repeated("not ", many) + "true"));
    expect_too_deep(predicate(repeated("x + ", many) + "x > 0"));
    expect_too_deep(predicate(repeated("true and ", many) + "true"));
    expect_too_deep(predicate(repeated("true implies ", many) + "true"));
    expect_too_deep(predicate("x" + repeated("[0]", many) + " > 0"));
    expect_too_deep(predicate("x" + repeated(".y", many) + " > 0"));
    expect_too_deep(predicate(repeated("[", many) + repeated("]", many) + " == []"));
    expect_too_deep(predicate(repeated("if true then x else ", many) + "x > 0"));
    expect_too_deep(predicate(repeated("abs(", many) + "x" + repeated(")", many) + " > 0"));
    expect_too_deep(predicate("x" + repeated("[x", many) + repeated("]", many) + " > 0"));
}

TEST(ParserDepth, Types) {
    expect_too_deep("message m(x: " + repeated("list<", many) + "int" + repeated(">", many) +
                    ")\nprotocol P(A, B) {\n  A -> B: y\n}\n");
    std::string records, backwards, aliases;
    for (int i = 1; i < 1000; ++i) {
        records += fmt::format("record R{} {{ x: R{} }}\n", i, i - 1);
        backwards = fmt::format("record R{} {{ x: R{} }}\n", i, i - 1) + backwards;
        aliases += fmt::format("type R{} = list<list<R{}>>\n", i, i - 1);
    }
    std::string protocol = "protocol P(A, B) {\n  A -> B: y\n}\n";
    expect_too_deep("record R0 { x: int }\n" + records + protocol);
    expect_too_deep(backwards + "record R0 { x: int }\n" + protocol);
    expect_too_deep("type R0 = int\n" + aliases + protocol);
}

TEST(ParserDepth, Functions) {
    std::string functions = "function f0(x: int): int = x\n";
    for (int i = 1; i < 1000; ++i) functions += fmt::format("function f{}(x: int): int = f{}(x)\n", i, i - 1);
    expect_too_deep(functions + "protocol P(A, B) {\n  A -> B: y\n}\n");
    std::string circle = "function f0(x: int): int = f999(x)\n" + functions.substr(functions.find('\n') + 1);
    EXPECT_EQ(codes(circle + "protocol P(A, B) {\n  A -> B: y\n}\n"), "T0213 1:10\n");
}

TEST(ParserDepth, ElseIfChains) {
    std::string chain = "if 1 < 2 {\n  A -> B: x\n}" + repeated(" else if 1 < 2 {\n  A -> B: x\n}", many);
    expect_too_deep("protocol P(A, B) {\n" + chain + " else {\n  A -> B: y\n}\n}\n");
    // Chains inside the last arm of chains: each arm is a level.
    std::string nested;
    for (int i = 0; i < 300; ++i)
        nested += "if 1 < 2 { A -> B: x }" + repeated(" else if 1 < 2 { A -> B: x }", 300) + " else {\n";
    Reading r("protocol P(A, B) {\n" + nested + repeated("}\n", 300) + "}\n");
    EXPECT_EQ(to_string(*r.diagnostics.all()[0].code), "T0107");
    std::string fine = "if 1 < 2 {\n  A -> B: x\n}" + repeated(" else if 1 < 2 {\n  A -> B: x\n}", 300);
    EXPECT_EQ(codes("protocol P(A, B) {\n" + fine + "\n}\n"), "");
}

TEST(ParserDepth, Wires) {
    std::string head = "message m\nprotocol P(A, B) {\n  A -> B: m\n}\nwire W over stream {\n  m = {\n";
    expect_too_deep(head + repeated("if 1 < 2 { ", many) + "x: 8" + repeated(" }", many) + "\n  }\n}\n");
    expect_too_deep(head + repeated("repeat 2 {\n", many) + "x: 8" + repeated("\n}", many) + "\n  }\n}\n");
}

TEST(ParserDepth, Calls) {
    std::string chain = "protocol P0(A, B) {\n  A -> B: x\n}\n";
    for (int i = 1; i < 408; ++i)
        chain += fmt::format("protocol P{}(A, B) {{\n  do P{}(A, B)\n  A -> B: y\n}}\n", i, i - 1);
    expect_too_deep(chain);
    std::string doubling = "protocol P0(A, B) {\n  A -> B: x\n}\n";
    for (int i = 1; i < 40; ++i)
        doubling +=
            fmt::format("protocol P{}(A, B) {{\n  do P{}(A, B)\n  do P{}(A, B)\n}}\n", i, i - 1, i - 1);
    Reading r(doubling);
    ASSERT_EQ(r.diagnostics.all().size(), 1u) << r.messages();
    EXPECT_EQ(to_string(*r.diagnostics.all()[0].code), "T0219");
}

TEST(ParserDepth, TheDeepestThatIsAllowedIsRead) {
    std::size_t depth = max_block_depth - 1;
    std::string text = "protocol P(A, B) {\n" + repeated("when 1 < 2 {\n", depth) + "A -> B: x" +
                       repeated("}\n", depth) + "}\n";
    EXPECT_EQ(codes(text), "");
    std::string twice = text + "protocol Q(A, B) {\n" + repeated("when 1 < 2 {\n", depth / 2) + "do P(A, B)" +
                        repeated("}\n", depth / 2) + "}\n";
    Reading r(twice);
    EXPECT_EQ(to_string(*r.diagnostics.all().at(0).code),
              "T0107");  // deeper than a protocol may be, and said so
}

// --- size

TEST(ParserSize, OneLongLineIsReadAsFastAsManyLines) {
    std::string steps;
    for (int i = 0; i < 20000; ++i) steps += "choice { A -> B: x } or { A -> B: y } ";
    Reading r("protocol P(A, B) { " + steps + "}");
    EXPECT_EQ(r.codes(), "");
    EXPECT_EQ(testing::formatted("protocol P(A, B) { " + steps + "}").size(), 20000 * 52 + 21u);
}

TEST(ParserSize, GarbageIsReported) {
    std::mt19937 random(7);
    std::string bytes(1000000, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    EXPECT_GT(Reading(bytes).diagnostics.errors(), 0u);
    std::string ascii(1000000, ' ');
    static constexpr std::string_view some = "AB{}()[]<>-+*/:;,.\"'=_ \n\n\nlet if or and 0 1 x";
    for (char& c : ascii) c = some[random() % some.size()];
    EXPECT_GT(Reading(ascii).diagnostics.errors(), 0u);
    for (const char* piece : {"{", "}", "(", "protocol P(A) {", "message", "/*", "\"", "'", "\xff",
                              "let x = ", "if ", "wire W over lines \"\" {", ","})
        EXPECT_GT(Reading(repeated(piece, 100000)).diagnostics.errors(), 0u) << piece;
}

TEST(ParserSize, ManyFaultsAreCounted) {
    std::string steps;
    for (int i = 0; i < 3000; ++i) steps += "  A ->\n";
    Reading r("protocol P(A, B) {\n" + steps + "}\n");
    EXPECT_EQ(r.diagnostics.errors(), 3000u);
    EXPECT_EQ(r.diagnostics.all().size(), base::Diagnostics::max_kept);
    EXPECT_EQ(r.diagnostics.dropped(), 3000 - base::Diagnostics::max_kept);
}

// --- random damage

std::string join(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& l : lines) all += l + "\n";
    return all;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> all;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = text.find('\n', at);
        all.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return all;
}

// Nothing comes back from a text with a fault, and something does from one without.
TEST(ParserDamage, AnyDamageIsSurvived) {
    std::mt19937 random(11);
    for (std::uint32_t seed = 1; seed <= 600; ++seed) {
        std::string text = testing::TextMaker(seed % 60).text();
        for (std::size_t n = 1 + random() % 8; n > 0; --n) {
            std::size_t at = random() % text.size(), length = random() % 6;
            switch (random() % 4) {
                case 0: text.erase(at, length); break;
                case 1: text.insert(at, text.substr(random() % text.size(), length * 4)); break;
                case 2: text[at] = static_cast<char>(random()); break;
                default: text = text.substr(0, at) + "\n" + text.substr(at); break;
            }
            if (text.empty()) text = " ";
        }
        Reading r(text);
        ASSERT_EQ(r.spec.has_value(), r.diagnostics.ok()) << "seed " << seed << "\n" << text;
    }
}

// A single missing or doubled token is one fault, so nearly always one message. What is left over is where
// the text means something else without the token, which no reader can know.
TEST(ParserDamage, OneFaultIsOneMessage) {
    std::mt19937 random(13);
    std::size_t damaged = 0, several = 0, most = 0;
    std::string worst;
    for (std::uint32_t seed = 1; seed <= 1200; ++seed) {
        std::vector<std::string> lines = lines_of(testing::TextMaker(seed % 80).text());
        std::size_t at = random() % lines.size();
        std::vector<std::string> tokens = tokens_of(lines[at]);
        if (tokens.empty()) continue;
        std::size_t k = random() % tokens.size();
        std::string line(lines[at].find_first_not_of(' '), ' ');
        bool doubled = random() % 4 == 0;
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (i != k || doubled) line += tokens[i] + (i == k ? " " + tokens[i] + " " : " ");
        std::string before = lines[at];
        lines[at] = line;
        Reading r(join(lines));
        if (r.diagnostics.ok()) continue;
        ++damaged;
        several += r.diagnostics.errors() > 1;
        if (r.diagnostics.errors() > most) {
            most = r.diagnostics.errors();
            worst = fmt::format("seed {} line {}\n{}\n{}\n{}", seed, at + 1, before, line, r.messages());
        }
        if (r.diagnostics.errors() > 1 && std::getenv("TREATY_SHOW_DAMAGE"))
            fmt::print("line {}\n{}\n{}\n{}\n", at + 1, before, line, r.messages());
    }
    EXPECT_GT(damaged, 600u);
    EXPECT_LT(several * 100, damaged * 10) << several << " of " << damaged << "; the worst:\n" << worst;
}

}  // namespace
}  // namespace treaty::lang
