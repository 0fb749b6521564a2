// Operators on parts against the plainest code that says the same, on random values.
#include "expr/parts.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/has_value.h"
#include "expr/testing/parts_reference.h"
#include "expr/testing/random_expressions.h"

namespace treaty::expr {
namespace {

using Int = std::int64_t;

class Parts : public ::testing::Test {
protected:
    SmallWorld w;
    std::mt19937_64 random{property_seed()};

    std::size_t below(std::size_t n) { return random() % n; }
    std::string text() {
        std::string out;
        for (std::size_t n = below(9); n > 0; --n) out += "ab,"[below(3)];
        return out;
    }
    Int small() { return static_cast<Int>(below(12)) - 2; }
    Value row() {
        Sequence out;
        for (std::size_t n = below(7); n > 0; --n) out.items.push_back(static_cast<Int>(below(4)));
        return out;
    }
    // A list, a string or bytes.
    std::pair<Value, TypeId> any() {
        switch (below(3)) {
            case 0: return {text(), w.string};
            case 1: return {Bytes{text()}, w.bytes};
            default: return {row(), w.list};
        }
    }

    // Evaluation says what the reference says, and has_value() knows where there is a value.
    void expect(Op op, TypeId type, std::vector<std::pair<Value, TypeId>> operands,
                const PartsReference::Maybe& wanted) {
        std::vector<ExprId> children;
        Environment values;
        std::string shown(about(op).name);
        for (auto& [value, of] : operands) {
            VarId v = w.pool->declare(w.name("x"), of);
            children.push_back(w.pool->var(v));
            values.set(v, value);
            shown += " " + print(value, of, *w.types, *w.names);
        }
        ExprId e = w.make(op, type, children);
        Result got = evaluate(*w.pool, e, values);
        auto* value = std::get_if<Value>(&got);
        EXPECT_EQ(value != nullptr, wanted.has_value()) << shown << ", seed " << property_seed();
        if (value && wanted) {
            EXPECT_EQ(print(*value, type, *w.types, *w.names), print(*wanted, type, *w.types, *w.names))
                << shown << ", seed " << property_seed();
        }
        EXPECT_EQ(satisfied(*w.pool, has_value(*w.pool, e), values), wanted.has_value()) << shown;
    }
};

TEST_F(Parts, PositionsAndCounts) {
    for (int i = 0; i < 4000; ++i) {
        auto [v, type] = any();
        Int a = small(), b = small();
        std::pair<Value, TypeId> n{a, w.integer}, m{b, w.integer};
        expect(Op::slice, type, {{v, type}, n, m}, PartsReference::slice(v, a, b));
        expect(Op::take, type, {{v, type}, n}, PartsReference::take(v, a));
        expect(Op::drop, type, {{v, type}, n}, PartsReference::drop(v, a));
        expect(Op::repeated, type, {{v, type}, n}, PartsReference::repeated(v, a));
        expect(Op::reverse, type, {{v, type}}, PartsReference::reverse(v));
        Value list = row();
        expect(Op::with_item, w.list, {{list, w.list}, n, m}, PartsReference::with_item(list, a, b));
    }
}

TEST_F(Parts, Places) {
    for (int i = 0; i < 4000; ++i) {
        std::string whole = text(), part = text().substr(0, below(3));
        Value list = row();
        Int x = small();
        expect(Op::index_of, w.maybe, {{whole, w.string}, {part, w.string}},
               PartsReference::index_of(whole, part));
        expect(Op::index_of, w.maybe, {{list, w.list}, {x, w.integer}}, PartsReference::index_of(list, x));
        std::vector<Value> items = list.items();
        std::sort(items.begin(), items.end());
        expect(Op::least, w.integer, {{list, w.list}},
               items.empty() ? PartsReference::Maybe() : PartsReference::Maybe(items.front()));
        expect(Op::greatest, w.integer, {{list, w.list}},
               items.empty() ? PartsReference::Maybe() : PartsReference::Maybe(items.back()));
    }
}

TEST_F(Parts, Texts) {
    TypeId texts = w.types->list(w.string);
    for (int i = 0; i < 4000; ++i) {
        std::string whole = text(), part = text().substr(0, below(3)), fresh = text().substr(0, below(3));
        auto pieces = PartsReference::pieces(whole, part.empty() ? "?" : part);
        Sequence list;
        for (const std::string& p : pieces) list.items.push_back(p);
        bool fine = !part.empty();
        expect(Op::split, texts, {{whole, w.string}, {part, w.string}},
               fine ? PartsReference::Maybe(list) : PartsReference::Maybe());
        expect(Op::join, w.string, {{list, texts}, {fresh, w.string}},
               Value(PartsReference::joined(pieces, fresh)));
        expect(Op::replace, w.string, {{whole, w.string}, {part, w.string}, {fresh, w.string}},
               fine ? PartsReference::Maybe(PartsReference::joined(pieces, fresh)) : PartsReference::Maybe());
    }
}

TEST_F(Parts, Numbers) {
    const char* ends[] = {"9223372036854775807",
                          "9223372036854775808",
                          "-9223372036854775808",
                          "-9223372036854775809",
                          "7fffffffffffffff",
                          "8000000000000000",
                          "-8000000000000000",
                          "-8000000000000001",
                          "0009223372036854775807",
                          "99999999999999999999",
                          "-0",
                          "-",
                          "",
                          "+1",
                          " 1",
                          "1 ",
                          "0x1",
                          "00",
                          "-00",
                          "FF",
                          "fF"};
    auto both = [&](const std::string& s) {
        expect(Op::to_int, w.integer, {{s, w.string}}, PartsReference::number(s, 10));
        expect(Op::from_hex, w.integer, {{s, w.string}}, PartsReference::number(s, 16));
    };
    for (const char* s : ends) both(s);
    for (int i = 0; i < 4000; ++i) {
        std::string s = below(3) == 0 ? "-" : "";
        for (std::size_t n = below(22); n > 0; --n) s += "0123456789999afA-"[below(below(4) == 0 ? 17 : 13)];
        both(s);
        Int n = static_cast<Int>(random()) >> below(64);
        std::string hex =
            n < 0 ? fmt::format("-{:x}", static_cast<std::uint64_t>(-static_cast<PartsReference::Wide>(n)))
                  : fmt::format("{:x}", n);
        expect(Op::to_hex, w.string, {{n, w.integer}}, Value(hex));
        both(hex);
    }
}

// Much work is refused, not done.
TEST_F(Parts, WorkIsBounded) {
    ExprId text = w.pool->literal(std::string(1000, 'a'), w.string);
    ExprId e = w.make(Op::repeated, w.string, {text, w.pool->integer(INT64_MAX)});
    EXPECT_TRUE(std::holds_alternative<Fault>(evaluate(*w.pool, e, {})));
    std::string ugly(200'000, 'a');
    ExprId many =
        w.make(Op::split, w.types->list(w.string),
               {w.pool->literal(ugly, w.string), w.pool->literal(ugly.substr(0, 50'000) + "b", w.string)});
    Result got = evaluate(*w.pool, many, {});
    ASSERT_TRUE(std::holds_alternative<Value>(got));
    EXPECT_EQ(std::get<Value>(got).items().size(), 1u);
}

}  // namespace
}  // namespace treaty::expr
