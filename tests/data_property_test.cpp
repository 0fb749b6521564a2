// Messages made from declarations, and bytes that are not what they should be: invalid messages break exactly
// one constraint, profiles are followed, layouts that overlap are found, faults have the right offset.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "expr/evaluate.h"
#include "expr/print.h"
#include "formats/import.h"
#include "lang/read.h"
#include "solve/narrow.h"
#include "wire/ambiguity.h"
#include "wire/codec.h"
#include "wire/profile.h"
#include "wire/sampler.h"
#include "wire/shapes.h"

namespace treaty {
namespace {

struct World {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::optional<model::Specification> read;
    std::vector<wire::MessageShape> shapes;
    std::vector<wire::MessageRules> rules;

    explicit World(std::string text) {
        read = lang::read(sources, sources.add("test.treaty", text), diagnostics);
        if (!read) throw std::runtime_error(diagnostics.all()[0].message + "\n" + text);
        shapes = wire::message_shapes(*read);
        rules = wire::message_rules(*read);
    }
    model::Specification& s() { return *read; }
    wire::MessageIndex message(std::string_view name) { return s().alphabet->find_message(name).index; }
    wire::Codec codec(std::string_view name = "") {
        return wire::Codec(*s().pool, *s().find_wire(name), shapes);
    }
};

// --- exactly one constraint

// Random declarations over ints, texts and lists.
std::string declaration(std::mt19937_64& random) {
    auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::vector<std::string> conjuncts = {
        fmt::format("a < {}", below(50)),
        fmt::format("a + b > {}", below(30)),
        "b != 7",
        fmt::format("size(s) <= {}", 1 + below(5)),
        "s matches /[a-c]*x?/",
        fmt::format("size(xs) == {}", below(4)),
        fmt::format("{} in xs", below(9)),
        "not (a == b)",
        fmt::format("(a > {} or b > {})", below(20), below(20)),
        "a mod 2 == 0",
        "starts_with(s, \"a\")",
    };
    std::shuffle(conjuncts.begin(), conjuncts.end(), random);
    std::string where;
    std::size_t n = below(4);
    for (std::size_t i = 0; i < n; ++i) where += (i == 0 ? " where " : " and ") + conjuncts[i];
    return fmt::format("message m(a: int in {}..{}, b: int in 0..{}, s: string, xs: list<int in 0..9>){}\n",
                       -static_cast<int>(below(5)), 10 + below(90), 5 + below(20), where);
}

TEST(Invalid, BreaksExactlyTheConstraintItNames) {
    std::mt19937_64 random(77);
    std::size_t made = 0, unbreakable = 0;
    for (int round = 0; round < 150; ++round) {
        std::string text = declaration(random);
        World w(text);
        const model::Message& m = w.s().messages[0];
        wire::Sampler sampler(*w.s().pool, w.rules[0], nullptr);
        // The declaration once more, read on its own: the ends of the ranges and the conjuncts of where.
        std::vector<expr::ExprId> conjuncts;
        if (m.where) conjuncts = solve::conjuncts_of(*w.s().pool, m.where);
        for (std::size_t k = 0; k < sampler.constraints().size(); ++k) {
            wire::Made bad = sampler.invalid(k, random());
            if (bad.found != solve::Found::yes) {
                ++unbreakable;
                continue;
            }
            ++made;
            expr::Environment env;
            std::vector<std::string> broken;
            for (std::size_t i = 0; i < m.fields.size(); ++i) {
                env.set(m.variables[i], bad.values[i]);
                const expr::Type& type = (*w.s().types)[m.fields[i].type];
                std::string_view field = w.s().names->text(m.fields[i].name);
                auto* n = std::get_if<std::int64_t>(&bad.values[i].v);
                if (n && type.low && *n < *type.low)
                    broken.push_back(fmt::format("{} >= {}", field, *type.low));
                if (n && type.high && *n > *type.high)
                    broken.push_back(fmt::format("{} <= {}", field, *type.high));
                if (type.kind != expr::TypeKind::list) continue;
                for (const expr::Value& x : bad.values[i].items()) {
                    if (x.integer() < 0) broken.push_back(fmt::format("{}[i] >= 0", field));
                    if (x.integer() > 9) broken.push_back(fmt::format("{}[i] <= 9", field));
                }
            }
            for (expr::ExprId c : conjuncts)
                if (!expr::satisfied(*w.s().pool, c, env)) broken.push_back(expr::print(*w.s().pool, c));
            ASSERT_EQ(broken.size(), 1u) << text << fmt::format("{}", fmt::join(broken, "; "));
            EXPECT_EQ(broken[0], sampler.constraints()[k]) << text;
        }
        // And what is valid breaks none.
        for (std::uint64_t i = 0; i < 8; ++i) {
            wire::Made good = sampler.valid(round, i);
            if (good.found != solve::Found::yes) break;
            expr::Environment env;
            for (std::size_t f = 0; f < m.fields.size(); ++f) {
                env.set(m.variables[f], good.values[f]);
                EXPECT_TRUE(expr::belongs(good.values[f], m.fields[f].type, *w.s().types)) << text;
            }
            for (expr::ExprId c : conjuncts) EXPECT_TRUE(expr::satisfied(*w.s().pool, c, env)) << text;
        }
    }
    EXPECT_GT(made, 700u);
    EXPECT_LT(unbreakable, made);
}

TEST(Invalid, RangesAtAnyDepthAreBroken) {
    World w(
        "record P { x: int in 0..5, y: optional<int in 1..2> }\n"
        "message m(p: P, ps: list<P>, deep: list<list<int in 3..9>>) where size(ps) < 4\n");
    wire::Sampler sampler(*w.s().pool, w.rules[0], nullptr);
    EXPECT_EQ(
        sampler.constraints(),
        (std::vector<std::string>{"size(ps) < 4", "p.x >= 0", "p.x <= 5", "value(p.y) >= 1",
                                  "value(p.y) <= 2", "ps[i].x >= 0", "ps[i].x <= 5", "value(ps[i].y) >= 1",
                                  "value(ps[i].y) <= 2", "deep[i][j] >= 3", "deep[i][j] <= 9"}));
    EXPECT_EQ(sampler.breakable(5).size(), 11u);
    const model::Message& m = w.s().messages[0];
    for (std::size_t k = 1; k < 11; ++k) {
        wire::Made bad = sampler.invalid(k, 5);
        ASSERT_EQ(bad.found, solve::Found::yes);
        std::size_t wrong = 0;
        for (std::size_t f = 0; f < 3; ++f)
            wrong += expr::belongs(bad.values[f], m.fields[f].type, *w.s().types) ? 0 : 1;
        EXPECT_EQ(wrong, 1u) << sampler.constraints()[k];
    }
}

// --- distribution

// If only few values satisfy a condition, each of them comes before one comes again, however they are found.
TEST(Distribution, AMessageComesAgainOnlyWhenThereIsNoOther) {
    for (auto [text, count] : {std::pair{"message m(a: int, b: int) where a * a + b * b == 25\n", 12},
                               {"message m(a: int in 0..3, b: int) where b == a * a\n", 4},
                               {"message m(s: string) where s matches /(red|blue)[0-2]/\n", 6},
                               {"message m(f: bool, xs: list<int in 0..1>) where size(xs) == 2\n", 8}}) {
        World w(text);
        for (std::uint64_t seed : {1, 2, 3}) {
            wire::Sampler sampler(*w.s().pool, w.rules[0], nullptr);
            std::set<std::vector<expr::Value>> all;
            for (int i = 0; i < count; ++i) {
                wire::Made made = sampler.valid(seed, static_cast<std::uint64_t>(i));
                ASSERT_EQ(made.found, solve::Found::yes) << text;
                all.insert(made.values);
            }
            EXPECT_EQ(all.size(), static_cast<std::size_t>(count)) << text << "seed " << seed;
            EXPECT_EQ(sampler.valid(seed, 99).found, solve::Found::yes) << text;  // there is no other
        }
    }
}

TEST(Distribution, TheSimplestComesFirstThenTheEnds) {
    World w("message m(n: int in 3..1000, s: string) where size(s) <= 4\n");
    wire::Sampler sampler(*w.s().pool, w.rules[0], nullptr);
    wire::Made first = sampler.valid(9, 0);
    EXPECT_EQ(first.values[0], expr::Value(std::int64_t{3}));
    EXPECT_EQ(first.values[1], expr::Value(std::string()));
    for (std::uint64_t i = 1; i <= 4; ++i) {
        std::int64_t n = sampler.valid(9, i).values[0].integer();
        EXPECT_TRUE(n <= 4 || n >= 999) << n;
    }
    std::map<std::string, int> how;
    std::size_t ends = 0, again = 0;
    std::vector<std::int64_t> seen;
    for (std::uint64_t i = 5; i < 505; ++i) {
        wire::Made made = sampler.valid(9, i);
        std::int64_t n = made.values[0].integer();
        ends += n <= 10 || n >= 995 ? 1 : 0;
        again += std::find(seen.begin(), seen.end(), n) != seen.end() ? 1 : 0;
        seen.push_back(n);
        ++how[made.how[0]];
    }
    EXPECT_GT(ends, 100u);
    EXPECT_GT(again, 100u);
    EXPECT_GT(how["seen before"], 30);
    EXPECT_GT(how["any"] + how["range"], 300);
}

// By whichever search it is found, and with any seed: the first value is small.
TEST(Distribution, TheFirstIsSmallWhateverTheCondition) {
    const std::pair<const char*, const char*> cases[] = {
        {"message m(o: optional<int>) where has(o) and value(o) mod 2 == 1\n", "m(some(1))"},
        {"message m(s: string, xs: list<int>) where size(s) == size(xs) and size(xs) > 2\n",
         "m(\"aaa\", [0, 0, 0])"},
        {"message m(s: string) where s > \"a\" and s < \"b\"\n", "m(\"aa\")"},
        {"message m(n: int) where n * n == 144\n", "m(12)"},
        {"message m(a: int, b: int) where a * b == 35 and a < b\n", "m(1, 35)"},
        {"message m(x: int in 0..3, y: int in 0..3) where x + y == 5\n", "m(2, 3)"},
        {"message m(n: int) where n mod 7 == 3 and n > 100\n", "m(101)"},
        {"message m(xs: list<int>, ys: list<int>) where xs permutes ys and size(xs) == 3 and sum(ys) == 6\n",
         "m([0, 0, 6], [0, 0, 6])"},
        {"message m(s: string) where contains(lower(s), \"ab\") and size(s) < 5\n", "m(\"ab\")"},
    };
    for (auto [text, expected] : cases) {
        World w(text);
        for (std::uint64_t seed : {1, 2, 77}) {
            wire::Sampler sampler(*w.s().pool, w.rules[0], nullptr);
            wire::Made made = sampler.valid(seed, 0);
            ASSERT_EQ(made.found, solve::Found::yes) << text;
            std::string shown;
            for (std::size_t f = 0; f < made.values.size(); ++f)
                shown += (f == 0 ? "" : ", ") + expr::print(made.values[f], w.s().messages[0].fields[f].type,
                                                            *w.s().types, *w.s().names);
            EXPECT_EQ("m(" + shown + ")", expected) << text << "seed " << seed;
        }
    }
}

TEST(Distribution, AProfileIsFollowed) {
    World w(
        "enum Colour { red, green, blue }\n"
        "message buy(book: int in 0..9999, colour: Colour, note: string) where book != 13\n"
        "message request\nmessage stop\n");
    auto profile = wire::Profile::read(
        R"({"messages": {"buy": 8, "request": 2, "stop": 0},
            "fields": {"buy.book": [{"weight": 6, "from": 100, "to": 199}, {"weight": 3, "value": 7}, {"weight": 1, "any": true}],
                       "buy.colour": [{"weight": 9, "value": "blue"}, {"weight": 1, "value": "red"}],
                       "buy.note": [{"matches": "[a-z]{3}"}]}})",
        *w.s().pool, w.shapes);
    ASSERT_TRUE(profile) << profile.error();
    constexpr int rounds = 4000;
    // Within five standard deviations of a binomial distribution; the seed is fixed, so this never changes.
    auto near = [](int count, double share, int of) {
        return std::abs(count - share * of) <= 5 * std::sqrt(share * (1 - share) * of) + 1;
    };
    solve::Choices choices(1);
    std::map<wire::MessageIndex, int> messages;
    std::vector<wire::MessageIndex> all{0, 1, 2};
    for (int i = 0; i < rounds; ++i) ++messages[profile->pick(all, choices)];
    EXPECT_TRUE(near(messages[0], 0.8, rounds)) << messages[0];
    EXPECT_TRUE(near(messages[1], 0.2, rounds)) << messages[1];
    EXPECT_EQ(messages[2], 0);
    wire::Sampler sampler(*w.s().pool, w.rules[0], nullptr);
    sampler.use(&*profile);
    int inside = 0, seven = 0, blue = 0, low_half = 0;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        wire::Made made = sampler.valid(3, i);
        ASSERT_EQ(made.found, solve::Found::yes);
        std::int64_t book = made.values[0].integer();
        inside += book >= 100 && book <= 199;
        low_half += book >= 100 && book < 150;
        seven += book == 7;
        blue += made.values[1] == expr::Value(expr::EnumMember{2});
        EXPECT_EQ(made.values[2].string().size(), 3u);
        EXPECT_NE(made.values[1], expr::Value(expr::EnumMember{1}));
    }
    EXPECT_TRUE(near(inside, 0.6 + 0.1 * 0.01, rounds)) << inside;
    EXPECT_TRUE(near(low_half, 0.3 + 0.1 * 0.005, rounds)) << low_half;
    EXPECT_TRUE(near(seven, 0.3, rounds)) << seven;
    EXPECT_TRUE(near(blue, 0.9, rounds)) << blue;
}

