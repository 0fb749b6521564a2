// Random wires with conditions, parts under `if`, texts side by side and overlapping layouts: every message
// that is made is written and read back as it was, whatever the cut into chunks; and bytes are the message
// that a plain reading of docs/wires.md gives, layout by layout.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "expr/evaluate.h"
#include "expr/print.h"
#include "solve/narrow.h"
#include "wire/codec.h"
#include "wire/sampler.h"
#include "wire_world.h"

namespace treaty {
namespace {

std::uint64_t scaled(std::uint64_t n) {
    const char* text = std::getenv("TREATY_TEST_SCALE");
    double scale = text ? std::strtod(text, nullptr) : 1;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(n) * scale));
}

template <std::size_t N>
const char* one_of(Random& random, const std::array<const char*, N>& all) {
    return all[below(random, N)];
}

struct World : WireWorld {
    std::vector<wire::MessageRules> rules;

    explicit World(const std::string& text) : WireWorld(text), rules(wire::message_rules(*read)) {}
    model::Specification& s() { return *read; }
};

// What a declaration and its layout are written from.
struct Draft {
    std::vector<std::string> fields, conjuncts;
    std::string layout;
    int names = 0;

    std::string field(const std::string& type) {
        std::string name = fmt::format("f{}", fields.size());
        fields.push_back(fmt::format("{}: {}", name, type));
        return name;
    }
    std::string name() { return fmt::format("w{}", names++); }
    std::string where(Random& random) const {
        std::string text;
        std::size_t n = conjuncts.empty() ? 0 : below(random, 3);
        for (std::size_t i = 0; i < n; ++i)
            text += (i == 0 ? " where " : " and ") + conjuncts[below(random, conjuncts.size())];
        return text;
    }
    std::string declaration(const std::string& message, Random& random) const {
        return fmt::format("message {}({}){}\n", message, fmt::join(fields, ", "), where(random));
    }
    std::string arguments() const {
        std::string text;
        for (std::size_t i = 0; i < fields.size(); ++i) text += fmt::format("{}f{}", i > 0 ? ", " : "", i);
        return text;
    }
};

Draft some_line(Random& random) {
    constexpr std::array texts{"/[a-c]+/", "/[ab]?/", "/[^,]+/", "/[A-Za-z]+/", "/[a-z]{0,3}/", "/(x|xy)/"};
    constexpr std::array others{"\"A \"", "\" \"", "\",\"", "/[ \\t]+/", "\"a\""};
    Draft d;
    std::size_t parts = 1 + below(random, 5);
    for (std::size_t i = 0; i < parts; ++i) {
        d.layout += ' ';
        if (below(random, 4) == 0) {
            d.layout += one_of(random, others);
        } else if (below(random, 3) == 0) {
            std::string f = d.field("int in 0..99");
            d.layout += f + (below(random, 2) == 0 ? ":/[0-9]+/" : ":/[0-9][0-9]/");
            d.conjuncts.push_back(fmt::format("{} < {}", f, 1 + below(random, 60)));
            d.conjuncts.push_back(fmt::format("{} mod 2 == {}", f, below(random, 2)));
            d.conjuncts.push_back(fmt::format("40 / {} != 3", f));
        } else {
            std::string f = d.field("string");
            d.layout += f + ":" + one_of(random, texts);
            d.conjuncts.push_back(fmt::format("size({}) <= {}", f, 2 + below(random, 4)));
            d.conjuncts.push_back(fmt::format("not contains({}, \"b\")", f));
        }
    }
    if (d.fields.empty()) d.layout += " " + d.field("string") + ":/[a-c]+/";
    return d;
}

