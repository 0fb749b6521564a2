#include "expr/evaluate.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "expr/print.h"
#include "expr/testing/collections_reference.h"
#include "expr/testing/parts_reference.h"
#include "expr/testing/random_expressions.h"

namespace treaty::expr {
namespace {

// A second evaluator, written for obviousness: it recurses, copies, and throws on faults.
struct Reference {
    struct Undefined {};
    using Int = std::int64_t;
    __extension__ typedef __int128 Wide;
    const Pool& pool;

    static Int narrow(Wide x) {
        if (x < std::numeric_limits<Int>::min() || x > std::numeric_limits<Int>::max()) throw Undefined();
        return static_cast<Int>(x);
    }
    static double finite(double x) {
        if (!std::isfinite(x)) throw Undefined();
        return x == 0 ? 0.0 : x;
    }
    static std::string text(const Value& v) {
        auto* s = std::get_if<std::string>(&v.v);
        return s ? *s : std::get<Bytes>(v.v).data;
    }
    static double number(const Value& v) {
        auto* x = std::get_if<Int>(&v.v);
        return x ? static_cast<double>(*x) : v.real();
    }

    Value wanted(Value v, TypeId type) const { return convert(std::move(v), type, pool.types()); }

    Value arithmetic(Op op, const Value& a, const Value& b, TypeId type) const {
        if (pool.types().kind(type) == TypeKind::real) {
            double x = number(a), y = number(b);
            if (op == Op::add) return finite(x + y);
            if (op == Op::subtract) return finite(x - y);
            if (op == Op::multiply) return finite(x * y);
            if (y == 0) throw Undefined();
            return finite(x / y);
        }
        Wide x = a.integer(), y = b.integer();
        if (op == Op::add) return narrow(x + y);
        if (op == Op::subtract) return narrow(x - y);
        if (op == Op::multiply) return narrow(x * y);
        if (y == 0) throw Undefined();
        Wide q = x / y;
        while (q * y > x && y > 0) --q;  // the largest q with q * y <= x, for y > 0
        while (q * y < x && y < 0) --q;
        return op == Op::divide ? narrow(q) : narrow(x - q * y);
    }

    bool compare(Op op, Value a, Value b) const {
        if (a.v.index() != b.v.index()) a = number(a), b = number(b);
        if (op == Op::equal) return a == b;
        if (op == Op::not_equal) return !(a == b);
        if (op == Op::less) return a < b;
        if (op == Op::less_equal) return a < b || a == b;
        if (op == Op::greater) return b < a;
        return b < a || a == b;
    }

    Value unary(Op op, const Value& x, const Node& node, ExprId id) const {
        switch (op) {
            case Op::negate:
                return x.v.index() == 1 ? Value(narrow(-static_cast<Wide>(x.integer())))
                                        : Value(finite(-x.real()));
            case Op::abs: return narrow(x.integer() < 0 ? -static_cast<Wide>(x.integer()) : x.integer());
            case Op::logical_not: return !x.boolean();
            case Op::size:
                return static_cast<Int>(std::holds_alternative<Sequence>(x.v) ? x.items().size()
                                                                              : text(x).size());
            case Op::lower:
            case Op::upper: {
                std::string s = x.string();
                for (char& c : s) c = static_cast<char>(op == Op::lower ? std::tolower(c) : std::toupper(c));
                return s;
            }
            case Op::sum: {
                Value total = Int{0};
                for (const Value& item : x.items()) total = arithmetic(Op::add, total, item, node.type);
                return total;
            }
            case Op::sorted: {
                Sequence s{x.items()};
                for (std::size_t i = 0; i < s.items.size(); ++i)
                    for (std::size_t j = i + 1; j < s.items.size(); ++j)
                        if (s.items[j] < s.items[i]) std::swap(s.items[i], s.items[j]);
                return s;
            }
            case Op::has: return x.items().size() == 1;
            case Op::value:
                if (x.items().empty()) throw Undefined();
                return x.items()[0];
            case Op::field: return x.items()[node.payload];
            default: return RE2::FullMatch(x.string(), pool.literal_of(id).string());
        }
    }

