#include "solve/generate.h"

#include <gtest/gtest.h>

#include <set>

#include "expr/print.h"
#include "expr/testing/random_expressions.h"
#include "solve/narrow.h"
#include "solve/shrink.h"

namespace treaty::solve {
namespace {

using expr::EnumMember;
using expr::Environment;
using expr::ExprId;
using expr::Op;
using expr::Pool;
using expr::RandomExpressions;
using expr::Sequence;
using expr::SmallWorld;
using expr::Type;
using expr::TypeId;
using expr::TypeKind;
using expr::Types;
using expr::Value;
using expr::VarId;

using Int = std::int64_t;

// All small values of a type: what brute force looks at.
std::vector<Value> small_values(const SmallWorld& w, TypeId type) {
    std::vector<Value> out;
    switch (w.types->kind(type)) {
        case TypeKind::boolean: return {false, true};
        case TypeKind::integer: {
            const Type& t = (*w.types)[type];
            for (std::int64_t n = t.low.value_or(-3); n <= t.high.value_or(4); ++n) out.push_back(n);
            return out;
        }
        case TypeKind::enumeration: return {EnumMember{0}, EnumMember{1}, EnumMember{2}};
        case TypeKind::string: return {"", "a", "b", "A", "aa", "ab", "ba", "aba"};
        case TypeKind::list: {
            TypeId element = (*w.types)[type].element;
            out.push_back(Sequence{});
            for (const Value& a : small_values(w, element)) {
                out.push_back(Sequence{{a}});
                for (const Value& b : small_values(w, element)) out.push_back(Sequence{{a, b}});
            }
            return out;
        }
        case TypeKind::set:
            return {Sequence{}, Sequence{{Int{0}}}, Sequence{{Int{1}}}, Sequence{{Int{0}, Int{1}}}};
        case TypeKind::map:
            out.push_back(Sequence{});
            for (std::int64_t a : {0, 1}) {
                for (std::int64_t k : {0, 1}) out.push_back(Sequence{{Sequence{{k, a}}}});
                for (std::int64_t b : {0, 1})
                    out.push_back(Sequence{{Sequence{{Int{0}, a}}, Sequence{{Int{1}, b}}}});
            }
            return out;
        case TypeKind::optional:
            out.push_back(Sequence{});
            for (const Value& a : small_values(w, (*w.types)[type].element)) out.push_back(Sequence{{a}});
            return out;
        case TypeKind::record:
            for (const Value& a : small_values(w, (*w.types)[type].fields[0].type))
                for (bool b : {false, true}) out.push_back(Sequence{{a, b}});
            return out;
        default: return out;
    }
}

// An assignment of small values under which the condition holds, found by looking at all of them.
std::optional<Environment> brute_force(const SmallWorld& w, const std::vector<VarId>& variables,
                                       ExprId condition) {
    std::vector<std::vector<Value>> values;
    for (VarId v : variables) values.push_back(small_values(w, w.pool->variable(v).type));
    std::vector<std::size_t> at(variables.size(), 0);
    for (;;) {
        Environment env;
        for (std::size_t i = 0; i < variables.size(); ++i) env.set(variables[i], values[i][at[i]]);
        if (satisfied(*w.pool, condition, env)) return env;
        std::size_t i = variables.size();
        while (i > 0 && ++at[i - 1] == values[i - 1].size()) at[--i] = 0;
        if (i == 0) return std::nullopt;
    }
}

TEST(Generate, FailsOnlyWhereBruteForceFindsNothing) {
    std::uint64_t seed = expr::property_seed();
    SmallWorld w(true);
    RandomExpressions random(w, seed);
    random.extremes = false;
    random.reals = false;
    random.untyped = false;
    GenerateOptions options;
    Generator generator(*w.pool, options);
    int found = 0, impossible = 0, unknown = 0;
    for (int round = 0; round < 300; ++round) {
        ExprId condition = random.expression(w.boolean, 2);
        for (int k = 0; k < 2; ++k)
            condition = w.pool->logical_and(condition, random.expression(w.boolean, 2));
        std::vector<VarId> variables = w.pool->variables_of(condition);
        std::size_t combinations = 1;
        bool small = true;
        for (VarId v : variables) {
            TypeKind k = w.types->kind(w.pool->variable(v).type);
            small = small && k != TypeKind::real && k != TypeKind::bytes;
            if (small) combinations *= small_values(w, w.pool->variable(v).type).size();
            small = small && combinations < 20000;
        }
        if (!small) continue;
        Choices choices(seed + static_cast<std::uint64_t>(round));
        Generated g = generator.generate(variables, condition, {}, choices);
        auto expected = brute_force(w, variables, condition);
        std::string text = print(*w.pool, condition);
        if (g.found == Found::yes) {
            EXPECT_TRUE(satisfied(*w.pool, condition, g.values)) << text << " seed " << seed;
            for (VarId v : variables)
                EXPECT_TRUE(belongs(*g.values.get(v), w.pool->variable(v).type, *w.types))
                    << text << " seed " << seed;
            // The same choices give the same values.
            Choices again(std::span<const std::uint64_t>(choices.made()));
            Generated replayed = generator.generate(variables, condition, {}, again);
            EXPECT_EQ(replayed.found, Found::yes) << text;
            EXPECT_TRUE(replayed.values == g.values) << text << " seed " << seed;
            ++found;
        } else if (g.found == Found::no) {
            EXPECT_FALSE(expected) << text << " seed " << seed;
            ++impossible;
        } else {
            EXPECT_FALSE(expected) << text << ": " << g.reason << " seed " << seed;
            ++unknown;
        }
    }
    EXPECT_GT(found, 80);
    EXPECT_GT(impossible, 2);
    EXPECT_LT(unknown, impossible);
}

// All solutions in small values, together with what is known; nothing if there are too many to look at.
std::optional<std::vector<Environment>> all_solutions(const SmallWorld& w,
                                                      const std::vector<VarId>& variables, ExprId condition,
                                                      const Environment& known) {
    std::vector<Environment> begun{known};
    for (VarId v : variables) {
        std::vector<Environment> longer;
        for (const Environment& env : begun)
            for (const Value& value : small_values(w, w.pool->variable(v).type)) {
                longer.push_back(env);
                longer.back().set(v, value);
            }
        begun = std::move(longer);
        if (begun.size() > 3000) return std::nullopt;
    }
    std::erase_if(begun, [&](const Environment& env) { return !satisfied(*w.pool, condition, env); });
    return begun;
}

bool finite(const SmallWorld& w, TypeId type) {
    switch (w.types->kind(type)) {
        case TypeKind::boolean:
        case TypeKind::enumeration: return true;
        case TypeKind::integer: return (*w.types)[type].low && (*w.types)[type].high;
        case TypeKind::optional: return finite(w, (*w.types)[type].element);
        case TypeKind::record: return true;  // its only one
        default: return false;
    }
}

// As in a conversation: collections, records and numbers are known, some fields are open. Without the solver,
// what is found satisfies the condition, "no" is never wrong, and every solution of a few can come.
TEST(Generate, WhatIsKnownDecidesWithoutTheSolver) {
    std::uint64_t seed = expr::property_seed();
    SmallWorld w(true);
    RandomExpressions random(w, seed);
    random.extremes = false;
    random.reals = false;
    random.untyped = false;
    GenerateOptions options;
    options.solver = false;
    Generator generator(*w.pool, options);
    int found = 0, impossible = 0, missed = 0, possible = 0, reached = 0;
    for (std::uint64_t round = 0; round < 3000; ++round) {
        ExprId condition = random.expression(w.boolean, 3);
        for (int k = 0; k < 2; ++k)
            condition = w.pool->logical_and(condition, random.expression(w.boolean, 2));
        std::vector<VarId> variables;
        Environment known;
        for (VarId v : w.pool->variables_of(condition)) {
            TypeKind k = w.types->kind(w.pool->variable(v).type);
            bool state = k == TypeKind::map || k == TypeKind::set || k == TypeKind::list || random.chance(40);
            if (state) {
                std::vector<Value> some = small_values(w, w.pool->variable(v).type);
                known.set(v, some.empty() ? random.value(w.pool->variable(v).type)
                                          : some[random.below(some.size())]);
            } else {
                variables.push_back(v);
            }
        }
        bool all_finite = std::all_of(variables.begin(), variables.end(),
                                      [&](VarId v) { return finite(w, w.pool->variable(v).type); });
        auto expected = all_solutions(w, variables, condition, known);
        if (!expected || variables.empty()) continue;
        std::string what = print(*w.pool, condition) + " seed " + std::to_string(seed);
        Choices choices(seed + round);
        Generated g = generator.generate(variables, condition, known, choices);
        if (g.found == Found::yes) {
            ++found;
            ASSERT_TRUE(satisfied(*w.pool, condition, g.values)) << what;
            for (VarId v : variables)
                ASSERT_TRUE(belongs(*g.values.get(v), w.pool->variable(v).type, *w.types)) << what;
            Choices again(std::span<const std::uint64_t>(choices.made()));
            Generated replayed = generator.generate(variables, condition, known, again);
            ASSERT_TRUE(replayed.found == Found::yes && replayed.values == g.values) << what;
        }
        impossible += g.found == Found::no;
        if (expected->empty()) {
            if (all_finite) {
                ASSERT_NE(g.found, Found::yes) << what;
            }
            continue;
        }
        ASSERT_NE(g.found, Found::no) << what;
        ++possible;
        missed += g.found != Found::yes;
        if (!all_finite || expected->size() > 8 || g.found != Found::yes) continue;
        std::vector<Environment> seen;
        for (std::uint64_t k = 0; k < 3000 && seen.size() < expected->size(); ++k) {
            Choices more(round * 5000 + k);
            Generated one = generator.generate(variables, condition, known, more);
            ASSERT_EQ(one.found, Found::yes) << what;
            if (std::find(seen.begin(), seen.end(), one.values) == seen.end()) seen.push_back(one.values);
        }
        EXPECT_EQ(seen.size(), expected->size()) << what;
        ++reached;
    }
    EXPECT_GT(found, 400);
    EXPECT_GT(impossible, 100);
    EXPECT_GT(reached, 50);
    EXPECT_LT(missed * 50, possible) << missed << " of " << possible;
}

struct Small : testing::Test {
    std::shared_ptr<base::Names> names = std::make_shared<base::Names>();
    std::shared_ptr<Types> types = std::make_shared<Types>();
    std::shared_ptr<Pool> pool = std::make_shared<Pool>(types, names);
    TypeId integer = types->integer(), boolean = types->boolean(), string = types->string(),
           bytes = types->bytes();

