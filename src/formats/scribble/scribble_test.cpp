// Scribble in and out.
#include "formats/scribble/scribble.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include <fmt/format.h>

#include "lang/print.h"

namespace treaty::formats::scribble_test {
namespace {

struct Reading {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::optional<model::Specification> spec;

    explicit Reading(std::string text) {
        spec = read_scribble(sources, sources.add("t.scr", std::move(text)), diagnostics);
    }

    std::string codes() const {
        std::string all;
        for (const base::Diagnostic& d : diagnostics.all()) {
            base::Position p = sources.begin(d.span);
            all += fmt::format("{} {}:{}\n", to_string(*d.code), p.line, p.column);
        }
        return all;
    }
};

constexpr std::string_view two_buyers = R"(module examples.TwoBuyer;

type <java> "java.math.BigDecimal" from "rt.jar" as Currency;
data <java> "java.util.Date" from "rt.jar" as Date;

(*# RefinementTypes #*)

global protocol TwoBuyer(role Buyer1, role Buyer2, role Seller) {
  title(String) from Buyer1 to Seller;
  price(Currency) from Seller to Buyer1, Buyer2;  // to both
  rec loop {
    share(Currency) from Buyer1 to Buyer2;
    choice at Buyer2 {
      accept() from Buyer2 to Buyer1;
      deliveryAddress(String) from Buyer2 to Seller;
      deliveryDate(when: Date) from Seller to Buyer2;
    } or {
      reject() from Buyer2 to Buyer1;
      continue loop;
    } or {
      quit() from Buyer2 to Buyer1, Seller;
    }
  }
}
)";

TEST(Scribble, ReadsTheTwoBuyers) {
    Reading r{std::string(two_buyers)};
    EXPECT_EQ(r.codes(), "");
    ASSERT_TRUE(r.spec);
    EXPECT_EQ(lang::print(*r.spec), R"(record Currency {}
record Date {}
message title(value: string)
message price(value: Currency)
message share(value: Currency)
message deliveryAddress(value: string)
message deliveryDate(when: Date)

protocol TwoBuyer(Buyer1, Buyer2, Seller) {
  Buyer1 -> Seller: title
  Seller -> Buyer1: price
  Seller -> Buyer2: price
  rec loop {
    Buyer1 -> Buyer2: share
    choice at Buyer2 {
      Buyer2 -> Buyer1: accept
      Buyer2 -> Seller: deliveryAddress
      Seller -> Buyer2: deliveryDate
    } or {
      Buyer2 -> Buyer1: reject
      continue loop
    } or {
      Buyer2 -> Buyer1: quit
      Buyer2 -> Seller: quit
    }
  }
}
)");
}

TEST(Scribble, WritesWhatItReads) {
    Reading first{std::string(two_buyers)};
    ASSERT_TRUE(first.spec);
    base::Diagnostics d;
    Conversion out("scr", d, LossPolicy::refuse);
    std::optional<std::string> text = write_scribble(*first.spec, out);
    ASSERT_TRUE(text);
    Reading second(*text);
    ASSERT_TRUE(second.spec) << second.codes() << *text;
    EXPECT_EQ(lang::print(*second.spec), lang::print(*first.spec));
    base::Diagnostics d2;
    Conversion again("scr", d2, LossPolicy::refuse);
    EXPECT_EQ(write_scribble(*second.spec, again), text);
}

TEST(Scribble, LoopsFromCallsAreWrittenApart) {
    Reading first(R"(global protocol P(role A, role B) { do Q(A, B); }
aux global protocol Q(role X, role Y) {
  choice at X { yes() from X to Y; } or { no() from X to Y; do Q(Y, X); }
})");
    ASSERT_TRUE(first.spec) << first.codes();
    base::Diagnostics d;
    Conversion out("scr", d, LossPolicy::refuse);
    std::optional<std::string> text = write_scribble(*first.spec, out);
    ASSERT_TRUE(text);
    Reading second(*text);
    ASSERT_TRUE(second.spec) << second.codes() << *text;
    EXPECT_EQ(lang::print(*second.spec), lang::print(*first.spec)) << *text;
}

TEST(Scribble, TailCallsBecomeLoops) {
    Reading r(R"(global protocol Ping(role A, role B) {
  choice at A { ping() from A to B; pong() from B to A; do Ping(A, B); } or { stop() from A to B; }
})");
    ASSERT_TRUE(r.spec) << r.codes();
    EXPECT_EQ(lang::print(*r.spec), R"(protocol Ping(A, B) {
  rec Ping {
    choice at A {
      A -> B: ping
      B -> A: pong
      continue Ping
    } or {
      A -> B: stop
    }
  }
}
)");
}

