// The canonical form: one layout for each construct, comments where they belong, and the laws that make it
// one.
#include "lang/format.h"

#include <gtest/gtest.h>

#include "lang/lexer.h"
#include "lang/print.h"
#include "lang/testing/reading.h"
#include "lang/testing/texts.h"

namespace treaty::lang {
namespace {

using testing::comments_of;
using testing::formatted;
using testing::Reading;

TEST(Format, OneStepALine) {
    EXPECT_EQ(formatted("protocol P(A,B){A->B:one B->A:two(let x,y=3)where x>0 and y<1 within 3s}"),
              "protocol P(A, B) {\n"
              "  A -> B: one\n"
              "  B -> A: two(let x, y = 3) where x > 0 and y < 1 within 3s\n"
              "}\n");
}

TEST(Format, Blocks) {
    EXPECT_EQ(
        formatted("protocol P(A,B){choice at A{A->B:a}or{A->B:b}or{}par{A->B:a}and{B->A:b}repeat at A{A->B:c}"
                  "optional{A->B:d}rec L{A->B:e continue L}while x>0{A->B:f}when x==1{A->B:g}"
                  "try{A->B:h}interrupt{B->A:i}do Q(A,B)signal s wait s let x=1}"),
        "protocol P(A, B) {\n"
        "  choice at A {\n"
        "    A -> B: a\n"
        "  } or {\n"
        "    A -> B: b\n"
        "  } or {}\n"
        "  par {\n"
        "    A -> B: a\n"
        "  } and {\n"
        "    B -> A: b\n"
        "  }\n"
        "  repeat at A {\n"
        "    A -> B: c\n"
        "  }\n"
        "  optional {\n"
        "    A -> B: d\n"
        "  }\n"
        "  rec L {\n"
        "    A -> B: e\n"
        "    continue L\n"
        "  }\n"
        "  while x > 0 {\n"
        "    A -> B: f\n"
        "  }\n"
        "  when x == 1 {\n"
        "    A -> B: g\n"
        "  }\n"
        "  try {\n"
        "    A -> B: h\n"
        "  } interrupt {\n"
        "    B -> A: i\n"
        "  }\n"
        "  do Q(A, B)\n"
        "  signal s\n"
        "  wait s\n"
        "  let x = 1\n"
        "}\n");
}

TEST(Format, ElseIfStaysFlat) {
    EXPECT_EQ(formatted("protocol P(A,B){if x{A->B:a}else if y{A->B:b}else if z{A->B:c}else{if w{A->B:d}}}"),
              "protocol P(A, B) {\n"
              "  if x {\n"
              "    A -> B: a\n"
              "  } else if y {\n"
              "    A -> B: b\n"
              "  } else if z {\n"
              "    A -> B: c\n"
              "  } else {\n"
              "    if w {\n"
              "      A -> B: d\n"
              "    }\n"
              "  }\n"
              "}\n");
}

TEST(Format, Declarations) {
    EXPECT_EQ(
        formatted(
            "message  a\nmessage b(x:int,y:list<optional<int in -1..1>>)where x>-1 and y==[]\n"
            "enum E{p,q}record R{}record S{a:int,b:E,}\nrecord T{a:int,\nb:E}type Port=int in 0..65535\n"
            "predicate p(x:int)=not(x in[1,2])function f(x:int,y:real):real=if x>0 then-y*2 else(y)\n"
            "property G:a,b implies not c"),
        "message a\n"
        "message b(x: int, y: list<optional<int in -1..1>>) where x > -1 and y == []\n"
        "enum E { p, q }\n"
        "record R {}\n"
        "record S { a: int, b: E }\n"
        "\n"
        "record T {\n"
        "  a: int,\n"
        "  b: E\n"
        "}\n"
        "\n"
        "type Port = int in 0..65535\n"
        "predicate p(x: int) = not (x in [1, 2])\n"
        "function f(x: int, y: real): real = if x > 0 then -y * 2 else (y)\n"
        "property G: a, b implies not c\n");
}

TEST(Format, WiresAndProperties) {
    EXPECT_EQ(
        formatted(
            "wire L over lines \"\\r\\n\"{helo(name)=/HELO|EHLO/i\" \"name:/[^ ]+/\nok=\"250\"}"
            "wire F over length - prefixed 4{f(a,b)={a:1 0:3 b:4\nn:16 little=size(x)if n==1{k:bytes 4}\n"
            "repeat n{x:8\ny:8}p:bytes(n+1)xor k}}"
            "property Q at A{within 3 expect A->B:m(x=1)where y>0 or B->A:n after A->B:m(x=y)}"),
        "wire L over lines \"\\r\\n\" {\n"
        "  helo(name) = /HELO|EHLO/i \" \" name:/[^ ]+/\n"
        "  ok = \"250\"\n"
        "}\n"
        "\n"
        "wire F over length-prefixed 4 {\n"
        "  f(a, b) = {\n"
        "    a: 1  0: 3  b: 4\n"
        "    n: 16 little = size(x)  if n == 1 { k: bytes 4 }\n"
        "    repeat n {\n"
        "      x: 8\n"
        "      y: 8\n"
        "    }  p: bytes (n + 1) xor k\n"
        "  }\n"
        "}\n"
        "\n"
        "property Q at A {\n"
        "  after A -> B: m(x = y)\n"
        "  expect A -> B: m(x = 1) where y > 0 or B -> A: n\n"
        "  within 3\n"
        "}\n");
}

TEST(Format, CommentsStayWithTheirLine) {
    EXPECT_EQ(formatted("// head\n\n\n\nmessage a // of a\n// before P\nprotocol P(A, B) { // of P\n"
                        "\n  // first\n  A -> B: one // of one\n\n\n  /* second */ A -> B: two /* of two */\n"
                        "  choice { // of choice\n    A -> B: x A -> B: y // of y\n  } /* of the first */ or "
                        "{ // of or\n    // nothing\n  }\n"
                        "  // last\n}\n// tail\n"),
              "// head\n"
              "\n"
              "message a // of a\n"
              "\n"
              "// before P\n"
              "protocol P(A, B) { // of P\n"
              "\n"
              "  // first\n"
              "  A -> B: one // of one\n"
              "\n"
              "  /* second */\n"
              "  A -> B: two /* of two */\n"
              "  choice { // of choice\n"
              "    A -> B: x\n"
              "    A -> B: y // of y\n"
              "  } or { /* of the first */ // of or\n"
              "    // nothing\n"
              "  }\n"
              "  // last\n"
              "}\n"
              "// tail\n");
}

TEST(Format, CommentsInsideALineMoveBehindIt) {
    EXPECT_EQ(formatted("protocol /* a */ P(A, // b\n  /* c */ B) {\n  A /* d */ -> B: m(/* e */ 1, // f\n  "
                        "2 /* g\n*/)\n}\n"),
              "protocol P(A, B) { /* a */ // b\n"
              "  /* c */\n"
              "  A -> B: m(1, 2) /* d */ /* e */ // f\n"
              "  /* g\n"
              "*/\n"
              "}\n");
}

TEST(Format, ATextWithSyntaxErrorsIsLeftAlone) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    base::FileId file = sources.add("x", "protocol P(A, B) { A -> }");
    EXPECT_FALSE(format(sources, file, diagnostics));
    EXPECT_EQ(diagnostics.errors(), 1u);
}

TEST(Format, WhatMeansNothingIsFormattedAllTheSame) {
    EXPECT_EQ(formatted("protocol P(A,B){X->Y:m(z)}"), "protocol P(A, B) {\n  X -> Y: m(z)\n}\n");
}

TEST(Format, EmptyBlocksAreShort) {
    EXPECT_EQ(formatted("protocol P(A, B) {\n}\nwire W over json {\n}\nwire V over stream { m = {\n} }"),
              "protocol P(A, B) {}\n\nwire W over json {}\n\nwire V over stream {\n  m = {}\n}\n");
    EXPECT_EQ(formatted("wire W over json { // none\n}\n"), "wire W over json { // none\n}\n");
}

TEST(Format, AnEmptyTextStaysEmpty) {
    EXPECT_EQ(formatted(""), "");
    EXPECT_EQ(formatted("\n\n"), "");
    EXPECT_EQ(formatted("\n// only\n\n"), "// only\n");
}

// A block of a layout is a block like others.
TEST(Format, CommentsBehindABraceStayThere) {
    std::string text =
        "record R { // of R\n"
        "  a: int // of a\n"
        "}\n"
        "\n"
        "wire W over stream { // of W\n"
        "  m(a) = { // of m\n"
        "    a: 8 // of the field\n"
        "    if a == 1 { // of if\n"
        "      // own line\n"
        "      b: 8\n"
        "    } // behind if\n"
        "    block varint { /* of block */\n"
        "      c: 8\n"
        "    }\n"
        "  } // behind m\n"
        "  n = { // nothing\n"
        "  }\n"
        "}\n"
        "\n"
        "property Q at A { // of Q\n"
        "  expect A -> B: m\n"
        "}\n";
    EXPECT_EQ(formatted(text), text);
    EXPECT_EQ(formatted("wire W over stream { m /* a */ = /* b */ { /* c */ x: 8 } }"),
              "wire W over stream {\n"
              "  m = { /* a */ /* b */ /* c */\n"
              "    x: 8\n"
              "  }\n"
              "}\n");
    // What separates items in a layout is a token like any other.
    EXPECT_EQ(formatted("wire W over stream { m = { x:\tdecimal \"\t\"\n } }"),
              "wire W over stream {\n  m = {\n    x: decimal \"\t\"\n  }\n}\n");
}

// Tokens and comments of a text: where each token is, and between which two tokens each comment is.
struct Laid {
    std::vector<std::string> tokens;
    std::vector<std::uint32_t> lines;  // of the tokens
    struct Remark {
        std::string text;
        std::size_t gap;  // so many tokens are before it
        std::uint32_t line;
        bool own_line;
    };
    std::vector<Remark> comments;

