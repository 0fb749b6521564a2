// `const`: a name for a value that is known when the file is read, wherever a value or a bound is written.
#include <gtest/gtest.h>

#include "lang/print.h"
#include "lang/testing_reading.h"

namespace treaty::lang {
namespace {

using testing::formatted;
using testing::Reading;

// The text with the steps of a protocol after it.
std::string whole(const std::string& declarations, const std::string& steps = "A -> B: go") {
    return declarations + "\nprotocol P(A, B) {\n" + steps + "\n}\n";
}

std::string printed(const std::string& text) {
    Reading r(text);
    return r.spec ? print(*r.spec) : r.messages();
}

std::string codes(const std::string& declarations, const std::string& steps = "A -> B: go") {
    return Reading(whole(declarations, steps)).codes();
}

TEST(Constants, MeanTheirValues) {
    std::string steps =
        "A -> B: m(let x, let c) match x { 0..%M - 1 { B -> A: low } %M { B -> A: most } } if c == %F { B -> "
        "A: yes } else {} B -> A: m(%M * 2 - 5, %F)";
    auto with = [&](const std::string& most, const std::string& first) {
        std::string text = steps;
        for (std::size_t at; (at = text.find("%M")) != std::string::npos;) text.replace(at, 2, most);
        for (std::size_t at; (at = text.find("%F")) != std::string::npos;) text.replace(at, 2, first);
        return text;
    };
    std::string named =
        printed(whole("enum C { red, green }\nmessage m(x: int in 0..MOST, c: C)\n"
                      "const MOST = LEAST + 2\nconst LEAST = 3\nconst FIRST: C = red",
                      with("MOST", "FIRST")));
    std::string plain =
        printed(whole("enum C { red, green }\nmessage m(x: int in 0..5, c: C)", with("5", "red")));
    // Sums stay as they are written; only their parts are replaced.
    EXPECT_EQ(named, plain);
    EXPECT_NE(named.find("int in 0..5"), std::string::npos) << named;
}

TEST(Constants, HaveTheTypeThatIsWritten) {
    EXPECT_EQ(codes("const HALF: real = 1\nmessage m(x: real)", "A -> B: m(HALF / 2)"), "");
    EXPECT_NE(
        printed(whole("const HALF: real = 1\nmessage m(x: real)", "A -> B: m(HALF / 2)")).find("1.0 / 2"),
        std::string::npos);
    EXPECT_EQ(codes("const PORT: int in 0..9 = 10"), "T0309 1:27\n");
    EXPECT_EQ(codes("const NAME: string = 10"), "T0301 1:22\n");
    EXPECT_EQ(codes("record R { x: int, y: list<int> }\nconst ORIGIN = R(x = 1, y = [2, 3])\nmessage m(r: R)",
                    "A -> B: m(ORIGIN)"),
              "");
}

TEST(Constants, AreKnownWhenTheFileIsRead) {
    EXPECT_EQ(codes("const A1 = B1\nconst B1 = A1 + 1"), "T0213 1:7\n");
    EXPECT_EQ(codes("const N: T = 3\ntype T = int in 0..N"), "T0213 2:6\n");
    EXPECT_EQ(codes("function f(x: int): int = x\nconst N = f(1)"), "T0311 2:11\n");
    EXPECT_EQ(codes("const N = 9223372036854775807 + 1"), "T0311 1:11\n");
    EXPECT_EQ(codes("const N = M"), "T0207 1:11\n");
    EXPECT_EQ(codes("const N = size(\"abc\") * 2\nmessage m(x: int in 0..N)", "A -> B: m(7)"),
              "T0309 4:11\n");
    std::string chain = "const C0 = 1\n";
    for (int i = 1; i < 150; ++i) chain = fmt::format("const C{} = C{}\n", i, i - 1) + chain;
    EXPECT_EQ(codes(chain).substr(0, 5), "T0107");
}

TEST(Constants, AreDeclaredOnce) {
    EXPECT_EQ(codes("const N = 1\nconst N = 2"), "T0201 2:7\n");
    EXPECT_EQ(codes("enum E { red, N }\nconst N = 1"), "T0201 2:7\n");
    EXPECT_EQ(codes("const = 1\nmessage m(x: int)", "A -> B: m(2)"), "T0110 1:7\n");
    EXPECT_EQ(codes("const N 1"), "T0110 1:9\n");
    EXPECT_EQ(codes("cons N = 1"), "T0113 1:1\n");
}

TEST(Constants, AVariableOfTheNameHidesIt) {
    EXPECT_EQ(printed(whole("const N = 1\nmessage m(x: int)", "A -> B: m(N) A -> B: m(let N) B -> A: m(N)")),
              printed(whole("message m(x: int)", "A -> B: m(1) A -> B: m(let N) B -> A: m(N)")));
}

TEST(Constants, InLayouts) {
    std::string message =
        "message m(x: int in 0..255, b: bytes)\nconst MAGIC = 7\nconst WIDTH = 8\nconst TAG = 0x\"0102\"\n";
    std::string plain = printed(whole(
        "message m(x: int in 0..255, b: bytes)\n"
        "wire W over stream { m(x, b) = { 7: 8  7: 8  x: 8  TAG: bytes 2 = 0x\"0102\"  b: bytes 7 } }"));
    EXPECT_EQ(printed(whole(message + "wire W over stream { m(x, b) = { MAGIC: WIDTH  MAGIC: 8  x: WIDTH  "
                                      "TAG: bytes 2  b: bytes MAGIC } }")),
              plain);
    EXPECT_EQ(
        codes(message + "const BIG = 300\nwire W over stream { m(x, b) = { BIG: 8  x: 8  b: bytes rest } }"),
        "T0309 6:34\n");
}

TEST(Constants, Layout) {
    EXPECT_EQ(formatted("const  N=1 // one\nconst M:list< int > =[N ,2]\n"),
              "const N = 1 // one\nconst M: list<int> = [N, 2]\n");
}

}  // namespace
}  // namespace treaty::lang