TEST(Scribble, FaultsAreOurDiagnosticsAtTheirPlaces) {
    EXPECT_EQ(Reading("global protocol P(role A, role B) {\n  m() from A to C;\n}").codes(), "T0202 2:17\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B) {\n  choice at A { m() from A to B; } or { m() from "
                      "B to A; }\n}")
                  .codes(),
              "T0402 2:41\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B) {\n  rec X { m() from A to B; continue X; }\n  n() "
                      "from A to B;\n}")
                  .codes(),
              "T0404 3:3\n");
    EXPECT_EQ(
        Reading("global protocol P(role A, role B) {\n  m(int) from A B;\n  n() form A to B;\n}").codes(),
        "T0710 2:17\nT0710 3:7\n");
    EXPECT_EQ(Reading("explicit global protocol P(role A, role B) {\n  connect A to B;\n}").codes(),
              "T0711 1:1\n");
    EXPECT_EQ(
        Reading("global protocol P(role A, role B) {\n  connect A to B;\n  m() from A to B;\n}").codes(),
        "T0711 2:3\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B) {").codes(), "T0710 1:36\n");
}

// The same specification as this .treaty text, and these diagnostics.
void expect_reads_as(std::string scribble, std::string_view treaty, std::string_view codes = "") {
    Reading r(std::move(scribble));
    EXPECT_EQ(r.codes(), codes);
    ASSERT_TRUE(r.spec);
    EXPECT_EQ(lang::print(*r.spec), treaty);
}

std::string in_protocol(std::string_view body) {
    return fmt::format("global protocol P(role A, role B) {{\n{}\n}}", body);
}

TEST(Scribble, NamesMayBeginWithADigit) {
    Reading r(
        "global protocol P(role 1A, role B) {\n  1(int) from 1A to B;\n  choice at B { 2nd() from B to 1A; } "
        "or { 007 from B to 1A; }\n}");
    EXPECT_EQ(r.codes(), "");
    ASSERT_TRUE(r.spec);
    EXPECT_TRUE(r.spec->alphabet->find_message("1"));
    EXPECT_TRUE(r.spec->alphabet->find_message("2nd"));
    EXPECT_TRUE(r.spec->alphabet->find_message("007"));
    EXPECT_TRUE(r.spec->alphabet->find_role("1A"));
}

TEST(Scribble, CommentsOfBothTraditions) {
    expect_reads_as(in_protocol("(* a (* nested *) one (*) *) m() from A to B; (*) to the end (* of the "
                                "line\n/* n() */ // from\n"),
                    "protocol P(A, B) {\n  A -> B: m\n}\n");
    EXPECT_EQ(Reading("(* open").codes(), "T0710 1:1\n");
    EXPECT_EQ(Reading("/* open").codes(), "T0710 1:1\n");
}

TEST(Scribble, AnnotationsAreLeftOut) {
    expect_reads_as(in_protocol("m() from A to B; @\"x > 0\"\nn() from A to B @\"y\";"),
                    "protocol P(A, B) {\n  A -> B: m\n  A -> B: n\n}\n", "T0713 2:18\nT0713 3:17\n");
}

