#include "expr/pool.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/testing/random_expressions.h"

namespace treaty::expr {
namespace {

// The structure of an expression spelled out, children included: a second way to say "equal".
std::string spell(const Pool& pool, ExprId id, std::map<ExprId, std::string>& known) {
    if (auto found = known.find(id); found != known.end()) return found->second;
    const Node& node = pool[id];
    std::string text = fmt::format("({}:{}", static_cast<int>(node.op), node.type.index);
    if (node.op == Op::literal || node.op == Op::matches)
        text += print(pool.literal_of(id), node.type, pool.types(), pool.names());
    else
        text += fmt::format("#{}", node.payload);
    for (ExprId child : pool.children(id)) text += spell(pool, child, known);
    return known[id] = text + ")";
}

TEST(PoolTest, EqualStructureIsEqualId) {
    std::uint64_t seed = property_seed();
    SCOPED_TRACE(testing::Message() << "TREATY_SEED=" << seed);
    SmallWorld w;
    RandomExpressions random(w, seed);
    for (int i = 0; i < 3000; ++i) random.expression(w.boolean, 4);
    std::map<ExprId, std::string> known;
    std::map<std::string, ExprId> seen;
    for (std::size_t i = 0; i < w.pool->size(); ++i) {
        ExprId id(i);
        auto [entry, fresh] = seen.emplace(spell(*w.pool, id, known), id);
        ASSERT_TRUE(fresh) << "one structure, two ids: " << entry->first;
        for (ExprId child : w.pool->children(id)) ASSERT_LT(child, id);
    }
    // Building all of it again makes nothing new.
    std::size_t before = w.pool->size();
    RandomExpressions again(w, seed);
    for (int i = 0; i < 3000; ++i) again.expression(w.boolean, 4);
    EXPECT_EQ(w.pool->size(), before);
}

TEST(PoolTest, ConstantsHaveOneForm) {
    SmallWorld w;
    ExprId one = w.pool->integer(1);
    ExprId list = w.make(Op::list, w.list, {one, one});
    EXPECT_EQ(list, w.pool->literal(Sequence{{std::int64_t{1}, std::int64_t{1}}}, w.list));
    EXPECT_EQ(w.make(Op::none, w.maybe, {}), w.pool->literal(Sequence{}, w.maybe));
    EXPECT_EQ(w.make(Op::some, w.maybe, {one}), w.pool->literal(Sequence{{std::int64_t{1}}}, w.maybe));
    EXPECT_EQ(w.make(Op::negate, w.integer, {one}), w.pool->integer(-1));
    EXPECT_EQ(w.pool->literal(std::int64_t{1}, w.ranged), one);
    EXPECT_EQ(w.pool->literal(std::int64_t{1}, w.real), w.pool->literal(1.0, w.real));
    ExprId reals = w.make(Op::list, w.types->list(w.real), {one, w.pool->literal(0.5, w.real)});
    EXPECT_EQ(w.pool->literal_of(reals), Value(Sequence{{1.0, 0.5}}));
}

TEST(PoolTest, VariablesWithOneNameStayApart) {
    SmallWorld w;
    VarId a = w.pool->declare(w.name("same"), w.integer);
    VarId b = w.pool->declare(w.name("same"), w.integer);
    EXPECT_NE(w.pool->var(a), w.pool->var(b));
    ExprId sum = w.make(Op::add, w.integer,
                        {w.pool->var(b), w.make(Op::add, w.integer, {w.pool->var(a), w.pool->var(b)})});
    EXPECT_EQ(w.pool->variables_of(sum), (std::vector{a, b}));
}

TEST(PoolTest, PatternsAreCompiledOnceAndBadOnesAreNull) {
    SmallWorld w;
    ExprId good = w.pool->matches(w.var("s"), "a+");
    EXPECT_EQ(good, w.pool->matches(w.var("s"), "a+"));
    EXPECT_NE(w.pool->pattern_of(good), nullptr);
    EXPECT_EQ(w.pool->pattern_of(w.pool->matches(w.var("s"), "(")), nullptr);
}

TEST(PoolTest, ChildrenMayBeTakenFromThePoolItself) {
    SmallWorld w;
    ExprId id = w.make(Op::list, w.list, {w.var("i"), w.var("j")});
    for (int i = 0; i < 2000; ++i) {
        w.pool->make(Op::list, w.types->list(w.types->integer(0, i)), w.pool->children(id));
        ASSERT_EQ(w.pool->children(ExprId(w.pool->size() - 1))[1], w.var("j"));
    }
}

TEST(SubstituteTest, ReplacesAndKeepsTheRest) {
    SmallWorld w;
    ExprId sum = w.make(Op::add, w.integer, {w.var("i"), w.var("j")});
    ExprId both = w.pool->logical_and(w.pool->equal(sum, w.var("k")), w.var("b"));
    VarId i = w.pool->var_of(w.var("i"));
    ExprId replaced = substitute(*w.pool, both, {{i, w.pool->integer(3)}});
    ExprId expected = w.pool->logical_and(
        w.pool->equal(w.make(Op::add, w.integer, {w.pool->integer(3), w.var("j")}), w.var("k")), w.var("b"));
    EXPECT_EQ(replaced, expected);
    EXPECT_EQ(substitute(*w.pool, both, {{i, ExprId()}}), both);
    EXPECT_EQ(substitute(*w.pool, both, {}), both);
}

TEST(SubstituteTest, EvaluatesLikeTheAssignment) {
    std::uint64_t seed = property_seed();
    SmallWorld w;
    RandomExpressions random(w, seed);
    for (int n = 0; n < 4000; ++n) {
        ExprId whole = random.expression(w.boolean, 4);
        Environment environment = random.environment();
        // Integers may take the place of reals.
        TypeId types[] = {w.integer, w.real, w.list, w.maybe, w.point};
        TypeId type = types[random.below(5)];
        absl::flat_hash_map<VarId, ExprId> by;
        Environment assigned = environment;
        bool usable = true;
        for (VarId id : w.variables) {
            if (w.pool->variable(id).type != type || random.chance(30)) continue;
            ExprId value = random.expression(type == w.real && random.chance(50) ? w.integer : type, 2);
            Result result = evaluate(*w.pool, value, environment);
            if (auto* v = std::get_if<Value>(&result))
                assigned.set(id, *v);
            else
                usable = false;
            by.emplace(id, value);
        }
        if (!usable) continue;
        Result expected = evaluate(*w.pool, whole, assigned);
        Result actual = evaluate(*w.pool, substitute(*w.pool, whole, by), environment);
        ASSERT_EQ(expected.index(), actual.index()) << "TREATY_SEED=" << seed << " case " << n;
        if (expected.index() == 0) {
            ASSERT_EQ(std::get<Value>(expected), std::get<Value>(actual))
                << "TREATY_SEED=" << seed << " case " << n;
        }
    }
}

TEST(SubstituteTest, DeepAndSharedExpressionsAreNoTrouble) {
    SmallWorld w;
    ExprId deep = w.var("i");
    for (int n = 0; n < 100'000; ++n) deep = w.make(Op::subtract, w.integer, {deep, deep});
    VarId i = w.pool->var_of(w.var("i"));
    ExprId replaced = substitute(*w.pool, deep, {{i, w.var("j")}});
    EXPECT_EQ(w.pool->variables_of(replaced), std::vector{w.pool->var_of(w.var("j"))});
}

}  // namespace
}  // namespace treaty::expr