TEST(Distribution, AWishThatContradictsTheConditionIsDropped) {
    World w("message m(n: int) where n > 100\n");
    auto profile = wire::Profile::read(R"({"fields": {"m.n": [{"value": 5}, {"from": 200, "to": 210}]}})",
                                       *w.s().pool, w.shapes);
    ASSERT_TRUE(profile) << profile.error();
    wire::Sampler sampler(*w.s().pool, w.rules[0], nullptr);
    sampler.use(&*profile);
    std::size_t wished = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
        std::int64_t n = sampler.valid(1, i).values[0].integer();
        EXPECT_GT(n, 100);
        wished += n >= 200 && n <= 210 ? 1 : 0;
    }
    EXPECT_GT(wished, 30u);
}

TEST(Distribution, AProfileOfOtherMessagesIsRefused) {
    World w("message m(n: int in 0..9, s: string)\n");
    for (const char* text :
         {"", "[]", "{\"messages\": 3}", "{\"more\": {}}", "{\"messages\": {\"q\": 1}}",
          "{\"messages\": {\"m\": -1}}", "{\"fields\": {\"m\": []}}", "{\"fields\": {\"m.n\": []}}",
          "{\"fields\": {\"m.q\": [{\"value\": 1}]}}", "{\"fields\": {\"m.n\": [{\"value\": 99}]}}",
          "{\"fields\": {\"m.n\": [{\"value\": \"x\"}]}}", "{\"fields\": {\"m.s\": [{\"matches\": \"(\"}]}}",
          "{\"fields\": {\"m.s\": [{\"from\": 1}]}}", "{\"fields\": {\"m.n\": [{\"from\": 5, \"to\": 3}]}}",
          "{\"fields\": {\"m.n\": [{\"to\": 3, \"from\": 5}]}}", "{\"fields\": {\"m.n\": [{\"from\": 10}]}}",
          "{\"fields\": {\"m.n\": [{\"to\": -1}]}}",
          "{\"fields\": {\"m.n\": [{\"weight\": 0, \"value\": 1}]}}",
          "{\"fields\": {\"m.n\": [{\"wieght\": 1}]}}"}) {
        auto profile = wire::Profile::read(text, *w.s().pool, w.shapes);
        ASSERT_FALSE(profile) << text;
        EXPECT_FALSE(profile.error().empty()) << text;
    }
}