void some_items(Random& random, Draft& d, int depth, int indent) {
    std::string pad(static_cast<std::size_t>(indent), ' ');
    auto add = [&](const std::string& item) { d.layout += pad + item + "\n"; };
    std::size_t n = 1 + below(random, 3);
    for (std::size_t i = 0; i < n; ++i) switch (below(random, depth > 0 ? 9 : 7)) {
            case 0: {
                std::string f = d.field("int in 0..255");
                add(f + ": 8");
                d.conjuncts.push_back(fmt::format("{} > {}", f, below(random, 100)));
                d.conjuncts.push_back(fmt::format("{} mod 3 != 1", f));
                break;
            }
            case 1: add(d.field("int in 0..16383") + ": varint 2"); break;
            case 2: add(d.field("string") + ": line \"\\n\""); break;
            case 3: {
                std::string w = d.name(), f = d.field("bytes");
                add(fmt::format("{}: 8 = size({})", w, f));
                add(fmt::format("{}: bytes {}", f, w));
                d.conjuncts.push_back(fmt::format("size({}) < {}", f, 1 + below(random, 5)));
                break;
            }
            case 4: {
                std::string w = d.name(), f = d.field("bytes");
                add(fmt::format("{}: 8 = (size({}) + 2) / 3 * 4", w, f));
                add(fmt::format("{}: bytes {} as base64", f, w));
                break;
            }
            case 5: {
                std::string w = d.name(), xs = d.field("list<int in 0..255>"),
                            ys = d.field("list<int in 0..65535>");
                add(fmt::format("{}: 8 = size({})", w, xs));
                add(fmt::format("repeat {} {{", w));
                add(fmt::format("  {}: 8", xs));
                add(fmt::format("  {}: 16{}", ys, below(random, 2) == 0 ? " little" : ""));
                add("}");
                d.conjuncts.push_back(fmt::format("size({}) < 3", ys));
                break;
            }
            case 6: add("\"A\""); break;
            case 7: {
                std::string f = d.field("int in 0..255");
                add(f + ": 8");
                add(fmt::format("if {} {} {} {{", f, one_of(random, std::array{"==", "!=", "<"}),
                                1 + below(random, 4)));
                some_items(random, d, depth - 1, indent + 2);
                add("}");
                break;
            }
            default:
                add("block 16 {");
                some_items(random, d, depth - 1, indent + 2);
                add("}");
        }
}

// Messages without layouts: the parts of an http message, or the members of an object.
std::string some_wire_without_layouts(Random& random) {
    bool http = below(random, 2) == 0;
    std::string text;
    std::size_t count = 2 + below(random, 3);
    for (std::size_t m = 0; m < count; ++m) {
        bool request = below(random, 3) == 0;
        std::string where;
        auto add = [&](const std::string& c) { where += (where.empty() ? " where " : " and ") + c; };
        std::string fields = "status: int in 100..599, body: string";
        if (http && request) {
            fields = "method: string, target: string, body: string";
            if (below(random, 2) == 0)
                add(fmt::format("target == \"/{}\"", one_of(random, std::array{"a", "b"})));
            if (below(random, 2) == 0) add("method == \"POST\"");
        } else if (below(random, 4) > 0) {
            add(fmt::format("status {} {}", one_of(random, std::array{"==", "<", ">=", "!="}),
                            one_of(random, std::array{"200", "404", "409", "500"})));
        }
        if (below(random, 3) == 0) add("body matches /[a-c]*/");
        if (below(random, 4) == 0) add("100 / size(body) > 20");
        text += fmt::format("message m{}({}){}\n", m, fields, where);
    }
    return text + (http ? "wire W over http {}\n" : "wire W over json {}\n");
}

// A JSON value with fields of its own, at most so deep.
std::string some_json(Random& random, Draft& d, int depth) {
    constexpr std::array types{"int in -99..99", "string", "bool", "Colour", "Point",      "list<int>",
                               "bytes",          "real",   "int",  "int",    "list<Point>"};
    switch (below(random, depth > 0 ? 10 : 5)) {
        case 0: return one_of(random, std::array{"1", "\"a\"", "true", "null", "-7", "2.5"});
        case 1: return d.field("bytes") + " as base64";
        case 2:
        case 3:
        case 4: {
            std::string f = d.field(one_of(random, types));
            if (d.fields.back().ends_with("-99..99")) d.conjuncts.push_back(f + " mod 2 == 0");
            return f;
        }
        case 5: {
            std::string f = d.field("list<Point>");
            return fmt::format("[{{ \"x\": p.x, \"why\": \"{}\", \"y\": p.y }} for p in {}]",
                               below(random, 3), f);
        }
        case 6: {
            std::string f = d.field("Point");
            return fmt::format("[{0}.y, {{ \"deep\": {0}.x }}]", f);
        }
        default: {
            std::string members;
            std::size_t n = below(random, 4);
            for (std::size_t i = 0; i < n; ++i) {
                bool absent = below(random, 4) == 0;
                members +=
                    fmt::format("{}{}\"k{}\": ", members.empty() ? " " : ", ", absent ? "optional " : "", i);
                members += absent ? d.field(one_of(random, std::array{"optional<int>", "optional<string>"}))
                                  : some_json(random, d, depth - 1);
            }
            if (below(random, 3) == 0) members += members.empty() ? " ..." : ", ...";
            return fmt::format("{{{} }}", members);
        }
    }
}

