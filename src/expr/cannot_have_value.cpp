#include "expr/cannot_have_value.h"

#include <algorithm>

namespace treaty::expr {

namespace {

bool may_leave_out_operands(Op op) {
    return op == Op::logical_and || op == Op::logical_or || op == Op::implies || op == Op::if_else;
}

}  // namespace

bool cannot_have_value(const Pool& pool, ExprId expression, const Environment& known) {
    std::vector<ExprId> parts = pool.parts_of(expression);
    std::vector<bool> unknown(parts.size()), lacks(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Node& node = pool[parts[i]];
        if (node.op == Op::var) unknown[i] = !known.get(pool.var_of(parts[i]));
        bool needed = true;
        for (ExprId child : pool.children(parts[i])) {
            auto at = std::lower_bound(parts.begin(), parts.end(), child) - parts.begin();
            unknown[i] = unknown[i] || unknown[static_cast<std::size_t>(at)];
            lacks[i] = lacks[i] || (needed && lacks[static_cast<std::size_t>(at)]);
            needed = !may_leave_out_operands(node.op);
        }
        if (!unknown[i] && node.op != Op::literal)
            lacks[i] = std::holds_alternative<Fault>(evaluate(pool, parts[i], known));
    }
    return lacks.back();
}

bool cannot_hold(const Pool& pool, ExprId condition, const Environment& known) {
    std::vector<ExprId> conjuncts = {condition};
    while (!conjuncts.empty()) {
        ExprId one = conjuncts.back();
        conjuncts.pop_back();
        if (pool[one].op == Op::logical_and)
            conjuncts.insert(conjuncts.end(), pool.children(one).begin(), pool.children(one).end());
        else if (cannot_have_value(pool, one, known))
            return true;
    }
    return false;
}

}  // namespace treaty::expr