    Value binary(Op op, const Value& a, const Value& b, const Node& node) const {
        switch (op) {
            case Op::concat: {
                if (std::holds_alternative<std::string>(a.v)) return a.string() + b.string();
                if (std::holds_alternative<Bytes>(a.v)) return Bytes{text(a) + text(b)};
                Sequence s{a.items()};
                for (const Value& item : b.items()) s.items.push_back(item);
                return s;
            }
            case Op::member: return std::count(b.items().begin(), b.items().end(), a) > 0;
            case Op::permutes:
                return std::is_permutation(a.items().begin(), a.items().end(), b.items().begin(),
                                           b.items().end());
            case Op::at:
                if (b.integer() < 0 || b.integer() >= static_cast<Int>(a.items().size())) throw Undefined();
                return a.items()[static_cast<std::size_t>(b.integer())];
            case Op::contains: return text(a).find(text(b)) != std::string::npos;
            case Op::starts_with: return text(a).substr(0, text(b).size()) == text(b);
            case Op::ends_with:
                return text(a).size() >= text(b).size() &&
                       text(a).substr(text(a).size() - text(b).size()) == text(b);
            case Op::min: return wanted(compare(Op::less_equal, a, b) ? a : b, node.type);
            case Op::max: return wanted(compare(Op::less_equal, a, b) ? b : a, node.type);
            case Op::equal:
            case Op::not_equal:
            case Op::less:
            case Op::less_equal:
            case Op::greater:
            case Op::greater_equal: return compare(op, a, b);
            default: return arithmetic(op, a, b, node.type);
        }
    }

    Value run(ExprId id, const Environment& env) const {
        const Node& node = pool[id];
        auto c = pool.children(id);
        switch (node.op) {
            case Op::literal: return pool.literal_of(id);
            case Op::var: {
                const Value* v = env.get(pool.var_of(id));
                if (!v) throw Undefined();
                return *v;
            }
            case Op::logical_and: return run(c[0], env).boolean() && run(c[1], env).boolean();
            case Op::logical_or: return run(c[0], env).boolean() || run(c[1], env).boolean();
            case Op::implies: return !run(c[0], env).boolean() || run(c[1], env).boolean();
            case Op::if_else: return run(run(c[0], env).boolean() ? c[1] : c[2], env);
            case Op::call: {
                const Function& f = pool.function(FunctionId(node.payload));
                Environment inner;
                for (std::size_t i = 0; i < c.size(); ++i)
                    inner.set(f.parameters[i], wanted(run(c[i], env), pool.variable(f.parameters[i]).type));
                return run(f.body, inner);
            }
            case Op::list:
            case Op::record:
            case Op::some: {
                Sequence s;
                for (ExprId child : c) s.items.push_back(run(child, env));
                return s;
            }
            default: break;
        }
        if (has_function(node.op)) return for_each(node, c, env);
        if (CollectionsReference::covers(pool, id)) {
            std::vector<Value> operands;
            for (ExprId child : c) operands.push_back(run(child, env));
            auto value = CollectionsReference::apply(pool, id, operands);
            if (!value) throw Undefined();
            return *value;
        }
        if (is_over_parts(node.op) || node.op == Op::digits) {
            std::vector<Value> operands;
            for (ExprId child : c) operands.push_back(run(child, env));
            if (node.op == Op::digits) return std::to_string(operands[0].integer());
            auto value = PartsReference::apply(node.op, operands);
            if (!value) throw Undefined();
            return *value;
        }
        if (c.size() == 1) return unary(node.op, run(c[0], env), node, id);
        Value left = run(c[0], env);
        return binary(node.op, left, run(c[1], env), node);
    }