std::string some_http(Random& random, Draft& d) {
    std::string text;
    constexpr std::array types{"int", "string", "bool", "Colour", "bytes"};
    constexpr std::array absent{"optional<int>", "optional<string>", "Colour", "string"};
    if (below(random, 2) == 0) {
        std::string target = one_of(random, std::array{"/a", "/b"});
        std::size_t n = below(random, 3);
        for (std::size_t i = 0; i < n; ++i)
            target += fmt::format("/{}{{{}}}", one_of(random, std::array{"", "x-", "items/"}),
                                  d.field(one_of(random, types)));
        for (std::size_t i = 0, m = below(random, 3); i < m; ++i)
            target += fmt::format("{}q{}={{{}}}", i == 0 ? "?" : "&", i,
                                  d.field(below(random, 3) == 0 ? "list<string>" : one_of(random, absent)));
        text = fmt::format(" {} \"{}\"", one_of(random, std::array{"GET", "POST", "DELETE"}), target);
    } else {
        text = " " + std::string(one_of(random, std::array{"200", "201", "2xx", "400..499"}));
        if (below(random, 3) == 0) text = " " + d.field("int") + ": 4xx";
    }
    if (below(random, 3) == 0)
        text += fmt::format(" header \"X-Id\" = {}",
                            d.field(one_of(random, std::array{"string", "optional<string>", "int"})));
    if (below(random, 4) == 0)
        text += fmt::format(" header \"Authorization\" = \"Bearer {{{}}}\"", d.field("string"));
    switch (below(random, 6)) {
        case 0: return text;
        case 1: return text + " ...";
        case 2:
            return text + fmt::format(" form {{ \"a\": {}, \"b\": \"c\" }}", d.field(one_of(random, absent)));
        case 3: return text + " text " + d.field("string");
        case 4: return text + " bytes " + d.field("bytes");
        default: return text + " json " + some_json(random, d, 3);
    }
}

std::string some_wire_of_documents(Random& random) {
    std::string declarations = "enum Colour { red, green }\nrecord Point { x: int, y: optional<string> }\n";
    std::size_t framing = below(random, 3), count = 1 + below(random, 3);
    std::string wire =
        fmt::format("wire W over {} {{\n", std::array{"http", "json", "lines \"\\r\\n\""}[framing]);
    for (std::size_t m = 0; m < count; ++m) {
        Draft d;
        d.layout = framing == 0 ? some_http(random, d)
                                : fmt::format(" json {{ \"type\": {}, \"v\": {} }}", below(random, 3),
                                              some_json(random, d, 3));
        std::string name = fmt::format("m{}", m);
        wire += d.fields.empty() ? fmt::format("  {} ={}\n", name, d.layout)
                                 : fmt::format("  {}({}) ={}\n", name, d.arguments(), d.layout);
        declarations += d.fields.empty() ? fmt::format("message {}\n", name) : d.declaration(name, random);
    }
    return declarations + wire + "}\n";
}

std::string some_wire(Random& random) {
    if (below(random, 4) == 0) return some_wire_without_layouts(random);
    if (below(random, 3) == 0) return some_wire_of_documents(random);
    bool lines = below(random, 2) == 0;
    std::size_t count = 1 + below(random, 3);
    std::string declarations, wire = lines ? "wire W over lines \"\\r\\n\" {\n" : "wire W over stream {\n";
    for (std::size_t m = 0; m < count; ++m) {
        std::string name = fmt::format("m{}", m);
        Draft d;
        if (lines) {
            d = some_line(random);
            wire += fmt::format("  {}({}) ={}\n", name, d.arguments(), d.layout);
        } else {
            d.layout = fmt::format("    {}: 8\n", below(random, 3));  // sometimes the same for two messages
            some_items(random, d, 2, 4);
            wire += fmt::format("  {}({}) = {{\n{}  }}\n", name, d.arguments(), d.layout);
        }
        declarations += d.declaration(name, random);
    }
    return declarations + wire + "}\n";
}