    explicit Laid(const std::string& text) {
        base::SourceMap sources;
        base::Names names;
        base::Diagnostics unheard;
        base::FileId file = sources.add("x", text);
        TokenList all = lex(sources, file, names, unheard);
        for (const Token& t : all.tokens) {
            if (t.kind == TokenKind::end_of_file) break;
            tokens.emplace_back(sources.text(base::Span{file, t.begin, t.end}));
            lines.push_back(sources.line_number(file, t.end - 1));
        }
        for (const Comment& c : all.comments) {
            std::size_t gap = 0;
            while (gap < tokens.size() && all.tokens[gap].begin < c.begin) ++gap;
            comments.push_back({std::string(sources.text(base::Span{file, c.begin, c.end})), gap,
                                sources.line_number(file, c.begin), c.own_line});
        }
    }

    bool between_lines(std::size_t gap) const {
        return gap == 0 || gap == tokens.size() || lines[gap - 1] != lines[gap];
    }
    std::size_t end_of_line(std::size_t gap) const {
        while (!between_lines(gap)) ++gap;
        return gap;
    }
};

// A comment between two lines of the result stays between the same two tokens, and at the end of its line if
// it was there; one from the middle of a line is at the end of that line.
void expect_comments_in_place(const Laid& before, const Laid& after) {
    ASSERT_EQ(before.tokens, after.tokens);
    ASSERT_EQ(before.comments.size(), after.comments.size());
    for (std::size_t i = 0; i < before.comments.size(); ++i) {
        const Laid::Remark &was = before.comments[i], &is = after.comments[i];
        ASSERT_EQ(was.text, is.text);
        ASSERT_EQ(is.gap, after.end_of_line(was.gap)) << was.text;
        bool room = is.text.find('\n') == std::string::npos;
        for (std::size_t k = i; k-- > 0 && after.comments[k].gap == is.gap;) {
            const std::string& earlier = after.comments[k].text;
            room = room && !earlier.starts_with("//") && earlier.find('\n') == std::string::npos &&
                   (k >= i || !before.comments[k].own_line);
        }
        if (was.own_line || !room || is.gap == 0) continue;
        ASSERT_EQ(is.line, after.lines[is.gap - 1]) << was.text;
    }
}

// Comments at a few, at many and at all places between two tokens.
TEST(Format, CommentsStayNextToTheirTokens) {
    std::size_t placed = 0;
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        std::string text = formatted(testing::TextMaker(seed).text());
        for (unsigned percent : {5u, 40u, 100u}) {
            std::string wild = testing::commented(text, seed, percent);
            std::string once = formatted(wild);
            SCOPED_TRACE(fmt::format("seed {}\n---- text\n{}\n---- formatted\n{}", seed, wild, once));
            ASSERT_EQ(formatted(once), once);
            Laid before(wild), after(once);
            expect_comments_in_place(before, after);
            if (HasFatalFailure()) return;
            placed += before.comments.size();
            Reading meant(text), means(once);
            ASSERT_EQ(meant.spec.has_value(), means.spec.has_value());
            if (!meant.spec) continue;
            ASSERT_EQ(print(*meant.spec), print(*means.spec));
        }
    }
    EXPECT_GT(placed, 20000u);
}

// Formatting changes neither meaning nor comments, and what is formatted stays as it is.
TEST(Format, LawsHoldForRandomTexts) {
    int clean = 0;
    for (std::uint32_t seed = 1; seed <= 400; ++seed) {
        std::string text = testing::TextMaker(seed).text();
        std::string wild = testing::messy(text, seed);
        std::string once = formatted(wild);
        SCOPED_TRACE(fmt::format("seed {}\n---- text\n{}\n---- formatted\n{}", seed, wild, once));
        ASSERT_EQ(formatted(once), once);
        ASSERT_EQ(comments_of(once), comments_of(wild));
        Reading before(wild), after(once);
        ASSERT_EQ(before.spec.has_value(), after.spec.has_value());
        if (!before.spec) continue;  // a few texts use a value where it is not known
        ++clean;
        ASSERT_EQ(print(*before.spec), print(*after.spec));
    }
    EXPECT_GT(clean, 350);
}

}  // namespace
}  // namespace treaty::lang