// --- overlaps

std::vector<std::string> found(World& w, std::string_view wire = "") {
    wire::Codec codec = w.codec(wire);
    std::vector<std::string> out;
    for (const wire::Overlap& o : wire::overlaps(*w.s().pool, codec, w.rules)) {
        std::string example = o.example;
        if (codec.wire().framing == wire::Framing::lines) example += codec.wire().terminator;
        for (wire::MessageIndex m : {o.first, o.second}) {
            wire::Decoder decoder(codec);
            decoder.expect(std::array{m});
            decoder.feed(example);
            decoder.finish();
            wire::Decoded message;
            EXPECT_EQ(decoder.next(message), wire::DecodeStatus::message) << expr::quote(example);
        }
        out.push_back(fmt::format("{} {}{}", w.s().alphabet->name(model::MessageId(o.first)),
                                  w.s().alphabet->name(model::MessageId(o.second)),
                                  o.first_is_special ? " special" : ""));
    }
    return out;
}

using Strings = std::vector<std::string>;

TEST(Overlaps, AreFoundOnEveryFraming) {
    World stream(
        "message a(x: int in 0..255, y: int in 0..255)\nmessage b(kind: int in 0..3, z: int in 0..63)\n"
        "message c\nmessage d(t: bytes)\n"
        "wire W over stream { a(x, y) = { 1: 4 0: 4 x: 8 y: 8 }\n b(kind, z) = { kind: 2 z: 6 0: 8 }\n"
        " c = { 2: 8 }\n d(t) = { 3: 8 n: 8 = size(t) t: bytes n } }\n");
    Strings overlaps = found(stream);
    EXPECT_NE(std::find(overlaps.begin(), overlaps.end(), "a b"), overlaps.end()) << overlaps.size();
    for (const std::string& o : overlaps) EXPECT_TRUE(o.find('b') != std::string::npos) << o;
    World special(
        "message one\nmessage any(x: int in 0..255)\n"
        "wire W over length-prefixed 2 { one = { 1: 8 }\n any(x) = { x: 8 } }\n");
    EXPECT_EQ(found(special), Strings{"one any special"});
    World http(
        "message get(target: string)\nmessage request(method: string, target: string)\n"
        "message post(target: string, body: bytes)\nmessage ok(status: int)\nmessage gone(status: int, "
        "reason: "
        "string)\nwire W over http {}\n");
    EXPECT_EQ(found(http), (Strings{"get request special", "request post", "ok gone"}));
    World json("message a(x: int)\nmessage b(x: int)\nwire W over json {}\n");
    EXPECT_EQ(found(json), Strings{});
    World lines(
        "message dot\nmessage word(w: string)\nmessage name(n: string)\n"
        "wire W over lines \"\\n\" escapes \".\" at start as \"..\" { dot = \".\"\n word(w) = w:/[a-m.]+/\n "
        "name(n) = "
        "n:/[k-z]+/\n }\n");
    EXPECT_EQ(found(lines), Strings{"word name"});
    World plain(
        "message dot\nmessage word(w: string)\n"
        "wire W over lines \"\\n\" { dot = \".\"\n word(w) = w:/[a-m.]+/\n }\n");
    EXPECT_EQ(found(plain), Strings{"dot word special"});
}

