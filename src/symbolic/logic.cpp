// Elimination works on conditions without negation. An equation z == t that must hold is substituted; what
// does not mention z is left outside. Otherwise the truth of the condition, as z grows, changes only at the
// bounds its comparisons name: it is enough to try a value below all of them and, for each, the first value
// of the stretch that begins there. With coefficients, all are brought to one multiple d of z, and the tried
// values are those from the bound on, within d, that d divides.

#include "symbolic/logic.h"

#include <algorithm>
#include <numeric>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "expr/has_value.h"
#include "expr/print.h"
#include "expr/simplify.h"
#include "symbolic/linear.h"
#include "symbolic/value_sets.h"

namespace treaty::symbolic {
namespace {

using expr::Op;
using expr::Pool;
using expr::TypeKind;
using solve::Satisfiable;

constexpr std::size_t few_values = 16;
constexpr std::int64_t max_divisor = 24;
constexpr std::size_t max_points = 200;
constexpr std::size_t max_parts = 20'000;
constexpr std::size_t shorten_budget = 400;

bool is_truth(const Pool& pool, ExprId e) {
    return pool.types().kind(pool[e].type) == TypeKind::boolean;
}

// Nodes whose children are conditions themselves.
bool is_connective(const Pool& pool, ExprId e) {
    switch (pool[e].op) {
        case Op::logical_and:
        case Op::logical_or:
        case Op::logical_not:
        case Op::implies: return true;
        case Op::equal:
        case Op::not_equal: return is_truth(pool, pool.children(e)[0]);
        case Op::if_else: return is_truth(pool, e);
        default: return false;
    }
}

// Each part once, however often it is shared.
std::vector<ExprId> split(const Pool& pool, ExprId e, Op op) {
    std::vector<ExprId> out, pending{e};
    absl::flat_hash_set<ExprId> seen;
    while (!pending.empty()) {
        ExprId id = pending.back();
        pending.pop_back();
        if (!seen.insert(id).second) continue;
        if (pool[id].op == op) {
            auto c = pool.children(id);
            pending.insert(pending.end(), c.rbegin(), c.rend());
        } else {
            out.push_back(id);
        }
    }
    return out;
}

}  // namespace

bool Logic::mentions(ExprId e, VarId z) const {
    auto variables = pool_.variables_of(e);
    return std::binary_search(variables.begin(), variables.end(), z);
}

std::vector<ExprId> Logic::conjuncts(ExprId e) const {
    return split(pool_, e, Op::logical_and);
}
std::vector<ExprId> Logic::disjuncts(ExprId e) const {
    return split(pool_, e, Op::logical_or);
}

bool Logic::is_atom(ExprId part) const {
    return is_truth(pool_, part) && !is_connective(pool_, part) && !pool_.is_literal(part);
}

std::vector<ExprId> Logic::atoms(ExprId e) const {
    std::vector<ExprId> out;
    for (ExprId part : pool_.parts_of(e))
        if (is_atom(part)) out.push_back(part);
    return out;
}

// A comparison that may lack a value does not hold where it does. A condition on its parts may lack one in
// turn (the divisor of a divisor), but they are smaller.
ExprId Logic::total(ExprId e) {
    if (auto found = total_.find(e); found != total_.end()) return found->second;
    absl::flat_hash_map<ExprId, ExprId> by;
    for (ExprId atom : pool_.parts_of(e)) {
        ++work_.examined;
        if (!is_atom(atom)) continue;
        ExprId present = expr::has_value(pool_, atom, expr::Variables::all_present);
        if (!pool_.is_true(present))
            by[atom] = pool_.logical_and(total(present),
                                         expr::total_parts(pool_, atom, expr::Variables::all_present));
    }
    ExprId result = by.empty() ? e : expr::replace_parts(pool_, e, by);
    total_[result] = result;
    return total_[e] = result;
}

ExprId Logic::all_of(std::vector<ExprId> parts) {
    std::vector<ExprId> flat;
    for (ExprId part : parts)
        for (ExprId c : conjuncts(total(part))) flat.push_back(c);
    work_.combined += flat.size();
    std::sort(flat.begin(), flat.end());
    flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
    ExprId result = yes();
    for (ExprId c : flat) {
        if (pool_.is_false(c)) return no();
        if (pool_.is_true(c)) continue;
        if (!is_connective(pool_, c) && std::binary_search(flat.begin(), flat.end(), opposite(c)))
            return no();
        result = pool_.is_true(result) ? c : pool_.logical_and(result, c);
        total_[result] = result;  // as its parts are; looking at them again would cost their whole size
    }
    return result;
}

ExprId Logic::any_of(std::vector<ExprId> parts) {
    std::vector<ExprId> flat;
    for (ExprId part : parts)
        for (ExprId c : disjuncts(total(part))) flat.push_back(c);
    work_.combined += flat.size();
    std::sort(flat.begin(), flat.end());
    flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
    ExprId result = no();
    for (ExprId c : flat) {
        if (pool_.is_true(c)) return yes();
        if (pool_.is_false(c)) continue;
        if (!is_connective(pool_, c) && std::binary_search(flat.begin(), flat.end(), opposite(c)))
            return yes();
        result = pool_.is_false(result) ? c : pool_.logical_or(result, c);
        total_[result] = result;
    }
    return result;
}

ExprId Logic::opposite(ExprId atom) {
    Op op = pool_[atom].op;
    if (op == Op::logical_not) return pool_.children(atom)[0];
    if (!expr::is_comparison(op)) return pool_.logical_not(atom);
    std::vector<ExprId> c(pool_.children(atom).begin(), pool_.children(atom).end());
    return compare(pool_, expr::opposite_of(op), c[0], c[1]);
}

// What the normal form of a condition is made of: a chain of `and` or `or` is one step, so that its length
// costs no more than its parts.
std::vector<ExprId> Logic::operands(ExprId e) const {
    Op op = pool_[e].op;
    if (op == Op::logical_and || op == Op::logical_or) return split(pool_, e, op);
    if (!is_connective(pool_, e)) return {};
    auto c = pool_.children(e);
    return {c.begin(), c.end()};
}

// Operands first; they are waited for on a stack of its own, so depth costs no recursion.
ExprId Logic::normal(ExprId e, bool negative) {
    e = total(e);
    std::vector<ExprId> pending{e};
    while (!pending.empty()) {
        ExprId part = pending.back();
        if (normal_.contains({part, false})) {
            pending.pop_back();
            continue;
        }
        std::vector<ExprId> c = operands(part);
        std::size_t before = pending.size();
        for (auto operand = c.rbegin(); operand != c.rend(); ++operand)
            if (!normal_.contains({*operand, false})) pending.push_back(*operand);
        if (pending.size() == before) make_normal(part, c);
    }
    return normal_.at({e, negative});
}

void Logic::make_normal(ExprId part, const std::vector<ExprId>& operands) {
    auto plain = [&](std::size_t i) { return normal_.at({operands[i], false}); };
    auto against = [&](std::size_t i) { return normal_.at({operands[i], true}); };
    auto every = [&](bool negative) {
        std::vector<ExprId> sides;
        for (ExprId operand : operands) sides.push_back(normal_.at({operand, negative}));
        return sides;
    };
    ExprId is = part, is_not;
    if (!is_connective(pool_, part)) {
        is = expr::simplify(pool_, part);
        is_not = pool_.is_literal(is) ? pool_.boolean(pool_.is_false(is)) : opposite(is);
    } else if (pool_[part].op == Op::logical_and) {
        is = all_of(every(false));
        is_not = any_of(every(true));
    } else if (pool_[part].op == Op::logical_or) {
        is = any_of(every(false));
        is_not = all_of(every(true));
    } else if (pool_[part].op == Op::implies) {
        is = any_of({against(0), plain(1)});
        is_not = all_of({plain(0), against(1)});
    } else if (pool_[part].op == Op::logical_not) {
        is = against(0);
        is_not = plain(0);
    } else if (pool_[part].op == Op::if_else) {
        is = any_of({all_of({plain(0), plain(1)}), all_of({against(0), plain(2)})});
        is_not = any_of({all_of({plain(0), against(1)}), all_of({against(0), against(2)})});
    } else {  // == and != of conditions
        is = any_of({all_of({plain(0), plain(1)}), all_of({against(0), against(1)})});
        is_not = any_of({all_of({plain(0), against(1)}), all_of({against(0), plain(1)})});
        if (pool_[part].op == Op::not_equal) std::swap(is, is_not);
    }
    normal_[{part, false}] = is;
    normal_[{part, true}] = is_not;
}

std::optional<ExprId> Logic::replaced(ExprId e, VarId z, ExprId by) {
    ExprId result = negation_free(expr::simplify(pool_, expr::substitute(pool_, e, {{z, by}})));
    if (too_large(result)) return std::nullopt;
    return result;
}

bool Logic::too_large(ExprId e) {
    if (pool_.parts_of(e).size() <= max_parts) return false;
    problem_ = "the condition grows too large";
    return true;
}

std::optional<ExprId> Logic::for_all(VarId z, ExprId e) {
    auto some = exists(z, negation(e));
    if (!some) return std::nullopt;
    return negation(*some);
}

std::optional<ExprId> Logic::exists(VarId z, ExprId e) {
    if (mentions(e, z) && too_large(e)) return std::nullopt;
    e = negation_free(e);
    if (!mentions(e, z)) return e;
    if (too_large(e)) return std::nullopt;
    std::vector<ExprId> outside, inside;
    for (ExprId c : conjuncts(e)) (mentions(c, z) ? inside : outside).push_back(c);
    ExprId core = all_of(inside);
    std::optional<ExprId> found = inside.size() == 1 && pool_[core].op == Op::logical_or
                                      ? exists_in_some(z, disjuncts(core))
                                      : by_equality(z, core);
    if (!found) found = try_values(z, core);
    if (!found) found = try_points(z, core);
    if (!found) found = asked(z, core);
    if (!found) return std::nullopt;
    outside.push_back(*found);
    return all_of(outside);
}

std::optional<ExprId> Logic::exists_in_some(VarId z, const std::vector<ExprId>& parts) {
    std::vector<ExprId> found;
    for (ExprId part : parts) {
        auto some = exists(z, part);
        if (!some) return std::nullopt;
        found.push_back(*some);
    }
    return any_of(found);
}

// The solver finds a value, or proves that there is none for any values of the others.
std::optional<ExprId> Logic::asked(VarId z, ExprId e) {
    auto answer = solver_.check(e).satisfiable;
    if (answer == solve::Satisfiable::no) return no();
    auto read = pool_.variables_of(e);
    bool alone = std::all_of(read.begin(), read.end(), [&](VarId v) { return v == z; });
    if (answer == solve::Satisfiable::yes && alone) return yes();
    return std::nullopt;
}

// z == t among what must hold.
std::optional<ExprId> Logic::by_equality(VarId z, ExprId e) {
    const expr::Type& type = pool_.types()[pool_.variable(z).type];
    if (type.low || type.high) return std::nullopt;
    for (ExprId c : conjuncts(e)) {
        if (pool_[c].op != Op::equal) continue;
        auto comparison = comparison_of(pool_, c, z);
        if (!comparison || comparison->coefficient != 1 || mentions(comparison->bound, z)) continue;
        if (pool_.types().base(pool_[comparison->bound].type) != pool_.types().base(pool_.variable(z).type))
            continue;
        return replaced(e, z, comparison->bound);
    }
    return std::nullopt;
}

// All values, if the type or the condition leaves few.
std::optional<ExprId> Logic::try_values(VarId z, ExprId e) {
    expr::TypeId id = pool_.variable(z).type;
    const NamedCondition must_hold{z, e};
    auto values = values_within(pool_, id, {&must_hold, 1}, {}, few_values);
    if (!values) return std::nullopt;
    std::vector<ExprId> parts;
    for (const expr::Value& value : *values) {
        auto part = replaced(e, z, pool_.literal(value, pool_.types().base(id)));
        if (!part) return std::nullopt;
        parts.push_back(*part);
    }
    return any_of(parts);
}

namespace {

struct Bounded {
    ExprId atom;
    Comparison comparison;
};

// Where an interval of equal truth begins: at the bound, after it, or below everything.
struct Point {
    enum class Kind : std::uint8_t { below, at, above };
    Kind kind = Kind::below;
    ExprId bound;  // in multiples of the common divisor
    friend bool operator==(const Point&, const Point&) = default;
};

ExprId truth_at(Pool& pool, const Comparison& c, ExprId bound, const Point& point, bool dense) {
    Op op = c.op;
    if (point.kind == Point::Kind::below)
        return pool.boolean(op == Op::less || op == Op::less_equal || op == Op::not_equal);
    if (point.kind == Point::Kind::at || !dense) return compare(pool, op, point.bound, bound);
    // Above the bound by less than anything.
    if (op == Op::equal) return pool.boolean(false);
    if (op == Op::not_equal) return pool.boolean(true);
    bool below = op == Op::less || op == Op::less_equal;
    return compare(pool, below ? Op::less : Op::greater_equal, point.bound, bound);
}

}  // namespace

std::optional<ExprId> Logic::try_points(VarId z, ExprId e) {
    const expr::Type type = pool_.types()[pool_.variable(z).type];
    bool integer = type.kind == TypeKind::integer, dense = type.kind == TypeKind::real;
    // Of these there is always one more that differs from all that are named.
    bool endless =
        type.kind == TypeKind::string || type.kind == TypeKind::bytes || type.kind == TypeKind::list;
    if (integer && type.low)
        e = all_of({e, compare(pool_, Op::greater_equal, pool_.var(z), pool_.integer(*type.low))});
    if (integer && type.high)
        e = all_of({e, compare(pool_, Op::less_equal, pool_.var(z), pool_.integer(*type.high))});
    std::vector<Bounded> bounded;
    std::int64_t divisor = 1;
    for (ExprId atom : atoms(e)) {
        if (!mentions(atom, z)) continue;
        auto c = comparison_of(pool_, atom, z);
        bool known = c && (integer || dense || (endless && (c->op == Op::equal || c->op == Op::not_equal)));
        if (known && c->coefficient > 1) divisor = std::lcm(divisor, c->coefficient);
        if (!known || divisor > max_divisor || (dense && divisor > 1)) {
            problem_ = fmt::format("{} cannot be eliminated from {}",
                                   pool_.names().text(pool_.variable(z).name), expr::print(pool_, atom));
            return std::nullopt;
        }
        bounded.push_back({atom, *c});
    }
    auto scaled_bound = [&](const Comparison& c) {
        return divisor == c.coefficient || c.coefficient == 0
                   ? c.bound
                   : scaled(pool_, divisor / c.coefficient, c.bound);
    };
    std::vector<Point> points{{}};
    auto add = [&](Point p) {
        if (std::find(points.begin(), points.end(), p) == points.end()) points.push_back(p);
    };
    for (const Bounded& b : bounded) {
        if (b.comparison.coefficient == 0) continue;
        ExprId bound = scaled_bound(b.comparison);
        bool from_bound = b.comparison.op != Op::less_equal && b.comparison.op != Op::greater;
        bool above = b.comparison.op != Op::less && b.comparison.op != Op::greater_equal;
        if (from_bound || dense) add({Point::Kind::at, bound});
        if (!above && !dense) continue;
        if (dense)
            add({Point::Kind::above, bound});
        else if (integer)
            add({Point::Kind::at, plus(pool_, bound, pool_.integer(1))});
    }
    if (points.size() * static_cast<std::size_t>(divisor) > max_points) {
        problem_ = "too many comparisons with one value";
        return std::nullopt;
    }
    std::vector<ExprId> parts;
    for (const Point& point : points) {
        for (std::int64_t j = 0; j < (point.kind == Point::Kind::below ? 1 : divisor); ++j) {
            Point moved = point;
            if (j > 0) moved.bound = plus(pool_, point.bound, pool_.integer(j));
            absl::flat_hash_map<ExprId, ExprId> by;
            for (const Bounded& b : bounded) {
                ExprId bound = scaled_bound(b.comparison);
                by[b.atom] = b.comparison.coefficient == 0
                                 ? compare(pool_, b.comparison.op, pool_.integer(0), bound)
                                 : truth_at(pool_, b.comparison, bound, moved, dense);
            }
            ExprId part = negation_free(expr::replace_parts(pool_, e, by));
            if (divisor > 1 && point.kind != Point::Kind::below) {
                ExprId sides[] = {moved.bound, pool_.integer(divisor)};
                ExprId remainder = pool_.make(Op::modulo, pool_.types().integer(), sides);
                part = all_of({part, compare(pool_, Op::equal, remainder, pool_.integer(0))});
            }
            parts.push_back(part);
        }
    }
    ExprId result = any_of(parts);
    if (too_large(result)) return std::nullopt;
    return result;
}

ExprId Logic::tidy(ExprId e) {
    e = negation_free(e);
    if (pool_.is_literal(e)) return e;
    if (solver_.check(e).satisfiable == Satisfiable::no) return no();
    if (solver_.valid(e) == Satisfiable::yes) return yes();
    if (conjuncts(e).size() + disjuncts(e).size() <= 3) return e;
    std::size_t budget = 40;
    return shorten(e, budget);
}

// Drops, innermost last, what the rest decides already. The solver holds what surrounds the part.
ExprId Logic::shorten(ExprId e, std::size_t& budget) {
    if (budget == 0 || pool_.is_literal(e)) return e;
    bool conjunction = pool_[e].op == Op::logical_and;
    if (!conjunction && pool_[e].op != Op::logical_or) {
        --budget;
        if (solver_.valid(e) == Satisfiable::yes) return yes();
        return solver_.check(e).satisfiable == Satisfiable::no ? no() : e;
    }
    std::vector<ExprId> parts = conjunction ? conjuncts(e) : disjuncts(e);
    // Long parts first: they are more likely to follow from the short ones.
    std::stable_sort(parts.begin(), parts.end(),
                     [&](ExprId a, ExprId b) { return pool_.parts_of(a).size() > pool_.parts_of(b).size(); });
    for (std::size_t i = 0; i < parts.size() && budget > 0; ++i) {
        std::vector<ExprId> rest = parts;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        ExprId context = conjunction ? all_of(rest) : negation(any_of(rest));
        solver_.push();
        solver_.assume(context);
        ExprId shorter = shorten(parts[i], budget);
        solver_.pop();
        parts[i] = shorter;
    }
    return conjunction ? all_of(parts) : any_of(parts);
}

// The values of its variables, if there is only one of each: `k == 0` for `k < 1 and k > -1`.
std::optional<ExprId> Logic::only_values(ExprId e) {
    std::vector<ExprId> all;
    solve::SolverAnswer some = solver_.check(e);
    for (VarId v : pool_.variables_of(e)) {
        const expr::Value* value = some.model.get(v);
        if (!value || pool_.types().kind(pool_.variable(v).type) != TypeKind::integer) return std::nullopt;
        all.push_back(pool_.equal(pool_.var(v), pool_.integer(value->integer())));
    }
    ExprId values = all_of(all);
    if (all.empty() || solver_.valid(implies(e, values)) != Satisfiable::yes) return std::nullopt;
    return values;
}

ExprId Logic::minimal(ExprId e) {
    e = tidy(e);
    if (pool_.is_literal(e)) return e;
    if (auto values = only_values(e)) return *values;
    // The comparisons that it implies; often they are all there is to it.
    std::vector<ExprId> implied;
    for (ExprId atom : atoms(e))
        for (ExprId side : {atom, opposite(atom)})
            if (solver_.valid(implies(e, side)) == Satisfiable::yes) implied.push_back(side);
    ExprId whole = all_of(implied);
    std::size_t budget = shorten_budget;
    if (!implied.empty() && solver_.valid(implies(whole, e)) == Satisfiable::yes)
        return shorten(whole, budget);
    return shorten(e, budget);
}

}  // namespace treaty::symbolic
