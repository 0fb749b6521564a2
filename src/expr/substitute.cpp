// Substitution rebuilds the parts of an expression from the leaves up; what holds no replaced variable keeps
// its id. An integer that takes the place of a real is converted on the way in (x + 0.0), because 1 / 2 means
// another thing on integers than on reals.

#include <algorithm>

#include "expr/pool.h"

namespace treaty::expr {
namespace {

ExprId as_type(Pool& pool, ExprId x, TypeId wanted) {
    Types& types = pool.types();
    if (types.base(pool[x].type) == types.base(wanted) || types.kind(wanted) == TypeKind::unknown) return x;
    if (pool.is_literal(x)) return pool.literal(pool.literal_of(x), wanted);
    if (types.kind(wanted) == TypeKind::real) {
        ExprId children[] = {x, pool.literal(0.0, types.real())};
        return pool.make(Op::add, types.real(), children);
    }
    // Both branches are the same; the condition's only purpose is to give the result the wanted type.
    ExprId children[] = {pool.boolean(true), x, x};
    return pool.make(Op::if_else, wanted, children);
}

}  // namespace

ExprId replace_parts(Pool& pool, ExprId expression, const absl::flat_hash_map<ExprId, ExprId>& by) {
    absl::flat_hash_map<ExprId, ExprId> changed;  // parts that do not stay as they are
    std::vector<ExprId> children;
    for (ExprId part : pool.parts_of(expression)) {
        if (auto found = by.find(part); found != by.end()) {
            changed.emplace(part, as_type(pool, found->second, pool[part].type));
            continue;
        }
        auto old = pool.children(part);
        children.assign(old.begin(), old.end());
        bool touched = false;
        for (ExprId& child : children) {
            if (auto found = changed.find(child); found != changed.end()) {
                child = found->second;
                touched = true;
            }
        }
        if (!touched) continue;
        Node node = pool[part];
        changed.emplace(part, pool.make(node.op, node.type, children, node.payload));
    }
    auto found = changed.find(expression);
    return found == changed.end() ? expression : found->second;
}

ExprId apply_function(Pool& pool, FunctionId id, std::span<const ExprId> arguments) {
    const Function& function = pool.function(id);
    absl::flat_hash_map<VarId, ExprId> by;
    for (std::size_t i = 0; i < arguments.size(); ++i) by.emplace(function.parameters[i], arguments[i]);
    return substitute(pool, function.body, by);
}

ExprId substitute(Pool& pool, ExprId expression, const absl::flat_hash_map<VarId, ExprId>& by) {
    absl::flat_hash_map<ExprId, ExprId> parts;
    for (auto [variable, replacement] : by)
        if (replacement) parts.emplace(pool.var(variable), replacement);
    return replace_parts(pool, expression, parts);
}

}  // namespace treaty::expr