TEST(Overlaps, TheLibraryHasNone) {
    std::size_t wires = 0;
    for (std::string_view name : formats::library_names()) {
        World w{std::string(formats::library_text(name))};
        for (const wire::Wire& wire : w.s().wires) {
            ++wires;
            for (const std::string& o : found(w, w.s().names->text(wire.name)))
                EXPECT_TRUE(o.ends_with(" special")) << name << ": " << o;
        }
    }
    EXPECT_GE(wires, 9u);
}

// --- what nests

// A random array in the protocol of Redis, written by hand, and its elements from the outside in.
struct Tree {
    std::string bytes;
    std::vector<std::int64_t> marks, numbers;
    Strings words, texts;

    void element(std::mt19937_64& random, int depth) {
        std::size_t kind = depth > 0 && random() % 2 == 0 ? 5 : random() % 5;
        const char* all = "$:+-$*";
        marks.push_back(all[kind]);
        numbers.push_back(0);
        words.emplace_back();
        texts.emplace_back();
        bytes += all[kind];
        if (kind == 0) {
            std::string text(random() % 6, static_cast<char>(random()));
            numbers.back() = static_cast<std::int64_t>(text.size());
            texts.back() = text;
            bytes += fmt::format("{}\r\n{}\r\n", text.size(), text);
        } else if (kind == 4) {
            numbers.back() = -1;
            bytes += "-1\r\n";
        } else if (kind == 1) {
            numbers.back() = static_cast<std::int64_t>(random() % 2000) - 1000;
            bytes += fmt::format("{}\r\n", numbers.back());
        } else if (kind < 4) {
            words.back() = std::string(random() % 4, 'w');
            bytes += words.back() + "\r\n";
        } else {
            std::size_t n = random() % 4;
            numbers.back() = static_cast<std::int64_t>(n);
            bytes += fmt::format("{}\r\n", n);
            for (std::size_t i = 0; i < n; ++i) element(random, depth - 1);
        }
    }
};

