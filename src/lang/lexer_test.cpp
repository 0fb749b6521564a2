// Texts to tokens: each kind, what separates them, and that no bytes at all get it into trouble.
#include "lang/lexer.h"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lang/testing/reading.h"

namespace treaty::lang {
namespace {

using testing::comments_of;
using testing::tokens_of;

struct Lexed {
    base::SourceMap sources;
    base::Names names;
    base::Diagnostics diagnostics;
    TokenList list;

    explicit Lexed(std::string text) {
        base::FileId file = sources.add("test.treaty", std::move(text));
        list = lex(sources, file, names, diagnostics);
    }

    std::vector<TokenKind> kinds() const {
        std::vector<TokenKind> all;
        for (const Token& t : list.tokens)
            if (t.kind != TokenKind::end_of_file) all.push_back(t.kind);
        return all;
    }

    std::string codes() const {
        std::string all;
        for (const base::Diagnostic& d : diagnostics.all())
            all += fmt::format("{}{}", all.empty() ? "" : " ", to_string(*d.code));
        return all;
    }
};

using enum TokenKind;
using Kinds = std::vector<TokenKind>;

TEST(Lexer, ReadsAnInteraction) {
    Lexed l("A -> B: req(let x) within 3s");
    EXPECT_EQ(l.kinds(), (Kinds{name, arrow, name, colon, name, left_paren, kw_let, name, right_paren,
                                kw_within, duration}));
    EXPECT_EQ(l.list.tokens.back().kind, end_of_file);
    EXPECT_EQ(l.codes(), "");
}

TEST(Lexer, ReadsEachPunctuation) {
    Lexed l("{ } ( ) [ ] , : ; . .. ... -> = _ == != < <= > >= + - *");
    EXPECT_EQ(l.kinds(),
              (Kinds{left_brace, right_brace, left_paren,    right_paren, left_bracket, right_bracket,
                     comma,      colon,       semicolon,     dot,         dot_dot,      ellipsis,
                     arrow,      assign,      underscore,    equal,       not_equal,    less,
                     less_equal, greater,     greater_equal, plus,        minus,        star}));
    for (const Token& t : l.list.tokens)
        if (t.kind != end_of_file) {
            EXPECT_EQ(describe(t.kind),
                      fmt::format("`{}`", l.sources.text(base::Span{base::FileId(0u), t.begin, t.end})));
        }
}

TEST(Lexer, ReadsEachKeyword) {
    for (int k = static_cast<int>(kw_after); k <= static_cast<int>(kw_xor); ++k) {
        auto kind = static_cast<TokenKind>(k);
        EXPECT_EQ(Lexed(std::string(describe(kind))).kinds(), Kinds{kind});
        EXPECT_EQ(Lexed(fmt::format("{}x", describe(kind))).kinds(), Kinds{TokenKind::name});
    }
}

TEST(Lexer, NamesMayHaveDigitsQuotesAndForeignLetters) {
    EXPECT_EQ(tokens_of("a1 _b x' größe 名前"),
              (std::vector<std::string>{"a1", "_b", "x'", "größe", "名前"}));
}

TEST(Lexer, EqualWordsHaveEqualNames) {
    Lexed l("a b a");
    EXPECT_EQ(l.list.tokens[0].name, l.list.tokens[2].name);
    EXPECT_NE(l.list.tokens[0].name, l.list.tokens[1].name);
}

TEST(Lexer, TellsNumbersRangesAndDurationsApart) {
    EXPECT_EQ(
        Lexed("12 1.5 0..255 3s 250ms 1.5h x.y").kinds(),
        (Kinds{integer, real, integer, dot_dot, integer, duration, duration, duration, name, dot, name}));
    EXPECT_EQ(Lexed("12abc").codes(), "T0105");
    EXPECT_EQ(Lexed("1e5").codes(), "T0105");
}

TEST(Lexer, HexadecimalNumbers) {
    EXPECT_EQ(Lexed("0xa5 0x0..0xFF 0x\"a5\" 2xx").kinds(),
              (Kinds{integer, integer, dot_dot, integer, bytes, name}));
    for (const char* wrong : {"0x", "0xag", "0x1_0", "0xy", "1x2"})
        EXPECT_EQ(Lexed(wrong).codes(), "T0105") << wrong;
    EXPECT_EQ(integer_value("0xa5"), 165);
    EXPECT_EQ(integer_value("0x7fffffffffffffff"), INT64_MAX);
    EXPECT_EQ(integer_value("9223372036854775807"), INT64_MAX);
    for (const char* none : {"0x8000000000000000", "9223372036854775808", "0x", "0x-1", "-1", "1s", ""})
        EXPECT_FALSE(integer_value(none)) << none;
}

TEST(Lexer, ASlashDividesOnlyBehindAValue) {
    EXPECT_EQ(Lexed("x / y / 2").kinds(), (Kinds{name, slash, name, slash, integer}));
    EXPECT_EQ(Lexed("f(x) / xs[0] / 2").kinds(),
              (Kinds{name, left_paren, name, right_paren, slash, name, left_bracket, integer, right_bracket,
                     slash, integer}));
    EXPECT_EQ(Lexed("n matches /a b/ x:/y/ \"s\" /z/i").kinds(),
              (Kinds{name, kw_matches, regex, name, colon, regex, string, regex}));
}

TEST(Lexer, ASlashInsideAPatternIsEscapedOrInAClass) {
    EXPECT_EQ(tokens_of(R"(= /a\/b/ = /[/]\\/ = /[\]/]/)"),
              (std::vector<std::string>{"=", R"(/a\/b/)", "=", R"(/[/]\\/)", "=", R"(/[\]/]/)"}));
    EXPECT_EQ(Lexed("= /abc\nA").codes(), "T0106");
    EXPECT_EQ(Lexed("= /abc\nA").kinds(), (Kinds{assign, regex, name}));
}

TEST(Lexer, StringsHaveValues) {
    EXPECT_EQ(string_value(R"("a\n\r\t\\\"\x41\xff")"), "a\n\r\t\\\"A\xff");
    EXPECT_EQ(string_value(R"("")"), "");
    EXPECT_EQ(string_value("\"größe\""), "größe");
    EXPECT_EQ(bytes_value("0x\"00 fF7e\""), std::string("\0\xff\x7e", 3));
    EXPECT_EQ(bytes_value("0x\"\""), "");
}

TEST(Lexer, StringsEndOnTheirLine) {
    Lexed l("\"abc\nA");
    EXPECT_EQ(l.kinds(), (Kinds{string, name}));
    EXPECT_EQ(l.codes(), "T0102");
    EXPECT_EQ(Lexed("0x\"00\nA").codes(), "T0102");
    EXPECT_EQ(Lexed("0x\"0\"").codes(), "T0105");
    EXPECT_EQ(Lexed("0x\"0g\"").codes(), "T0105");
    EXPECT_EQ(Lexed(R"("\q\x4")").codes(), "T0104 T0104");
    EXPECT_EQ(Lexed("\"\\").codes(), "T0102");
    EXPECT_EQ(Lexed("\"a\\\r\nb").codes(), "T0102");
}

TEST(Lexer, KeepsCommentsAndTheirPlace) {
    Lexed l("// one  \r\nA /* two */ B // three\n  /* four\n */ C /* five */");
    EXPECT_EQ(comments_of("// one  \r\nA /* two */ B // three\n  /* four\n */ C /* five */"),
              (std::vector<std::string>{"// one", "/* two */", "// three", "/* four\n */", "/* five */"}));
    std::vector<bool> own_line;
    for (const Comment& c : l.list.comments) own_line.push_back(c.own_line);
    EXPECT_EQ(own_line, (std::vector<bool>{true, false, false, true, false}));
    std::vector<bool> first;
    for (const Token& t : l.list.tokens) first.push_back(t.first_on_line);
    EXPECT_EQ(first, (std::vector<bool>{true, false, true, false}));  // A, B, C, the end
}

TEST(Lexer, AnOpenCommentHidesTheRest) {
    for (const char* text : {"A /* B", "A /*", "A /*/", "A /* *"}) {
        Lexed l(text);
        EXPECT_EQ(l.codes(), "T0103") << text;
        EXPECT_TRUE(l.list.cut_off);
        EXPECT_EQ(l.kinds(), Kinds{name});
    }
}

TEST(Lexer, SignsOfOtherLanguagesAreReadAsWhatTheyMean) {
    Lexed l("a && b || !c % d");
    EXPECT_EQ(l.kinds(), (Kinds{name, kw_and, name, kw_or, kw_not, name, kw_mod, name}));
    EXPECT_EQ(l.codes(), "T0101 T0101 T0101 T0101");
    EXPECT_EQ(Lexed("stop!").kinds(), Kinds{name});
    EXPECT_EQ(Lexed("'abc'").kinds(), Kinds{string});
    EXPECT_EQ(Lexed("A \u2192 B").kinds(), (Kinds{name, arrow, name}));
    EXPECT_EQ(Lexed("\u201cabc\u201d").kinds(), Kinds{string});
    EXPECT_EQ(Lexed("a\u00a0b").kinds(), (Kinds{name, name}));
    EXPECT_EQ(Lexed("a\u00a0b").codes(), "T0101");
}

TEST(Lexer, RunsOfStrayCharactersAreOneFault) {
    EXPECT_EQ(Lexed("a @@#$ b").codes(), "T0101");
    EXPECT_EQ(Lexed(std::string("a \0\x01\x02 b", 7)).codes(), "T0101");
}

TEST(Lexer, AnotherEncodingIsOneFault) {
    EXPECT_EQ(Lexed("Andr\xe9 Ren\xe9 \"\xe9\"").codes(), "T0108");
    EXPECT_EQ(Lexed("\xef\xbb\xbfmessage").kinds(), Kinds{kw_message});
}

TEST(Lexer, FaultsAreListedInOrder) {
    Lexed l("a @ \"b\nc $ 12x");
    EXPECT_EQ(l.list.faults, (std::vector<std::uint32_t>{2, 4, 9, 11}));
}

// Between tokens and comments there is nothing but blanks, for a text without faults; and for any text at all
// tokens come in order and inside it.
void check_cover(const std::string& text) {
    Lexed l(text);
    std::string gaps = text;
    std::uint32_t end = 0;
    for (const Token& t : l.list.tokens) {
        ASSERT_LE(end, t.begin);
        ASSERT_LE(t.begin, t.end);
        ASSERT_LE(t.end, text.size());
        end = t.end;
        std::fill(gaps.begin() + t.begin, gaps.begin() + t.end, ' ');
    }
    end = 0;
    for (const Comment& c : l.list.comments) {
        ASSERT_LE(end, c.begin);
        ASSERT_LT(c.begin, c.end);
        ASSERT_LE(c.end, text.size());
        end = c.end;
        std::fill(gaps.begin() + c.begin, gaps.begin() + c.end, ' ');
    }
    if (l.diagnostics.ok()) {
        EXPECT_EQ(gaps.find_first_not_of(" \t\r\n"), std::string::npos) << text;
    }
}

TEST(Lexer, CoversEveryText) {
    std::mt19937 random(20240501);
    const std::vector<std::string> pieces{"A",       "->", "B:", "choice",   "\"a\\n\"", "0x\"00\"", "// c\n",
                                          "/* d */", "\n", " ",  "12",       "1.5s",     "/",        "/x/i",
                                          "{",       "}",  "'",  "\xc3\xa9", "\xe9",     "\"",       "..",
                                          "/*",      "*/", "&&", "\\",       "\r\n",     "\t"};
    for (int i = 0; i < 3000; ++i) {
        std::string text;
        for (std::size_t n = random() % 12; n > 0; --n) text += pieces[random() % pieces.size()];
        check_cover(text);
        std::string bytes;
        for (std::size_t n = random() % 30; n > 0; --n) bytes += static_cast<char>(random());
        check_cover(bytes);
        if (HasFatalFailure() || HasNonfatalFailure())
            FAIL() << "round " << i << ": " << text << "\n" << bytes;
    }
}

}  // namespace
}  // namespace treaty::lang
