// Values with which nothing can be done, found by counterexamples and by trying all values.

#include "symbolic/stuck.h"

#include <functional>

#include <gtest/gtest.h>

#include "choreo/testing/seeds.h"
#include "expr/print.h"
#include "expr/testing/random_expressions.h"

namespace treaty::symbolic {
namespace {

using expr::Environment;
using expr::Op;
using expr::TypeKind;
using expr::Value;
using solve::Satisfiable;

std::vector<Value> domain(const expr::SmallWorld& w, VarId v) {
    std::vector<Value> all;
    switch (w.types->kind(w.pool->variable(v).type)) {
        case TypeKind::boolean: return {false, true};
        case TypeKind::integer:
            for (std::int64_t x = -2; x <= 3; ++x) all.emplace_back(x);
            return all;
        case TypeKind::enumeration:
            for (std::uint32_t x = 0; x < 3; ++x) all.emplace_back(expr::EnumMember{x});
            return all;
        default: return {};
    }
}

// Whether some assignment of these variables satisfies the test.
bool some(const expr::SmallWorld& w, const std::vector<VarId>& variables, Environment& values,
          const std::function<bool()>& test, std::size_t at = 0) {
    if (at == variables.size()) return test();
    for (const Value& value : domain(w, variables[at])) {
        values.set(variables[at], value);
        if (some(w, variables, values, test, at + 1)) return true;
    }
    return false;
}

struct Case {
    std::vector<VarId> given, chosen;
    std::vector<Offer> offers;
};

bool can_be_taken(const expr::SmallWorld& w, const Case& c, Environment& values) {
    return std::any_of(c.offers.begin(), c.offers.end(), [&](const Offer& offer) {
        return some(w, offer.chosen, values, [&] { return satisfied(*w.pool, offer.condition, values); });
    });
}

// Offers about few variables with few values, of which the later ones are chosen.
std::optional<Case> make_case(expr::SmallWorld& w, expr::RandomExpressions& random, std::mt19937_64& chance) {
    Case c;
    std::size_t count = 1 + chance() % 2;
    while (c.offers.size() < count) {
        ExprId condition = random.expression(w.boolean, 3);
        auto read = w.pool->variables_of(condition);
        for (VarId v : read)
            if (domain(w, v).empty()) return std::nullopt;
        c.offers.push_back({condition, {}});
        for (VarId v : read) {
            bool known = std::find(c.given.begin(), c.given.end(), v) != c.given.end();
            bool own = std::find(c.chosen.begin(), c.chosen.end(), v) != c.chosen.end();
            if (!known && !own) (chance() % 2 ? c.given : c.chosen).push_back(v);
        }
    }
    if (c.given.empty() || c.chosen.empty() || c.given.size() + c.chosen.size() > 5) return std::nullopt;
    for (Offer& offer : c.offers) offer.chosen = c.chosen;
    return c;
}

TEST(Stuck, AgreesWithTryingAllValues) {
    std::uint64_t seed = expr::property_seed();
    expr::SmallWorld w{true};
    expr::RandomExpressions random{w, seed};
    random.extremes = false;
    random.reals = false;
    std::mt19937_64 chance(seed);
    solve::Solver solver(*w.pool, std::chrono::seconds(2));
    Logic logic(*w.pool, solver);
    std::size_t stuck = 0, free = 0, unknown = 0;
    for (std::uint64_t n = 0; n < choreo::testing::seeds(6000); ++n) {
        auto c = make_case(w, random, chance);
        if (!c) continue;
        std::string text = "TREATY_SEED=" + std::to_string(seed) + " case " + std::to_string(n) + ":";
        for (const Offer& offer : c->offers) text += " " + print(*w.pool, offer.condition);
        StuckSearch search(logic, c->offers, {});
        auto answer = search.find(logic.yes());
        if (answer.satisfiable == Satisfiable::unknown) {
            ++unknown;
            EXPECT_NE(answer.reason, "") << text;
            continue;
        }
        Environment values;
        bool possible = some(w, c->given, values, [&] { return !can_be_taken(w, *c, values); });
        ASSERT_EQ(answer.satisfiable == Satisfiable::yes, possible) << text;
        ++(possible ? stuck : free);
        if (!possible) continue;
        Environment found;
        for (VarId v : c->given) found.set(v, answer.model.get(v) ? *answer.model.get(v) : domain(w, v)[0]);
        ASSERT_FALSE(can_be_taken(w, *c, found)) << text;
    }
    EXPECT_GT(stuck, 40u);
    EXPECT_GT(free, 40u);
    // Some operators on lists and texts are only computed, never solved for.
    EXPECT_LT(unknown * 10, stuck + free);
}

// What was learnt for one question serves the next, under other assumptions.
TEST(Stuck, IsAskedAgainUnderOtherAssumptions) {
    expr::SmallWorld w;
    solve::Solver solver(*w.pool);
    Logic logic(*w.pool, solver);
    ExprId i = w.var("i"), j = w.var("j");
    ExprId square = w.make(Op::multiply, w.integer, {j, j});
    StuckSearch search(logic, {{w.pool->equal(square, i), {w.pool->var_of(j)}}}, {});
    auto at = [&](std::int64_t x) { return search.find(w.pool->equal(i, w.pool->integer(x))).satisfiable; };
    for (std::int64_t x : {0, 1, 4, 9}) EXPECT_EQ(at(x), Satisfiable::no) << x;
    for (std::int64_t x : {-1, 2, 3, 5}) EXPECT_EQ(at(x), Satisfiable::yes) << x;
    solver.push();
    solver.assume(w.pool->equal(i, w.pool->integer(4)));
    EXPECT_EQ(search.find(logic.yes()).satisfiable, Satisfiable::no);
    solver.pop();
    EXPECT_EQ(search.find(logic.yes()).satisfiable, Satisfiable::yes);
}

}  // namespace
}  // namespace treaty::symbolic