template <class T, class From>
expr::Value list_of(const std::vector<From>& items) {
    expr::Sequence out;
    for (const From& i : items) out.items.push_back(T{i});
    return out;
}

TEST(Nested, ArraysInsideArraysGoBothWays) {
    World w{std::string(formats::library_text("resp.treaty"))};
    wire::Codec codec = w.codec();
    wire::Encoder encoder(codec);
    wire::MessageIndex nested = w.message("nested");
    std::mt19937_64 random(3);
    std::size_t deep = 0;
    for (int round = 0; round < 400; ++round) {
        Tree tree;
        std::size_t n = random() % 5;
        for (std::size_t i = 0; i < n; ++i) tree.element(random, 5);
        std::string bytes = fmt::format("*{}\r\n{}", n, tree.bytes);
        deep += tree.marks.size() > 10 ? 1 : 0;
        std::vector<expr::Value> values{static_cast<std::int64_t>(n), list_of<std::int64_t>(tree.marks),
                                        list_of<std::int64_t>(tree.numbers), list_of<std::string>(tree.words),
                                        list_of<expr::Bytes>(tree.texts)};
        wire::Decoder decoder(codec);
        decoder.expect(std::array{nested});
        decoder.feed(bytes);
        decoder.finish();
        wire::Decoded message;
        ASSERT_EQ(decoder.next(message), wire::DecodeStatus::message)
            << expr::quote(bytes) << decoder.fault().reason;
        EXPECT_EQ(message.end, bytes.size());
        EXPECT_EQ(decoder.values(message), values) << expr::quote(bytes);
        std::string again;
        auto fault = encoder.encode(nested, values, again);
        ASSERT_FALSE(fault) << fault->reason;
        EXPECT_EQ(again, bytes);
    }
    EXPECT_GT(deep, 50u);
}