    // Every item is looked at, in order, whatever the others come to.
    Value for_each(const Node& node, std::span<const ExprId> c, const Environment& env) const {
        const Function& f = pool.function(FunctionId(node.payload));
        Value collection = run(c[0], env);
        Environment inner;
        for (std::size_t i = 1; i < c.size(); ++i) inner.set(f.parameters[i], run(c[i], env));
        bool all = true, any = false;
        Sequence made, selected;
        for (const Value& one : collection.items()) {
            Value item = pool.types().kind(pool[c[0]].type) == TypeKind::map ? one.items()[0] : one;
            inner.set(f.parameters[0], item);
            Value result = run(f.body, inner);
            if (node.op == Op::fold) {
                inner.set(f.parameters[1], result);
            } else if (node.op == Op::each) {
                made.items.push_back(result);
            } else {
                all = all && result.boolean();
                any = any || result.boolean();
                if (result.boolean()) selected.items.push_back(item);
            }
        }
        switch (node.op) {
            case Op::for_all: return all;
            case Op::exists: return any;
            case Op::each: return made;
            case Op::select: return selected;
            default: return *inner.get(f.parameters[1]);
        }
    }
};

TEST(EvaluateTest, AgreesWithTheReference) {
    std::uint64_t seed = property_seed();
    SmallWorld w;
    RandomExpressions random(w, seed);
    int faults = 0, through_items = 0;
    for (int n = 0; n < 20'000; ++n) {
        TypeId type = w.types->base(w.pool->variable(w.variables[random.below(w.variables.size())]).type);
        ExprId e = random.expression(type, 5);
        for (ExprId part : w.pool->parts_of(e)) {
            Op op = (*w.pool)[part].op;
            through_items += has_function(op) && op != Op::call;
        }
        Environment env = random.environment(98);
        Result result = evaluate(*w.pool, e, env);
        auto where = [&] {
            return testing::Message() << "TREATY_SEED=" << seed << " case " << n << ": " << print(*w.pool, e);
        };
        try {
            Value expected = Reference{*w.pool}.run(e, env);
            ASSERT_TRUE(std::holds_alternative<Value>(result))
                << where() << " fault: " << std::get<Fault>(result).reason;
            ASSERT_EQ(std::get<Value>(result), expected) << where();
            ASSERT_TRUE(belongs(expected, type, *w.types)) << where();
        } catch (Reference::Undefined) {
            ++faults;
            ASSERT_TRUE(std::holds_alternative<Fault>(result)) << where();
            ASSERT_FALSE(std::get<Fault>(result).reason.empty()) << where();
        }
    }
    EXPECT_GT(faults, 1000);
    EXPECT_GT(through_items, 1000);
}

struct EvaluateExamples : testing::Test {
    SmallWorld w;
    Environment env;