TEST(Scribble, OneLabelWithSeveralPayloadsIsSeveralMessages) {
    expect_reads_as(
        in_protocol(
            "(string) from A to B; (int) from B to A; (string) from B to A; message_2() from A to B;"),
        "message message(value: string)\nmessage message_2(value: int)\n\nprotocol P(A, B) {\n  A -> B: "
        "message\n  B -> A: message_2\n"
        "  B -> A: message\n  A -> B: message_2_2\n}\n",
        "T0805 2:23\nT0805 2:64\n");
}

TEST(Scribble, APayloadAloneDoesNotTellBranchesApart) {
    EXPECT_EQ(
        Reading(in_protocol("choice at A { m(int) from A to B; } or { m(string) from A to B; }")).codes(),
        "T0712 2:42\nT0805 2:42\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B, role C) {\n"
                      "choice at A { x() from A to B; m(int) from B to C; }\n"
                      "or { y() from A to B; m() from B to C; } }")
                  .codes(),
              "T0712 3:23\nT0805 3:23\n");
    // B knows the branch by then.
    EXPECT_EQ(Reading(in_protocol("choice at A { x() from A to B; m(int) from A to B; } or { y() from A to "
                                  "B; m() from A to B; }"))
                  .codes(),
              "T0805 2:76\n");
}

TEST(Scribble, ParametersAreInstantiated) {
    expect_reads_as(R"(global protocol Main(role A, role B) {
  do Ask<string, ok(int)>(A, B);
  do Ask<bool, no()>(B, A);
  do Ask<string, ok(int)>(B as Y, A as X);
}
aux global protocol Ask<type T, sig S>(role X, role Y) {
  ask(T) from X to Y;
  S from Y to X;
})",
                    R"(message ask(value: string)
message ok(value: int)
message ask_2(value: bool)

protocol Main(A, B) {
  A -> B: ask
  B -> A: ok
  B -> A: ask_2
  A -> B: no
  A -> B: ask
  B -> A: ok
}
)",
                    "T0805 7:3\n");
    EXPECT_EQ(Reading("global protocol P<sig S>(role A, role B) { S from A to B; }").codes(), "");
    EXPECT_EQ(Reading("global protocol P(role A, role B) { do Q<int>(A, B); }\naux global protocol Q(role A, "
                      "role B) { m() from A to B; }")
                  .codes(),
              "T0715 1:40\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B) { do Q(A); }\naux global protocol Q(role A, role B) "
                      "{ m() from A to B; }")
                  .codes(),
              "T0715 1:40\n");
}

TEST(Scribble, AnInstanceMayGoRoundWithOtherParameters) {
    expect_reads_as("global protocol P<sig S, sig T>(role A, role B) { S from A to B; do P<T, S>(A, B); }",
                    "protocol P(A, B) {\n  rec P {\n    A -> B: S\n    rec P_2 {\n      A -> B: T\n      "
                    "continue P\n    }\n  }\n}\n");
}

TEST(Scribble, AuxProtocolsAndNamesOfTheOwnModule) {
    expect_reads_as(
        "module a.b.C;\naux global protocol Q(role A, role B) { q() from A to B; }\n"
        "global protocol P(role A, role B) { do a.b.C.Q(B, A); do C.Q(A, B); }",
        "protocol P(A, B) {\n  B -> A: q\n  A -> B: q\n}\n");
    EXPECT_EQ(
        Reading("module a;\nglobal protocol P(role A, role B) { do b.Q(B, A); m() from A to B; }").codes(),
        "T0715 2:40\n");
}

TEST(Scribble, LoopsInsideLoopsOfTheSameName) {
    expect_reads_as(in_protocol("rec X { a() from A to B; rec X { choice at A { b() from A to B; continue X; "
                                "} or { c() from A to B; } } }"),
                    "protocol P(A, B) {\n  rec X {\n    A -> B: a\n    rec X_2 {\n      choice at A {\n      "
                    "  A -> B: b\n        continue X_2\n"
                    "      } or {\n        A -> B: c\n      }\n    }\n  }\n}\n");
}

