// Lists by their sums, elements and orders, texts by their order and their letters: made directly, without
// the solver, and held against all values of a small world.
#include "solve/narrow.h"

#include <gtest/gtest.h>

#include <set>

#include "expr/print.h"
#include "expr/random_expressions.h"
#include "solve/generate.h"

namespace treaty::solve {
namespace {

using expr::Environment;
using expr::ExprId;
using expr::Op;
using expr::Pool;
using expr::Sequence;
using expr::TypeId;
using expr::Types;
using expr::Value;
using expr::VarId;

struct Direct : testing::Test {
    std::shared_ptr<base::Names> names = std::make_shared<base::Names>();
    std::shared_ptr<Types> types = std::make_shared<Types>();
    std::shared_ptr<Pool> pool = std::make_shared<Pool>(types, names);
    TypeId boolean = types->boolean(), integer = types->integer(), string = types->string();
    TypeId small = types->integer(0, 2);
    VarId xs = pool->declare(names->intern("xs"), types->list(small));
    VarId s = pool->declare(names->intern("s"), string);
    std::mt19937_64 random{expr::property_seed()};

    std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    }
    ExprId make(Op op, TypeId type, std::vector<ExprId> c) { return pool->make(op, type, c); }
    ExprId compare(ExprId a, ExprId b) {
        constexpr std::array ops{Op::equal,      Op::equal,   Op::not_equal,    Op::less,
                                 Op::less_equal, Op::greater, Op::greater_equal};
        return make(ops[static_cast<std::size_t>(below(ops.size()))], boolean, {a, b});
    }
    ExprId text() {
        constexpr std::array texts{"", "a", "b", "ab", "ba", "aa", "A", "Ab"};
        return pool->literal(std::string(texts[static_cast<std::size_t>(below(texts.size()))]), string);
    }
    ExprId numbers() {
        Sequence list;
        for (std::int64_t n = below(4); n > 0; --n) list.items.push_back(below(3));
        if (below(4) > 0) std::sort(list.items.begin(), list.items.end());
        return pool->literal(list, types->list(integer));
    }

    ExprId about_list() {
        ExprId x = pool->var(xs);
        ExprId sum = make(Op::sum, integer, {x}), size = make(Op::size, integer, {x});
        switch (below(6)) {
            case 0: return compare(size, pool->integer(below(5)));
            case 1:
            case 2: return compare(sum, pool->integer(below(8) - 1));
            case 3: return make(Op::equal, boolean, {make(Op::sorted, types->list(integer), {x}), numbers()});
            default:
                return compare(make(Op::at, integer, {x, pool->integer(below(5) - 1)}),
                               pool->integer(below(4)));
        }
    }

    ExprId about_text() {
        ExprId x = pool->var(s);
        ExprId changed = make(below(2) == 0 ? Op::lower : Op::upper, string, {x});
        switch (below(7)) {
            case 0:
            case 1: return compare(x, text());
            case 2: return compare(changed, text());
            case 3:
                return make(Op::member, boolean,
                            {changed, pool->literal(Sequence{{pool->literal_of(text()), "ab", "BA"}},
                                                    types->list(string))});
            case 4: return make(Op::contains, boolean, {changed, text()});
            case 5: return make(Op::starts_with, boolean, {changed, text()});
            default: return compare(make(Op::size, integer, {changed}), pool->integer(below(3)));
        }
    }

    // Every value of the small world: lists of at most three, texts of at most two letters.
    std::vector<Value> all(bool lists) {
        std::vector<Value> letters{"a", "A", "b", "B"},
            digits{std::int64_t{0}, std::int64_t{1}, std::int64_t{2}};
        std::vector<Value> out{lists ? Value(Sequence{}) : Value(std::string())};
        for (std::size_t i = 0; i < out.size(); ++i) {
            bool full = lists ? out[i].items().size() == 3 : out[i].string().size() == 2;
            for (const Value& more : full ? std::vector<Value>() : lists ? digits : letters) {
                if (!lists) {
                    out.push_back(out[i].string() + more.string());
                    continue;
                }
                Sequence longer{out[i].items()};
                longer.items.push_back(more);
                out.push_back(longer);
            }
        }
        return out;
    }

    // Narrowing drops no value that fits, and what is left of few values is all of them, each once.
    void expect_all(VarId v, ExprId condition, const std::set<Value>& expected, const std::string& what) {
        Domain domain = Domain::of(*types, pool->variable(v).type);
        for (ExprId c : conjuncts_of(*pool, condition)) narrow(*pool, domain, v, c, {});
        auto values = domain.all(40);
        ASSERT_TRUE(values) << what;
        std::set<Value> distinct(values->begin(), values->end());
        EXPECT_EQ(distinct.size(), values->size()) << what;
        EXPECT_TRUE(std::includes(distinct.begin(), distinct.end(), expected.begin(), expected.end()))
            << what;
        if (!values->empty()) {
            EXPECT_FALSE(domain.all(values->size() - 1)) << what;
        }
    }

