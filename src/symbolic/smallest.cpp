#include "symbolic/smallest.h"

#include <algorithm>

#include "symbolic/linear.h"

namespace treaty::symbolic {
namespace {

using expr::Op;
using expr::TypeKind;
using solve::Satisfiable;

constexpr std::int64_t max_magnitude = std::int64_t{1} << 40;
constexpr std::int64_t max_elements = 16;  // made small one by one

class Minimiser {
public:
    Minimiser(Logic& logic, const Asking& ask) : logic_(logic), ask_(ask), pool_(logic.pool()) {}

    void assume(ExprId term) {
        switch (pool_.types().kind(pool_[term].type)) {
            case TypeKind::integer: near_zero(term); break;
            case TypeKind::string:
            case TypeKind::bytes: near_zero(size_of(term)); break;
            case TypeKind::list: {
                near_zero(size_of(term));
                elements(term);
                break;
            }
            default: break;
        }
        if (pool_[term].op == Op::var) fix(pool_.var_of(term));
    }

private:
    bool possible(ExprId condition) { return ask_(condition).satisfiable == Satisfiable::yes; }
    ExprId size_of(ExprId term) {
        ExprId parts[] = {term};
        return pool_.make(Op::size, pool_.types().integer(), parts);
    }

    void near_zero(ExprId term) {
        auto within = [&](std::int64_t most) {
            return pool_.logical_and(compare(pool_, Op::greater_equal, term, pool_.integer(-most)),
                                     compare(pool_, Op::less_equal, term, pool_.integer(most)));
        };
        std::int64_t low = -1, high = 0;
        while (high < max_magnitude && !possible(within(high))) {
            low = high;
            high = high == 0 ? 1 : high * 2;
        }
        while (high - low > 1) {
            std::int64_t middle = low + (high - low) / 2;
            (possible(within(middle)) ? high : low) = middle;
        }
        for (std::int64_t value : {high, -high}) {
            ExprId fixed = pool_.equal(term, pool_.integer(value));
            if (!possible(fixed)) continue;
            logic_.solver().assume(fixed);
            return;
        }
    }

    void elements(ExprId list) {
        expr::TypeId type = pool_.types()[pool_[list].type].element;
        if (pool_[list].op != Op::var || pool_.types().kind(type) != TypeKind::integer) return;
        auto model = ask_(logic_.yes()).model;
        const expr::Value* now = model.get(pool_.var_of(list));
        if (!now) return;
        auto count = std::min(max_elements, static_cast<std::int64_t>(now->items().size()));
        for (std::int64_t i = 0; i < count; ++i) {
            ExprId parts[] = {list, pool_.integer(i)};
            near_zero(pool_.make(Op::at, pool_.types().base(type), parts));
        }
    }

    // What is left of it: as the solver found it.
    void fix(VarId v) {
        auto model = ask_(logic_.yes()).model;
        const expr::Value* value = model.get(v);
        if (!value) return;
        ExprId fixed =
            pool_.equal(pool_.var(v), pool_.literal(*value, pool_.types().base(pool_.variable(v).type)));
        if (possible(fixed)) logic_.solver().assume(fixed);
    }

    Logic& logic_;
    const Asking& ask_;
    expr::Pool& pool_;
};

}  // namespace

void assume_smallest(Logic& logic, VarId v) {
    assume_smallest(logic, v, [&](ExprId condition) { return logic.solver().check(condition); });
}

void assume_smallest(Logic& logic, VarId v, const Asking& ask) {
    Minimiser(logic, ask).assume(logic.pool().var(v));
}

solve::SolverAnswer smallest_model(Logic& logic, ExprId condition, std::span<const VarId> order) {
    solve::Solver& solver = logic.solver();
    solver.push();
    solver.assume(condition);
    solve::SolverAnswer answer = solver.check();
    if (answer.satisfiable == Satisfiable::yes) {
        auto read = logic.pool().variables_of(condition);
        for (VarId v : order)
            if (std::find(read.begin(), read.end(), v) != read.end()) assume_smallest(logic, v);
        solve::SolverAnswer small = solver.check();
        if (small.satisfiable == Satisfiable::yes) answer = std::move(small);
    }
    solver.pop();
    return answer;
}

}  // namespace treaty::symbolic