TEST(Scribble, LoopsWithoutAMessage) {
    expect_reads_as(in_protocol("m() from A to B; rec X { continue X; }"),
                    "protocol P(A, B) {\n  A -> B: m\n}\n", "T0713 2:18\n");
    expect_reads_as(in_protocol("rec X { choice at A { continue X; } or { m() from A to B; continue X; } or "
                                "{ n() from A to B; } }"),
                    "protocol P(A, B) {\n  rec X {\n    choice at A {\n      A -> B: m\n      continue X\n   "
                    " } or {\n      A -> B: n\n    }\n  }\n}\n",
                    "T0713 2:9\n");
    EXPECT_EQ(Reading(in_protocol("rec X { continue X; } m() from A to B;")).codes(), "T0405 2:1\n");
}

TEST(Scribble, RefinementsAreConditions) {
    expect_reads_as(in_protocol("m(x: int{x > 0 && x < 10}, s: string) from A to B; n(y: int{y = x + 1 || "
                                "not (y <> 5)}) from B to A;"),
                    R"(message m(x: int, s: string)
message n(y: int)

protocol P(A, B) {
  A -> B: m(let x, _) where x > 0 and x < 10
  B -> A: n(let y) where y == x + 1 or not y != 5
}
)");
    EXPECT_EQ(Reading(in_protocol("m(x: int{x >}) from A to B;")).codes(), "T0710 2:13\n");
    EXPECT_EQ(Reading(in_protocol("m(x: int{x > \"a\"}) from A to B;")).codes(), "T0303 2:12\n");
    std::string deep = "m(x: int{";
    for (int i = 0; i < 100000; ++i) deep += "(";
    EXPECT_FALSE(Reading(in_protocol(deep)).spec);
    std::string wide = "m(x: int{x = 1";
    for (int i = 0; i < 100000; ++i) wide += " + 1";
    EXPECT_FALSE(Reading(in_protocol(wide + "}) from A to B;")).spec);
}

TEST(Scribble, LoopsCarryValues) {
    expect_reads_as(in_protocol("rec X [n<B>: int = 0, k<B>: int = 1] { choice at A { inc() from A to B; "
                                "continue X [k, n + 1]; } or "
                                "{ get() from A to B; total(t: int{t = n}) from B to A; } }"),
                    R"(message total(t: int)

protocol P(A, B) {
  let n = 0
  let k = 1
  rec X {
    choice at A {
      A -> B: inc
      let next_n = k
      let next_k = n + 1
      let n = next_n
      let k = next_k
      continue X
    } or {
      A -> B: get
      B -> A: total(let t) where t == n
    }
  }
}
)");
    EXPECT_EQ(Reading(in_protocol("rec X [n<B>: int = 0] { m() from A to B; continue X; }")).codes(),
              "T0715 2:42\n");
}

TEST(Scribble, NestedProtocolsAreCalls) {
    expect_reads_as(R"((*# NestedProtocols #*)
nested protocol Relay(role S, role T; new role M) {
  nested protocol Hello(role X, role Y) { hello() from X to Y; }
  S calls Hello(S, M);
  forward() from M to T;
}
global protocol Main(role A, role B, role M) {
  A calls Relay(A, B);
  B calls Relay(B, M);
})",
                    R"(protocol Main(A, B, M, Relay_M) {
  A -> Relay_M: hello
  Relay_M -> B: forward
  B -> Relay_M: hello
  Relay_M -> M: forward
}
)");
    EXPECT_EQ(Reading("nested protocol P(role A; new role B) {\n  m(int) from A to B;\n  B calls P(B);\n}\n"
                      "global protocol Main(role A) {\n  A calls P(A);\n}")
                  .codes(),
              "T0711 3:3\n");
    EXPECT_EQ(Reading("global protocol Main(role A, role B) {\n  nested protocol In(role X, role Y) { m() "
                      "from X to Y; }\n  A calls In(A, B);\n}\n"
                      "global protocol Other(role A, role B) {\n  A calls In(A, B);\n}")
                  .codes(),
              "T0715 6:11\n");
}

// Files that are not on the disk.
struct Files {
    std::map<std::string, std::string> texts;
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::vector<base::FileId> read;