    void run(bool lists) {
        GenerateOptions options;
        options.solver = false;
        Generator generator(*pool, options);
        VarId v = lists ? xs : s;
        std::vector<Value> world = all(lists);
        int found = 0, impossible = 0, reached = 0;
        for (std::uint64_t round = 0; round < 400; ++round) {
            ExprId condition = lists ? make(Op::less_equal, boolean,
                                            {make(Op::size, integer, {pool->var(xs)}), pool->integer(3)})
                                     : pool->matches(pool->var(s), "[aAbB]{0,2}");
            for (std::int64_t n = 1 + below(3); n > 0; --n) {
                ExprId c = lists ? about_list() : about_text();
                condition = pool->logical_and(condition, below(5) == 0 ? pool->logical_not(c) : c);
            }
            std::set<Value> expected, seen;
            for (const Value& value : world) {
                Environment env;
                env.set(v, value);
                if (satisfied(*pool, condition, env)) expected.insert(value);
            }
            std::string what = print(*pool, condition) + " seed " + std::to_string(expr::property_seed());
            expect_all(v, condition, expected, what);
            for (std::uint64_t k = 0; k < 3000; ++k) {
                Choices choices(round * 5000 + k);
                Generated g = generator.generate(std::array{v}, condition, {}, choices);
                ASSERT_EQ(g.found == Found::yes, !expected.empty()) << what;
                if (g.found != Found::yes) break;
                ASSERT_TRUE(expected.contains(*g.values.get(v))) << what;
                seen.insert(*g.values.get(v));
                if (seen.size() == expected.size() || expected.size() > 12) break;
            }
            ++(expected.empty() ? impossible : found);
            if (expected.empty() || expected.size() > 12) continue;
            EXPECT_EQ(seen.size(), expected.size()) << what;
            ++reached;
        }
        EXPECT_GT(found, 150);
        EXPECT_GT(impossible, 50);
        EXPECT_GT(reached, 60);
    }
};

TEST_F(Direct, ListsAreFoundAndReachedAsBruteForceSays) {
    run(true);
}

TEST_F(Direct, TextsAreFoundAndReachedAsBruteForceSays) {
    run(false);
}

TEST_F(Direct, ManyValuesAreNotListed) {
    auto left = [&](VarId v, ExprId condition) {
        Domain domain = Domain::of(*types, pool->variable(v).type);
        for (ExprId c : conjuncts_of(*pool, condition)) narrow(*pool, domain, v, c, {});
        auto values = domain.all(1000);
        return values ? std::optional(values->size()) : std::nullopt;
    };
    auto at_most = [&](VarId v, std::int64_t n) {
        return make(Op::less_equal, boolean, {make(Op::size, integer, {pool->var(v)}), pool->integer(n)});
    };
    VarId ys = pool->declare(names->intern("ys"), types->list(integer));
    VarId zs = pool->declare(names->intern("zs"), types->list(types->integer(0, 0)));
    EXPECT_EQ(left(xs, at_most(xs, 6)), std::nullopt);  // 1093
    EXPECT_EQ(left(xs, at_most(xs, 5)), 364u);
    EXPECT_EQ(left(ys, at_most(ys, 0)), 1u);
    EXPECT_EQ(left(ys, at_most(ys, 1)), std::nullopt);
    // No list of zeros has this sum, but there is no end of lists to look at.
    EXPECT_EQ(left(zs, pool->equal(make(Op::sum, integer, {pool->var(zs)}), pool->integer(1))), std::nullopt);
    EXPECT_EQ(left(s, at_most(s, 0)), 1u);
    EXPECT_EQ(left(s, at_most(s, 2)), std::nullopt);
    EXPECT_EQ(left(s, pool->matches(pool->var(s), "a*")), std::nullopt);
    EXPECT_EQ(left(s, pool->logical_and(pool->matches(pool->var(s), "a*"), at_most(s, 7))), 8u);
    EXPECT_EQ(left(s, pool->matches(pool->var(s), "[0-9]{3}a{300}")), std::nullopt);
    EXPECT_EQ(left(s, pool->matches(pool->var(s), ".")), std::nullopt);  // also letters of several bytes
}

TEST_F(Direct, AlternativesAreSplitAlsoUnderANegation) {
    auto is = [&](std::int64_t n) {
        return pool->equal(make(Op::size, integer, {pool->var(xs)}), pool->integer(n));
    };
    auto printed = [&](ExprId condition) {
        std::string out;
        for (ExprId e : alternatives_of(*pool, condition)) out += print(*pool, e) + "\n";
        return out;
    };
    ExprId both = pool->logical_and(is(1), pool->logical_and(is(2), pool->logical_not(is(3))));
    EXPECT_EQ(printed(make(Op::logical_not, boolean, {both})),
              "not size(xs) == 1\nnot size(xs) == 2\nsize(xs) == 3\n");
    auto in = [&](Sequence sizes, TypeId element) {
        return make(Op::member, boolean,
                    {make(Op::size, integer, {pool->var(xs)}), pool->literal(sizes, types->list(element))});
    };
    EXPECT_EQ(printed(in(Sequence{{std::int64_t{1}, std::int64_t{3}}}, integer)),
              "size(xs) == 1\nsize(xs) == 3\n");
    EXPECT_EQ(alternatives_of(*pool, in(Sequence{{1.0, 2.5}}, types->real())).size(), 1u);
}

// A whole number equals a real one without being it.
TEST_F(Direct, WholeNumbersComparedWithRealOnesAreKept) {
    VarId n = pool->declare(names->intern("n"), types->integer(0, 3));
    ExprId two = pool->literal(2.0, types->real());
    ExprId list = pool->literal(Sequence{{2.0, 2.5}}, types->list(types->real()));
    ExprId in_list = make(Op::member, boolean, {two, pool->var(xs)});
    for (auto [v, condition] : {std::pair{n, make(Op::equal, boolean, {pool->var(n), two})},
                                {n, make(Op::member, boolean, {pool->var(n), list})},
                                {xs, in_list}}) {
        Domain domain = Domain::of(*types, pool->variable(v).type);
        narrow(*pool, domain, v, condition, {});
        EXPECT_FALSE(domain.empty()) << print(*pool, condition);
    }
}

// What was out of reach, by which strategy, and how simple the simplest is.
TEST_F(Direct, EachStrategyIsUsed) {
    VarId ys = pool->declare(names->intern("ys"), types->list(integer));
    VarId ts = pool->declare(names->intern("ts"), types->list(string));
    ExprId y = pool->var(ys), t = pool->var(ts), x = pool->var(s);
    auto size = [&](ExprId e) { return make(Op::size, integer, {e}); };
    auto is = [&](ExprId a, ExprId b) { return make(Op::equal, boolean, {a, b}); };
    auto at = [&](ExprId e, TypeId type, std::int64_t i) {
        return make(Op::at, type, {e, pool->integer(i)});
    };
    auto quoted = [&](std::string text) { return pool->literal(std::move(text), string); };
    struct Case {
        VarId v;
        ExprId condition;
        std::string_view how, simplest;
    };
    Sequence sorted{{std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}};
    const Case cases[] = {
        {ys,
         pool->logical_and(is(make(Op::sum, integer, {y}), pool->integer(10)), is(size(y), pool->integer(3))),
         "sum", "[0, 0, 10]"},
        {ts,
         pool->logical_and(is(size(t), pool->integer(2)),
                           pool->logical_and(is(at(t, string, 0), quoted("a")),
                                             is(size(at(t, string, 1)), pool->integer(3)))),
         "element", "[\"a\", \"aaa\"]"},
        {ys, is(make(Op::sorted, types->list(integer), {y}), pool->literal(sorted, types->list(integer))),
         "permutation", "[1, 2, 3]"},
        {s, is(make(Op::lower, string, {x}), quoted("abc")), "pattern", "\"abc\""},
        {s,
         pool->logical_and(make(Op::greater, boolean, {x, quoted("a")}),
                           make(Op::less, boolean, {x, quoted("b")})),
         "pattern", "\"aa\""},
    };
    Generator generator(*pool);
    for (const Case& c : cases) {
        Choices none(std::span<const std::uint64_t>{});
        Generated g = generator.generate(std::array{c.v}, c.condition, {}, none);
        ASSERT_EQ(g.found, Found::yes) << print(*pool, c.condition);
        EXPECT_EQ(g.how[0], c.how) << print(*pool, c.condition);
        EXPECT_EQ(print(*g.values.get(c.v), pool->variable(c.v).type, *types, *names), c.simplest);
        std::set<Value> seen;
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            Choices choices(seed);
            seen.insert(*generator.generate(std::array{c.v}, c.condition, {}, choices).values.get(c.v));
        }
        EXPECT_GE(seen.size(), 6u) << print(*pool, c.condition);
    }
    // Long lists are found where short ones cannot have the sum.
    ExprId hundred = is(make(Op::sum, integer, {pool->var(xs)}), pool->integer(100));
    Choices choices(1);
    EXPECT_EQ(generator.generate(std::array{xs}, hundred, {}, choices).found, Found::yes);
}

}  // namespace
}  // namespace treaty::solve