struct Read {
    wire::DecodeStatus status = wire::DecodeStatus::more;
    wire::MessageIndex message = 0;
    std::uint64_t end = 0;
    bool holds = true;
    std::vector<expr::Value> values;
};

// The first message of these bytes, in pieces.
Read first_of(const wire::Codec& codec, std::string_view bytes, std::span<const wire::MessageIndex> expected,
              Random* random) {
    wire::Decoder decoder(codec);
    decoder.expect(expected);
    wire::Decoded out;
    Read read;
    auto next = [&] {
        read.status = decoder.next(out);
        if (read.status == wire::DecodeStatus::message) read.values = decoder.values(out);
    };
    for (std::size_t at = 0; random && at < bytes.size() && read.status == wire::DecodeStatus::more;) {
        // A copy that dies with the piece: whatever the decoder keeps must be its own.
        std::string piece(bytes.substr(at, 1 + below(*random, std::min<std::size_t>(bytes.size() - at, 4))));
        at += piece.size();
        decoder.feed(piece);
        next();
    }
    if (read.status == wire::DecodeStatus::more) {
        if (!random) decoder.feed(bytes);
        decoder.finish();
        next();
    }
    read.message = out.message;
    read.end = out.end;
    read.holds = out.condition_holds;
    return read;
}

class RandomWire {
public:
    RandomWire(std::uint64_t seed)
        : random_(seed),
          text_(some_wire(random_)),
          world_(text_),
          codec_(*world_.s().pool, world_.s().wires[0], world_.shapes) {}

    const std::string& text() const { return text_; }

    bool satisfied(wire::MessageIndex m, const std::vector<expr::Value>& values) {
        const model::Message& message = world_.s().messages[m];
        expr::Environment env;
        for (std::size_t f = 0; f < values.size(); ++f) env.set(message.variables[f], values[f]);
        return !message.where || expr::satisfied(*world_.s().pool, message.where, env);
    }

    void every_message_comes_back(std::size_t& made, std::size_t& undecided) {
        for (wire::MessageIndex m = 0; m < world_.rules.size(); ++m) {
            wire::Sampler sampler(*world_.s().pool, world_.rules[m], &codec_);
            for (std::uint64_t n = 0; n < 6; ++n) {
                wire::Made one = sampler.valid(7, n);
                if (one.found == solve::Found::no) break;  // the conditions contradict each other
                if (one.found == solve::Found::unknown) {
                    ++undecided;
                    break;
                }
                ++made;
                ASSERT_EQ(one.no_bytes, "") << text_;
                ASSERT_TRUE(satisfied(m, one.values)) << text_;
                Read back = first_of(codec_, one.bytes, std::array{m}, &random_);
                ASSERT_EQ(back.status, wire::DecodeStatus::message) << text_ << expr::quote(one.bytes);
                ASSERT_EQ(back.values, one.values) << text_ << expr::quote(one.bytes);
                // A line break after a document is not part of it.
                bool json = codec_.wire().framing == wire::Framing::json;
                ASSERT_EQ(back.end + (json ? 1 : 0), one.bytes.size()) << text_ << expr::quote(one.bytes);
                ASSERT_TRUE(back.holds) << text_;
                samples_.push_back(std::move(one.bytes));
            }
        }
    }