    std::optional<model::Specification> load(const std::string& path) {
        base::FileId file = sources.add(path, texts.at(path));
        return load_scribble(
            sources, file, diagnostics,
            [this](const std::string& p) -> base::Result<std::string> {
                auto found = texts.find(p);
                if (found == texts.end()) return base::Fault{"not there"};
                return found->second;
            },
            &read);
    }
    std::string codes() const {
        std::string all;
        for (const base::Diagnostic& d : diagnostics.all())
            all += fmt::format("{} {}:{}\n", to_string(*d.code), sources.path(d.span.file),
                               sources.begin(d.span).line);
        return all;
    }
};

TEST(Scribble, Imports) {
    Files f;
    f.texts["x/a/Main.scr"] =
        "module a.Main;\nimport b.Lib;\nimport a.Near as N;\nfrom b.Lib import Bye as Ende;\n"
        "global protocol Main(role A, role B) { do b.Lib.Hi(A, B); do Lib.Hi(B, A); do N.Hi(A, B); do "
        "Ende(A, B); }";
    f.texts["x/b/Lib.scr"] =
        "module b.Lib;\nimport a.Near;\nglobal protocol Hi(role X, role Y) { hi() from X to Y; do Near.Hi(Y, "
        "X); }\n"
        "aux global protocol Bye(role X, role Y) { bye() from X to Y; }";
    f.texts["x/a/Near.scr"] =
        "module a.Near;\nimport b.Lib;\nglobal protocol Hi(role P, role Q) { near() from P to Q; }";
    auto spec = f.load("x/a/Main.scr");
    ASSERT_TRUE(spec) << f.codes();
    EXPECT_EQ(f.read.size(), 2u);
    EXPECT_EQ(lang::print(*spec),
              "protocol Main(A, B) {\n  A -> B: hi\n  B -> A: near\n  B -> A: hi\n  A -> B: near\n  A -> B: "
              "near\n  A -> B: bye\n}\n");
}

TEST(Scribble, ImportsThatFail) {
    Files f;
    f.texts["a.scr"] =
        "module a;\nimport nowhere.B;\nimport c;\nglobal protocol P(role A, role B) {\n  m() from A to B;\n  "
        "do c.Q(A, B);\n}";
    f.texts["c.scr"] = "module other;\nglobal protocol Q(role A, role B) {\n  n() from A;\n}";
    EXPECT_FALSE(f.load("a.scr"));
    EXPECT_EQ(f.codes(), "T0714 a.scr:2\nT0714 a.scr:3\nT0710 c.scr:3\n");
    EXPECT_EQ(Reading("import b;\nglobal protocol P(role A, role B) { m() from A to B; }").codes(),
              "T0714 1:1\n");
    Files endless;
    for (int i = 0; i < 300; ++i)
        endless.texts[fmt::format("m{}.scr", i)] = fmt::format("module m{};\nimport m{};\n", i, i + 1);
    EXPECT_FALSE(endless.load("m0.scr"));
    EXPECT_EQ(endless.codes(), "T0716 m199.scr:2\n");
}

TEST(Scribble, NoTextCrashesIt) {
    constexpr unsigned seed = 4;
    std::mt19937 random(seed);
    for (int i = 0; i < 3000; ++i) {
        std::string text(two_buyers);
        for (unsigned k = random() % 6 + 1; k > 0 && !text.empty(); --k) {
            std::size_t at = random() % text.size();
            switch (random() % 3) {
                case 0: text.erase(at, random() % 20); break;
                case 1: text.insert(at, 1, "{}();:,<>\"/*#ab 0@[]"[random() % 21]); break;
                default: text[at] = static_cast<char>(random()); break;
            }
        }
        Reading r(text);
        EXPECT_TRUE(r.spec || r.diagnostics.errors() > 0) << "seed " << seed << " round " << i;
    }
    std::string deep = "global protocol P(role A, role B) {";
    for (int i = 0; i < 100000; ++i) deep += "rec X {";
    EXPECT_FALSE(Reading(deep).spec);
}

}  // namespace
}  // namespace treaty::formats::scribble_test