// --- faults

constexpr std::uint64_t anywhere = ~std::uint64_t{0};

struct Bad {
    const char* what;
    std::string wire, bytes;
    std::uint64_t offset;
};

TEST(Faults, PointAtTheFirstByteThatDoesNotFit) {
    std::string resp(formats::library_text("resp.treaty")), mqtt(formats::library_text("mqtt.treaty")),
        frames(formats::library_text("websocket.treaty")), smtp(formats::library_text("smtp.treaty")),
        http(formats::library_text("http.treaty")), json(formats::library_text("json_lines.treaty"));
    std::string sums =
        "message m(k: int in 0..255, p: bytes)\nwire W over stream { m(k, p) = { c: 16 = crc16(b)\n b: part "
        "{ k: 8 "
        "n: 8 = size(p) p: bytes n } e: bytes 4 = 0x\"0102\" as hex } }\n";
    std::string good("\x00\x00\x07\x02xy0102", 10), deep = "*1\r\n";
    for (int i = 0; i < 101; ++i) deep += "*1\r\n";
    std::string escapes =
        "message a(t: string)\nwire W over lines \"\\n\" escapes \"\\\\\" as \"\\\\\\\\\", \"\\n\" as "
        "\"\\\\n\" { a(t) = "
        "\"A\" t:/[ -~\\n\\\\]*/ }\n";
    std::vector<Bad> all = {
        {"a truncated number", resp, ":12", 3},
        {"a truncated array", resp, "*2\r\n$1\r\na\r\n", 11},
        {"not a digit", resp, ":1x\r\n", 2},
        {"a length over the limit", resp, "$99999999999\r\n", 14},
        {"more elements than may be", resp, "*9999999\r\n", 10},
        {"arrays too deep", resp, deep + ":1\r\n", 400},
        {"not an element", resp, "*1\r\n(1\r\n", 4},
        {"a text that is longer than declared", resp, "$1\r\nab\r\n", 5},
        {"a packet that ends too early", mqtt, std::string("\x40\x02\x00", 3), 3},
        {"a length that goes on", mqtt, std::string("\x30\xff\xff\xff\xff\x01", 6), 4},
        {"a block with bytes left over", mqtt, std::string("\x40\x03\x00\x01\x00", 5), 4},
        {"a topic longer than its packet", mqtt, std::string("\x30\x03\x00\x09\x61", 5), 5},
        {"reserved bits", frames, std::string("\xf1\x00", 2), 0},
        {"a length in more bytes than it needs", frames, std::string("\x82\x7e\x00\x01\x61", 5), 1},
        {"a line that is not ended", smtp, "QUIT", 4},
        {"a dot that is not doubled", smtp, ".x\r\n", 1},
        {"two lengths", http, "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", anywhere},
        {"a member that is not there", json,
         "{\"message\":\"metric\",\"time\":1,\"name\":\"a\",\"valu\":2}\n", 0},
        {"a number with a letter", json, "{\"message\":\"metric\",\"time\":1x}\n", 28},
        {"a document that is not ended", json, "{\"message\":", 11},
        {"a wrong checksum", sums, good, 0},
        {"not an escape", escapes, "Aab\\x\n", 3},
    };
    for (const Bad& bad : all) {
        World w(bad.wire);
        std::string_view name = bad.wire == frames ? "Frames" : "";
        wire::Codec codec = w.codec(name);
        wire::Decoder decoder(codec);
        decoder.feed(bad.bytes);
        decoder.finish();
        wire::Decoded message;
        ASSERT_EQ(decoder.next(message), wire::DecodeStatus::fault) << bad.what;
        EXPECT_FALSE(decoder.fault().reason.empty());
        EXPECT_LE(decoder.fault().offset, bad.bytes.size()) << bad.what;
        if (bad.offset == anywhere) continue;
        EXPECT_EQ(decoder.fault().offset, bad.offset) << bad.what << ": " << decoder.fault().reason;
    }
}

}  // namespace
}  // namespace treaty