    // The first message whose layout fits and whose condition holds; else the first whose layout fits.
    void bytes_are_the_message_that_conditions_choose(std::size_t& chosen, std::size_t& broken) {
        std::vector<std::string> all = samples_;
        for (std::string bytes : samples_) {
            for (std::size_t k = 0; k < 2 && !bytes.empty(); ++k)
                bytes[below(random_, bytes.size())] =
                    one_of(random_, std::array{"a", "b", "1", "0", "\x01"})[0];
            all.push_back(std::move(bytes));
        }
        for (const std::string& bytes : all) {
            std::optional<Read> wanted;
            for (wire::MessageIndex m = 0; m < world_.rules.size(); ++m) {  // layouts are in the same order
                Read read = first_of(codec_, bytes, std::array{m}, nullptr);
                if (read.status != wire::DecodeStatus::message) continue;
                bool holds = satisfied(m, read.values);
                EXPECT_EQ(read.holds, holds) << text_ << expr::quote(bytes);
                if (!wanted || (holds && !wanted->holds)) wanted = read;
                if (holds) break;
            }
            Read got = first_of(codec_, bytes, {}, nullptr);
            ASSERT_EQ(got.status == wire::DecodeStatus::message, wanted.has_value())
                << text_ << expr::quote(bytes);
            if (!wanted) continue;
            ASSERT_EQ(got.message, wanted->message) << text_ << expr::quote(bytes);
            ASSERT_EQ(got.values, wanted->values) << text_ << expr::quote(bytes);
            ASSERT_EQ(got.holds, wanted->holds) << text_ << expr::quote(bytes);
            ++(got.holds ? chosen : broken);
            Read pieces = first_of(codec_, bytes, {}, &random_);
            ASSERT_EQ(pieces.message, got.message) << text_ << expr::quote(bytes);
            ASSERT_EQ(pieces.values, got.values) << text_ << expr::quote(bytes);
        }
    }

private:
    Random random_;
    std::string text_;
    World world_;
    wire::Codec codec_;
    std::vector<std::string> samples_;
};

TEST(RandomWires, WhatIsMadeIsWrittenAndReadBack) {
    std::size_t made = 0, undecided = 0, chosen = 0, broken = 0;
    for (std::uint64_t seed = 1; seed <= scaled(300); ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        RandomWire wire(seed);
        wire.every_message_comes_back(made, undecided);
        if (HasFatalFailure()) return;
        wire.bytes_are_the_message_that_conditions_choose(chosen, broken);
        if (HasFailure()) return;
    }
    EXPECT_GT(made, scaled(1500));
    EXPECT_LT(undecided * 50, made) << undecided << " of " << made;  // few are given up
    EXPECT_GT(chosen, scaled(1000));
    EXPECT_GT(broken, scaled(20));
}

// What is expected is preferred, then what may come at all and is right; what is expected and wrong comes
// last.
TEST(Expectations, AConditionIsWorthMoreThanAnExpectation) {
    World w(
        "message low(n: int in 0..99) where n < 5\nmessage high(n: int in 0..99) where n >= 50\nmessage "
        "other(s: string)\n"
        "wire W over lines \"\\n\" {\n  low(n) = \"n\" n:/[0-9]+/\n  high(n) = \"n\" n:/[0-9]+/\n  other(s) "
        "= s:/[a-m]+/\n}\n");
    wire::Codec codec(*w.s().pool, w.s().wires[0], w.shapes);
    constexpr wire::MessageIndex low = 0, high = 1, other = 2;
    struct Case {
        const char* line;
        std::vector<wire::MessageIndex> expected, otherwise;
        std::optional<wire::MessageIndex> read;
        bool holds;
    };
    const std::vector<Case> cases{
        {"n70\n", {low}, {low, high}, high, true},    // a legal one that was not expected
        {"n70\n", {low}, {}, low, false},             // nothing else may come
        {"n20\n", {high}, {low, high}, high, false},  // neither is right: the expected one
        {"n20\n", {other}, {low, high}, low, false},  // the expected one does not fit at all
        {"n3\n", {other}, {low, high}, low, true},
        {"abc\n", {other}, {low, high}, other, true},
        {"n70\n", {other}, {other}, std::nullopt, true},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.line);
        wire::Decoder decoder(codec);
        decoder.expect(c.expected, c.otherwise);
        decoder.feed(c.line);
        wire::Decoded out;
        wire::DecodeStatus status = decoder.next(out);
        ASSERT_EQ(status == wire::DecodeStatus::message, c.read.has_value());
        if (!c.read) continue;
        EXPECT_EQ(out.message, *c.read);
        EXPECT_EQ(out.condition_holds, c.holds);
    }
}

// --- which values break exactly one constraint

std::string some_condition(Random& random) {
    constexpr std::array atoms{"x",     "y",        "1",        "2",         "0",
                               "x + y", "1 / x",    "y / x",    "x mod y",   "zs[0]",
                               "zs[1]", "size(zs)", "value(o)", "max(x, y)", "if x > 0 then 2 / y else 1"};
    constexpr std::array comparisons{"==", "!=", "<", "<=", ">", ">="};
    auto comparison = [&] {
        return fmt::format("({}) {} ({})", one_of(random, atoms), one_of(random, comparisons),
                           one_of(random, atoms));
    };
    switch (below(random, 6)) {
        case 0: return fmt::format("({} or {})", comparison(), comparison());
        case 1: return fmt::format("not ({})", comparison());
        case 2: return fmt::format("({} implies {})", comparison(), comparison());
        case 3: return std::string("(has(o) or y > 0)");
        default: return comparison();
    }
}