    VarId var(std::string_view name, TypeId type) { return pool->declare(names->intern(name), type); }
    ExprId op(Op o, TypeId type, std::vector<ExprId> c, std::uint32_t payload = 0) {
        return pool->make(o, type, c, payload);
    }
    ExprId test(Op o, ExprId a, ExprId b) { return op(o, boolean, {a, b}); }
    ExprId num(std::int64_t n) { return pool->integer(n); }
    ExprId text(std::string s) { return pool->literal(std::move(s), string); }
    ExprId list_of(std::vector<std::int64_t> ns) {
        Sequence s;
        for (std::int64_t n : ns) s.items.push_back(n);
        return pool->literal(s, types->list(integer));
    }
    ExprId size(ExprId e) { return op(Op::size, integer, {e}); }
    ExprId both(std::vector<ExprId> all) {
        ExprId e = pool->boolean(true);
        for (ExprId x : all) e = pool->logical_and(e, x);
        return e;
    }
};

using Predicates = Small;  // the predicates of a session language, each both checked and generated

TEST_F(Predicates, EachChecksAndGenerates) {
    VarId n = var("n", integer), s = var("s", string), xs = var("xs", types->list(integer));
    TypeId pair =
        types->record(names->intern("Pair"), {{names->intern("a"), integer}, {names->intern("b"), boolean}});
    TypeId either = types->optional(integer);
    VarId p = var("p", pair), e = var("e", either), k = var("k", types->integer(0, 9));
    ExprId pa = op(Op::field, integer, {pool->var(p)}, 0), pb = op(Op::field, boolean, {pool->var(p)}, 1);
    struct Case {
        std::vector<VarId> variables;
        ExprId condition;
        std::string_view how;
        Value wrong;  // of the first variable
    };
    auto v = [&](VarId id) { return pool->var(id); };
    const Case cases[] = {
        {{n}, pool->boolean(true), "any", Value()},                         // anything
        {{n}, test(Op::equal, v(n), num(7)), "equality", std::int64_t{8}},  // is
        {{n},
         pool->logical_or(test(Op::equal, v(n), num(1)), test(Op::greater, v(n), num(99))),
         "",
         std::int64_t{50}},  // anyOf
        {{p},
         pool->logical_and(test(Op::greater, pa, num(5)), pb),
         "any",
         Sequence{{std::int64_t{5}, true}}},  // pairOf
        {{e},
         pool->logical_or(pool->logical_not(op(Op::has, boolean, {v(e)})),
                          test(Op::greater, op(Op::value, integer, {v(e)}), num(3))),
         "",
         Sequence{{std::int64_t{1}}}},  // unfailing
        {{n, k},
         test(Op::equal, v(n), op(Op::multiply, integer, {v(k), num(2)})),
         "equality",
         std::int64_t{19}},  // bimap
        {{n}, test(Op::member, v(n), list_of({4, 5, 6})), "member", std::int64_t{7}},
        {{xs}, test(Op::permutes, v(xs), list_of({1, 2, 2})), "permutation", Sequence{{std::int64_t{1}}}},
        {{s}, pool->matches(v(s), "[a-c]{2,4}"), "pattern", "abcd1"},
        {{s}, test(Op::equal, size(v(s)), num(5)), "size", "abcd"},
        {{n},
         both({test(Op::greater_equal, v(n), num(-3)), test(Op::less, v(n), num(3))}),
         "range",
         std::int64_t{3}},
    };
    Generator generator(*pool);
    for (const Case& c : cases) {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            Choices choices(seed);
            Generated g = generator.generate(c.variables, c.condition, {}, choices);
            ASSERT_EQ(g.found, Found::yes) << print(*pool, c.condition);
            EXPECT_TRUE(satisfied(*pool, c.condition, g.values)) << print(*pool, c.condition);
            if (!c.how.empty()) {
                EXPECT_EQ(g.how[0], c.how) << print(*pool, c.condition);
            }
        }
        if (pool->is_true(c.condition)) continue;
        Environment env;
        env.set(c.variables[0], c.wrong);
        for (std::size_t i = 1; i < c.variables.size(); ++i) env.set(c.variables[i], std::int64_t{1});
        EXPECT_FALSE(satisfied(*pool, c.condition, env)) << print(*pool, c.condition);
    }
}

// The alternatives inside an alternative are tried as well, also those of an implication.
TEST_F(Small, EveryAlternativeIsTried) {
    VarId k = var("k", integer), n = var("n", integer);
    ExprId first = test(Op::equal, pool->var(k), num(1)), second = test(Op::equal, pool->var(k), num(2));
    ExprId inner = pool->logical_or(test(Op::equal, pool->var(n), num(777'777)),
                                    test(Op::equal, pool->var(n), num(-55'555)));
    const ExprId conditions[] = {
        pool->logical_or(first, pool->logical_and(second, inner)),
        op(Op::implies, boolean, {second, inner}),
    };
    for (ExprId condition : conditions) {
        Generator generator(*pool);
        std::set<std::int64_t> seen;
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            Choices choices(seed);
            Generated g = generator.generate(std::array{k, n}, condition, {}, choices);
            ASSERT_EQ(g.found, Found::yes);
            if (g.values.get(k)->integer() == 2) seen.insert(g.values.get(n)->integer());
        }
        EXPECT_EQ(seen, (std::set<std::int64_t>{-55'555, 777'777})) << print(*pool, condition);
    }
}

TEST_F(Small, AValueBetweenTwoEarlierOnes) {
    VarId a = var("a", integer), b = var("b", integer), x = var("x", integer);
    Generator generator(*pool);
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Choices choices(seed);
        Generated first = generator.generate(std::array{a, b},
                                             test(Op::less_equal, pool->var(a), pool->var(b)), {}, choices);
        ASSERT_EQ(first.found, Found::yes);
        ExprId between = both({test(Op::less_equal, pool->var(a), pool->var(x)),
                               test(Op::less_equal, pool->var(x), pool->var(b))});
        Generated then = generator.generate(std::array{x}, between, first.values, choices);
        ASSERT_EQ(then.found, Found::yes);
        EXPECT_TRUE(then.how[0] == "range" || then.how[0] == "seen before") << then.how[0];
        EXPECT_TRUE(satisfied(*pool, between, then.values));
    }
    // Where nothing is between, that is reported, with the reason.
    Environment known;
    known.set(a, std::int64_t{5});
    known.set(b, std::int64_t{4});
    Choices choices(1);
    ExprId between =
        both({test(Op::less_equal, pool->var(a), pool->var(x)),
              test(Op::less_equal, pool->var(x), pool->var(b)), test(Op::not_equal, pool->var(x), num(9))});
    Generated none = generator.generate(std::array{x}, between, known, choices);
    EXPECT_EQ(none.found, Found::no);
    EXPECT_TRUE(none.core.empty());
    generator.options().contradictions = true;
    EXPECT_EQ(generator.generate(std::array{x}, between, known, choices).core.size(), 2u);
}

TEST_F(Small, APongCarriesThePingsPayload) {
    VarId ping = var("ping", bytes), pong = var("pong", bytes);
    Generator generator(*pool);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Choices choices(seed);
        Generated first = generator.generate(std::array{ping},
                                             test(Op::less, size(pool->var(ping)), num(126)), {}, choices);
        ASSERT_EQ(first.found, Found::yes);
        Generated then = generator.generate(
            std::array{pong}, test(Op::equal, pool->var(pong), pool->var(ping)), first.values, choices);
        ASSERT_EQ(then.found, Found::yes);
        EXPECT_EQ(*then.values.get(pong), *first.values.get(ping));
    }
}

TEST_F(Small, EveryValueOfASmallDomainIsReached) {
    VarId x = var("x", types->integer(-5, 5)), y = var("y", types->integer(0, 3)), s = var("s", string),
          o = var("o", types->optional(types->integer(0, 1)));
    struct Case {
        std::vector<VarId> variables;
        ExprId condition;
        std::size_t values;
    };
    const Case cases[] = {
        {{x}, pool->boolean(true), 11},
        {{x, y}, test(Op::less, pool->var(x), pool->var(y)), 5 * 4 + 1 + 2 + 3},
        {{x, y}, test(Op::equal, op(Op::multiply, integer, {pool->var(x), pool->var(y)}), num(4)), 2},
        {{s}, pool->matches(pool->var(s), "a{0,3}|b[cd]"), 6},
        {{o}, pool->boolean(true), 3},
    };
    Generator generator(*pool);
    for (const Case& c : cases) {
        std::set<std::vector<Value>> seen;
        for (std::uint64_t seed = 0; seed < 3000 && seen.size() < c.values; ++seed) {
            Choices choices(seed);
            Generated g = generator.generate(c.variables, c.condition, {}, choices);
            ASSERT_EQ(g.found, Found::yes);
            std::vector<Value> values;
            for (VarId v : c.variables) values.push_back(*g.values.get(v));
            seen.insert(values);
        }
        EXPECT_EQ(seen.size(), c.values) << print(*pool, c.condition);
    }
}

// Values that satisfy `condition` and make `fails` true, shrunk; printed.
struct Shrinking : Small {
    Generator generator{*pool};

    std::string minimum(const std::vector<VarId>& variables, ExprId condition, ExprId fails) {
        auto replay =
            [&](std::span<const std::uint64_t> recorded) -> std::optional<std::vector<std::uint64_t>> {
            Choices choices(recorded);
            Generated g = generator.generate(variables, condition, {}, choices);
            if (g.found != Found::yes || !satisfied(*pool, fails, g.values)) return std::nullopt;
            last = g.values;
            return choices.made();
        };
        for (std::uint64_t seed = 0; seed < 4000; ++seed) {
            Choices choices(seed);
            Generated g = generator.generate(variables, condition, {}, choices);
            if (g.found != Found::yes || !satisfied(*pool, fails, g.values)) continue;
            Shrunk small = shrink(choices.made(), replay);
            if (!replay(small.choices)) return "not reproduced";
            EXPECT_TRUE(satisfied(*pool, condition, last));
            std::string out;
            for (VarId v : variables)
                out += (out.empty() ? "" : " ") + print(*last.get(v), pool->variable(v).type, *types, *names);
            return out;
        }
        return "never failed";
    }
    Environment last;
};

TEST_F(Shrinking, ReachesTheKnownMinimum) {
    TypeId ints = types->list(integer), strings = types->list(string), maybe = types->optional(integer);
    TypeId pair =
        types->record(names->intern("Pair"), {{names->intern("a"), integer}, {names->intern("b"), integer}});
    VarId n = var("n", integer), m = var("m", integer), s = var("s", string), xs = var("xs", ints),
          ys = var("ys", ints);
    VarId b = var("b", boolean), u = var("u", bytes), o = var("o", maybe), p = var("p", pair),
          ss = var("ss", strings);
    VarId r = var("r", types->real()), port = var("port", types->integer(1, 65535));
    auto v = [&](VarId id) { return pool->var(id); };
    ExprId yes = pool->boolean(true);
    auto add = [&](ExprId x, ExprId y) { return op(Op::add, integer, {x, y}); };
    auto at = [&](ExprId l, std::int64_t i) { return op(Op::at, integer, {l, num(i)}); };
    struct Case {
        std::vector<VarId> variables;
        ExprId condition, fails;
        std::string_view minimum;
    };
    const Case cases[] = {
        {{n}, yes, yes, "0"},
        {{n}, yes, test(Op::greater, v(n), num(41)), "42"},
        {{n}, yes, test(Op::less, v(n), num(-5)), "-6"},
        {{n}, test(Op::greater_equal, v(n), num(10)), yes, "10"},
        {{n}, test(Op::less_equal, v(n), num(-10)), yes, "-10"},
        {{n}, test(Op::member, v(n), list_of({9, 4, 7})), yes, "9"},
        {{n}, test(Op::not_equal, v(n), num(0)), yes, "1"},
        {{n, m}, test(Op::less, v(n), v(m)), yes, "0 1"},
        {{n, m}, test(Op::less, v(n), v(m)), test(Op::greater, v(n), num(3)), "4 5"},
        {{n, m}, test(Op::equal, v(m), add(v(n), num(3))), yes, "0 3"},
        {{n, m}, test(Op::equal, v(m), add(v(n), num(3))), test(Op::greater, v(m), num(9)), "7 10"},
        {{b}, yes, v(b), "true"},
        {{b}, yes, yes, "false"},
        {{port}, yes, yes, "1"},
        {{port}, yes, test(Op::greater, v(port), num(1023)), "1024"},
        {{s}, yes, yes, "\"\""},
        {{s}, yes, test(Op::greater, size(v(s)), num(2)), "\"aaa\""},
        {{s}, yes, test(Op::contains, v(s), text("b")), "\"b\""},
        {{s}, pool->matches(v(s), "x[0-9]+"), yes, "\"x0\""},
        {{s}, pool->matches(v(s), "(foo|ab)+"), yes, "\"ab\""},
        {{s}, pool->matches(v(s), "[a-z]+@[a-z]+"), test(Op::greater, size(v(s)), num(4)), "\"aaa@a\""},
        {{s}, test(Op::starts_with, v(s), text("id-")), yes, "\"id-\""},
        {{u}, test(Op::equal, size(v(u)), num(2)), yes, "0x\"6161\""},
        {{xs}, yes, test(Op::greater, size(v(xs)), num(1)), "[0, 0]"},
        {{xs}, yes, test(Op::member, num(3), v(xs)), "[3]"},
        {{xs}, test(Op::greater, size(v(xs)), num(2)), yes, "[0, 0, 0]"},
        {{xs}, test(Op::permutes, v(xs), list_of({3, 1, 2})), yes, "[1, 2, 3]"},
        {{xs},
         test(Op::permutes, v(xs), list_of({3, 1, 2})),
         test(Op::equal, at(v(xs), 0), num(3)),
         "[3, 1, 2]"},
        {{xs, ys},
         test(Op::equal, size(v(ys)), size(v(xs))),
         test(Op::greater, size(v(xs)), num(0)),
         "[0] [0]"},
        {{xs}, yes, test(Op::greater, op(Op::sum, integer, {v(xs)}), num(9)), "[10]"},
        {{o}, yes, yes, "none"},
        {{o}, yes, op(Op::has, boolean, {v(o)}), "some(0)"},
        {{p}, yes, test(Op::greater, op(Op::field, integer, {v(p)}, 1), num(4)), "Pair(a = 0, b = 5)"},
        {{ss}, yes, test(Op::greater, size(v(ss)), num(0)), "[\"\"]"},
        {{r}, yes, test(Op::greater, v(r), pool->literal(2.5, types->real())), "3.0"},
        {{n, m}, yes, test(Op::greater, add(v(n), v(m)), num(7)), "0 8"},
    };
    static_assert(std::size(cases) >= 30);
    for (const Case& c : cases)
        EXPECT_EQ(minimum(c.variables, c.condition, c.fails), c.minimum)
            << print(*pool, c.condition) << " fails if " << print(*pool, c.fails);
}

TEST_F(Small, AContradictionIsNamed) {
    VarId n = var("n", integer), s = var("s", string);
    GenerateOptions options;
    options.contradictions = true;
    Generator generator(*pool, options);
    Choices choices(1);
    ExprId condition =
        both({test(Op::greater, pool->var(n), num(0)), test(Op::not_equal, pool->var(n), num(7)),
              test(Op::less, pool->var(n), num(0))});
    Generated g = generator.generate(std::array{n}, condition, {}, choices);
    EXPECT_EQ(g.found, Found::no);
    EXPECT_EQ(g.core.size(), 2u);
    ExprId texts = both({pool->matches(pool->var(s), "a+"), pool->matches(pool->var(s), "b+")});
    EXPECT_EQ(generator.generate(std::array{s}, texts, {}, choices).found, Found::no);
    // In UTF-8 one character may be two bytes, so this is not a contradiction, and not found either.
    ExprId wide = both({pool->matches(pool->var(s), "[^a]"), test(Op::equal, size(pool->var(s)), num(2))});
    EXPECT_NE(generator.generate(std::array{s}, wide, {}, choices).found, Found::no);
}

TEST_F(Small, TheSolverFindsWhatCannotBeDrawn) {
    VarId n = var("n", integer), m = var("m", integer);
    ExprId product = op(Op::multiply, integer, {pool->var(n), pool->var(m)});
    ExprId condition =
        both({test(Op::equal, product, num(1147)), test(Op::greater, pool->var(n), num(1)),
              test(Op::less, pool->var(n), pool->var(m)), test(Op::less, pool->var(m), num(1000))});
    Generator generator(*pool);
    Choices choices(1);
    Generated g = generator.generate(std::array{n, m}, condition, {}, choices);
    ASSERT_EQ(g.found, Found::yes) << g.reason;
    EXPECT_EQ(g.values.get(n)->integer(), 31);
    EXPECT_EQ(g.how[0], "solver");
}

// What is looked up by a field is decided after the field was drawn.
TEST(Generate, AKeyIsDrawnBeforeWhatItLeadsTo) {
    SmallWorld w;
    TypeId numbers = w.map;
    VarId counts = w.pool->declare(w.name("counts"), numbers);
    VarId by = w.pool->declare(w.name("by"), w.integer), key = w.pool->declare(w.name("key"), w.integer);
    ExprId at = w.make(Op::at, w.integer, {w.pool->var(counts), w.pool->var(key)});
    ExprId there =
        w.make(Op::member, w.boolean, {w.pool->var(key), w.make(Op::keys, w.set, {w.pool->var(counts)})});
    ExprId room = w.make(Op::less_equal, w.boolean,
                         {at, w.make(Op::subtract, w.integer, {w.pool->integer(100), w.pool->var(by)})});
    ExprId up = w.make(Op::greater, w.boolean, {w.pool->var(by), w.pool->integer(0)});
    ExprId condition = w.pool->logical_and(there, w.pool->logical_and(room, up));
    Environment known;
    known.set(counts, expr::map_of({Int{700}, Int{100}, Int{800}, Int{98}, Int{900}, Int{120}}));
    GenerateOptions options;
    options.solver = false;
    Generator generator(*w.pool, options);
    std::set<Int> drawn;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Choices choices(seed);
        Generated g = generator.generate(std::array{by, key}, condition, known, choices);
        ASSERT_EQ(g.found, Found::yes);
        EXPECT_EQ(g.values.get(key)->integer(), 800);
        drawn.insert(g.values.get(by)->integer());
    }
    EXPECT_EQ(drawn, (std::set<Int>{1, 2}));
    known.set(counts, expr::map_of({Int{700}, Int{100}, Int{900}, Int{120}}));
    Choices choices(1);
    EXPECT_EQ(generator.generate(std::array{by, key}, condition, known, choices).found, Found::no);
}

// A question that needs the solver is put to it a limited number of times, and "no" once.
TEST(Generate, TheSolversAnswersAreRemembered) {
    SmallWorld w;
    VarId x = w.pool->declare(w.name("x1"), w.integer), y = w.pool->declare(w.name("y1"), w.integer);
    ExprId product = w.make(Op::multiply, w.integer, {w.pool->var(x), w.pool->var(y)});
    auto between = [&](VarId v) {
        return w.pool->logical_and(w.make(Op::greater, w.boolean, {w.pool->var(v), w.pool->integer(1)}),
                                   w.make(Op::less, w.boolean, {w.pool->var(v), w.pool->integer(100'000)}));
    };
    Generator generator(*w.pool);
    for (Int wanted : {Int{9409} * 7919, Int{104'729}}) {  // 104,729 is a prime
        ExprId condition = w.pool->logical_and(w.pool->equal(product, w.pool->integer(wanted)),
                                               w.pool->logical_and(between(x), between(y)));
        std::size_t calls = 0;
        for (std::uint64_t seed = 0; seed < 400; ++seed) {
            Choices choices(seed);
            generator.generate(std::array{x, y}, condition, {}, choices);
            if (seed == 300) calls = generator.solver_calls();
        }
        EXPECT_EQ(generator.solver_calls(), calls);
    }
}

}  // namespace
}  // namespace treaty::solve
