// Scribble in and out.
#include "formats/scribble/scribble.h"

#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

#include "lang/print.h"

namespace treaty::formats {
namespace {

struct Reading {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::optional<model::Specification> spec;

    explicit Reading(std::string text) { spec = read_scribble(sources, sources.add("t.scr", std::move(text)), diagnostics); }

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
    EXPECT_EQ(Reading("global protocol P(role A, role B) {\n  choice at A { m() from A to B; } or { m() from B to A; }\n}").codes(), "T0402 2:41\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B) {\n  rec X { m() from A to B; continue X; }\n  n() from A to B;\n}").codes(), "T0404 3:3\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B) {\n  m(int) from A to B;\n  m(string) from A to B;\n}").codes(), "T0712 3:3\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B) {\n  m(int) from A B;\n  n() form A to B;\n}").codes(), "T0710 2:17\nT0710 3:7\n");
    EXPECT_EQ(Reading("explicit global protocol P(role A, role B) {\n  connect A to B;\n}").codes(), "T0711 1:1\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B) {\n  connect A to B;\n  m() from A to B;\n}").codes(), "T0711 2:3\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B) {\n  m(x: int{x > 0}) from A to B;\n}").codes(), "T0711 2:11\n");
    EXPECT_EQ(Reading("global protocol P(role A, role B) {").codes(), "T0710 1:36\n");
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
                case 1: text.insert(at, 1, "{}();:,<>\"/*#ab 0"[random() % 18]); break;
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
}  // namespace treaty::formats