    ExprId integer(std::int64_t x) { return w.pool->integer(x); }
    Value value(ExprId id) {
        Result result = evaluate(*w.pool, id, env);
        EXPECT_TRUE(std::holds_alternative<Value>(result)) << std::get<Fault>(result).reason;
        return std::get<Value>(result);
    }
    std::string fault(ExprId id) {
        Result result = evaluate(*w.pool, id, env);
        return std::holds_alternative<Fault>(result) ? std::get<Fault>(result).reason : "none";
    }
    ExprId divide(ExprId a, ExprId b) { return w.make(Op::divide, w.integer, {a, b}); }
};

TEST_F(EvaluateExamples, DivisionRoundsDown) {
    auto quotient = [&](std::int64_t a, std::int64_t b) {
        return value(divide(integer(a), integer(b))).integer();
    };
    auto rest = [&](std::int64_t a, std::int64_t b) {
        return value(w.make(Op::modulo, w.integer, {integer(a), integer(b)})).integer();
    };
    EXPECT_EQ(quotient(7, 2), 3);
    EXPECT_EQ(quotient(-7, 2), -4);
    EXPECT_EQ(quotient(7, -2), -4);
    EXPECT_EQ(quotient(-7, -2), 3);
    EXPECT_EQ(rest(7, 2), 1);
    EXPECT_EQ(rest(-7, 2), 1);
    EXPECT_EQ(rest(7, -2), -1);
    EXPECT_EQ(rest(-7, -2), -1);
    EXPECT_EQ(rest(std::numeric_limits<std::int64_t>::min(), -1), 0);
}

TEST_F(EvaluateExamples, FaultsSayWhatAndWhere) {
    ExprId quotient = divide(w.var("i"), w.var("j"));
    ExprId whole = w.pool->equal(quotient, integer(1));
    env.set(w.pool->var_of(w.var("i")), std::int64_t{1});
    EXPECT_EQ(fault(whole), "j has no value");
    env.set(w.pool->var_of(w.var("j")), std::int64_t{0});
    EXPECT_EQ(fault(whole), "division by zero");
    Fault found;
    EXPECT_FALSE(satisfied(*w.pool, whole, env, &found));
    EXPECT_EQ(found.at, quotient);
    ExprId at = w.make(Op::at, w.integer, {w.var("xs"), integer(2)});
    env.set(w.pool->var_of(w.var("xs")), Sequence{{std::int64_t{1}}});
    EXPECT_EQ(fault(at), "there is no item 2 in a list of 1");
    EXPECT_EQ(fault(w.make(Op::value, w.integer, {w.make(Op::none, w.maybe, {})})),
              "there is no value in none");
    ExprId big = integer(std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(fault(w.make(Op::add, w.integer, {big, integer(1)})), "the result is beyond 64 bits");
    ExprId least = integer(std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(fault(divide(least, integer(-1))), "the result is beyond 64 bits");
    EXPECT_EQ(fault(w.pool->matches(w.pool->literal("a", w.string), "(")),
              "the pattern is not a regular expression");
}

TEST_F(EvaluateExamples, OnlyWhatIsNeededIsEvaluated) {
    ExprId bad = w.pool->equal(divide(integer(1), integer(0)), integer(1));
    ExprId no = w.pool->boolean(false), yes = w.pool->boolean(true);
    EXPECT_FALSE(value(w.pool->logical_and(no, bad)).boolean());
    EXPECT_TRUE(value(w.pool->logical_or(yes, bad)).boolean());
    EXPECT_TRUE(value(w.make(Op::implies, w.boolean, {no, bad})).boolean());
    EXPECT_EQ(value(w.make(Op::if_else, w.integer, {yes, integer(1), divide(integer(1), integer(0))})),
              Value(std::int64_t{1}));
    EXPECT_NE(fault(w.pool->logical_and(bad, no)), "none");
}

TEST_F(EvaluateExamples, ValuesOfAnotherTypeAreFaultsNotThrows) {
    env.set(w.pool->var_of(w.var("i")), "text");
    EXPECT_EQ(fault(w.var("i")), "the value of i is not of its type");
    env.set(w.pool->var_of(w.var("xs")), Sequence{{"text"}});
    EXPECT_EQ(fault(w.make(Op::sum, w.integer, {w.var("xs")})), "a value is of another type than declared");
    env.set(w.pool->var_of(w.var("p")), Sequence{});
    EXPECT_EQ(fault(w.make(Op::field, w.boolean, {w.var("p")}, 1)),
              "a value is of another type than declared");
    env.set(w.pool->var_of(w.var("r")), std::int64_t{3});
    EXPECT_EQ(value(w.var("r")), Value(3.0));
}

TEST_F(EvaluateExamples, DepthCostsNothing) {
    ExprId sum = w.var("i");
    ExprId both = w.var("b");
    for (int n = 0; n < 200'000; ++n) {
        sum = w.make(Op::add, w.integer, {integer(1), sum});
        both = w.make(Op::if_else, w.boolean, {w.pool->logical_not(both), both, w.var("b")});
    }
    env.set(w.pool->var_of(w.var("i")), std::int64_t{5});
    env.set(w.pool->var_of(w.var("b")), true);
    EXPECT_EQ(value(sum).integer(), 200'005);
    EXPECT_TRUE(value(both).boolean());
}

TEST_F(EvaluateExamples, SharingCostsNothing) {
    ExprId e = w.var("i");
    for (int n = 0; n < 60; ++n) e = w.make(Op::add, w.integer, {e, e});
    env.set(w.pool->var_of(w.var("i")), std::int64_t{1});
    EXPECT_EQ(value(e).integer(), std::int64_t{1} << 60);
}

TEST_F(EvaluateExamples, RememberedResultsBelongToTheirCall) {
    // Long enough that results are remembered; each call evaluates the same body on another argument.
    ExprId total = w.var("i");
    std::int64_t expected = 1;
    for (int n = 0; n < 1000; ++n) {
        total = w.make(Op::add, w.integer, {total, w.make(Op::call, w.integer, {integer(n)}, w.twice.index)});
        expected += std::int64_t{2} * n;
    }
    env.set(w.pool->var_of(w.var("i")), std::int64_t{1});
    EXPECT_EQ(value(total).integer(), expected);
    // A body that shares its parts is evaluated once a part, too.
    VarId x = w.pool->declare(w.name("x"), w.integer);
    ExprId body = w.pool->var(x);
    for (int n = 0; n < 40; ++n) body = w.make(Op::add, w.integer, {body, body});
    FunctionId f = w.pool->declare_function(w.name("f"), {x}, w.integer);
    w.pool->define(f, body);
    EXPECT_EQ(value(w.make(Op::call, w.integer, {integer(3)}, f.index)).integer(), std::int64_t{3} << 40);
}

TEST_F(EvaluateExamples, WorkIsBounded) {
    // Each function doubles: the text of the sixtieth would be longer than any memory.
    VarId x = w.pool->declare(w.name("x"), w.string);
    ExprId body = w.make(Op::concat, w.string, {w.pool->var(x), w.pool->var(x)});
    FunctionId f;
    for (int n = 0; n < 60; ++n) {
        f = w.pool->declare_function(w.name("f"), {x}, w.string);
        w.pool->define(f, body);
        body =
            w.make(Op::concat, w.string,
                   {w.make(Op::call, w.string, {w.pool->var(x)}, f.index), w.pool->literal("b", w.string)});
        body = w.make(Op::call, w.string, {body}, f.index);
    }
    EXPECT_EQ(fault(w.make(Op::call, w.string, {w.pool->literal("a", w.string)}, f.index)),
              "this needs too much work");
    // Structures that double at each level.
    TypeId type = w.types->list(w.string);
    ExprId nested = w.make(Op::list, type, {w.var("s"), w.var("s")});
    for (int n = 0; n < 60; ++n) {
        type = w.types->list(type);
        nested = w.make(Op::list, type, {nested, nested});
    }
    env.set(w.pool->var_of(w.var("s")), "");
    EXPECT_EQ(fault(nested), "this needs too much work");
}

TEST_F(EvaluateExamples, IntegersBecomeRealsWhereRealsAreWanted) {
    ExprId one = integer(1), two = integer(2);
    env.set(w.pool->var_of(w.var("i")), std::int64_t{1});
    EXPECT_EQ(value(w.make(Op::call, w.real, {w.var("i")}, w.half.index)), Value(0.5));
    EXPECT_EQ(value(w.make(Op::divide, w.real, {one, two})), Value(0.5));
    EXPECT_TRUE(value(w.pool->equal(w.var("i"), w.pool->literal(1.0, w.real))).boolean());
    ExprId list = w.make(Op::list, w.types->list(w.real), {w.var("i")});
    EXPECT_EQ(value(list), Value(Sequence{{1.0}}));
    ExprId same = w.pool->equal(list, w.make(Op::list, w.list, {w.var("i")}));
    EXPECT_TRUE(value(same).boolean());
    EXPECT_TRUE(value(w.make(Op::member, w.boolean, {w.var("i"), list})).boolean());
    EXPECT_TRUE(
        value(w.make(Op::permutes, w.boolean, {w.make(Op::list, w.list, {w.var("i")}), list})).boolean());
}

TEST(EnvironmentTest, KeepsTheLastValueOfEach) {
    Environment env;
    env.set(VarId(5u), std::int64_t{1});
    env.set(VarId(2u), std::int64_t{2});
    env.set(VarId(5u), std::int64_t{3});
    EXPECT_EQ(*env.get(VarId(5u)), Value(std::int64_t{3}));
    EXPECT_EQ(env.get(VarId(3u)), nullptr);
    Environment other;
    other.set(VarId(2u), std::int64_t{2});
    EXPECT_FALSE(env == other);
    env.clear(VarId(5u));
    env.clear(VarId(9u));
    EXPECT_TRUE(env == other);
}

}  // namespace
}  // namespace treaty::expr