// All values of the message's fields, which are few.
std::vector<std::vector<expr::Value>> all_values() {
    std::vector<expr::Value> lists{expr::Sequence{}};
    for (std::int64_t a : {0, 1}) {
        lists.emplace_back(expr::Sequence{{expr::Value(a)}});
        for (std::int64_t b : {0, 1}) lists.emplace_back(expr::Sequence{{expr::Value(a), expr::Value(b)}});
    }
    std::vector<expr::Value> optionals{expr::Sequence{}};
    for (std::int64_t a : {0, 1}) optionals.emplace_back(expr::Sequence{{expr::Value(a)}});
    std::vector<std::vector<expr::Value>> all;
    for (std::int64_t x = -1; x <= 2; ++x)
        for (std::int64_t y = -1; y <= 1; ++y)
            for (const expr::Value& zs : lists)
                for (const expr::Value& o : optionals) all.push_back({x, y, zs, o});
    return all;
}

// A constraint can be broken alone exactly if some values break it and nothing else. A condition without a
// value does not hold.
TEST(RandomConditions, InvalidFindsWhatPlainEnumerationFinds) {
    std::size_t breakable = 0, not_breakable = 0, without_value = 0;
    for (std::uint64_t seed = 1; seed <= scaled(250); ++seed) {
        Random random(seed);
        std::vector<std::string> parts{"size(zs) <= 2"};
        for (std::size_t n = 1 + below(random, 3); n > 0; --n) parts.push_back(some_condition(random));
        std::string text = fmt::format(
            "message m(x: int in -1..2, y: int in -1..1, zs: list<int in 0..1>, o: optional<int in 0..1>) "
            "where {}\n",
            fmt::join(parts, " and "));
        SCOPED_TRACE(fmt::format("seed {}: {}", seed, text));
        World w(text);
        const model::Message& m = w.s().messages[0];
        expr::Pool& pool = *w.s().pool;
        wire::Sampler sampler(pool, w.rules[0], nullptr);
        std::vector<std::string> names = sampler.constraints();
        // The constraint of that name, over the message's own variables.
        std::vector<expr::ExprId> conjuncts = solve::conjuncts_of(pool, m.where);
        for (expr::ExprId broken : conjuncts) {
            auto name = std::find(names.begin(), names.end(), expr::print(pool, broken));
            ASSERT_NE(name, names.end()) << expr::print(pool, broken);
            bool possible = false;
            for (const auto& values : all_values()) {
                expr::Environment env;
                for (std::size_t f = 0; f < values.size(); ++f) env.set(m.variables[f], values[f]);
                bool alone = true;
                for (expr::ExprId c : conjuncts)
                    alone = alone && expr::satisfied(pool, c, env) == (c != broken);
                expr::Fault fault;
                if (alone) expr::satisfied(pool, broken, env, &fault);
                without_value += alone && !fault.reason.empty();
                possible = possible || alone;
            }
            // Longer lists, and numbers outside their ranges, are not among these values.
            static const std::array outside{"size(zs) <= 2", "x >= -1", "x <= 2", "y >= -1", "y <= 1"};
            bool small = std::find(outside.begin(), outside.end(), *name) == outside.end();
            wire::Made made = sampler.invalid(static_cast<std::size_t>(name - names.begin()), seed);
            if (small) {
                EXPECT_EQ(made.found == solve::Found::yes, possible) << *name << " " << made.reason;
            }
            ++(made.found == solve::Found::yes ? breakable : not_breakable);
            if (made.found != solve::Found::yes) continue;
            expr::Environment env;
            for (std::size_t f = 0; f < made.values.size(); ++f) env.set(m.variables[f], made.values[f]);
            for (expr::ExprId c : conjuncts)
                EXPECT_EQ(expr::satisfied(pool, c, env), c != broken) << expr::print(pool, c);
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(breakable, scaled(200));
    EXPECT_GT(not_breakable, scaled(50));
    EXPECT_GT(without_value, scaled(500));
}

}  // namespace
}  // namespace treaty
