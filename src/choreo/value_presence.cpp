#include "choreo/value_presence.h"

#include "expr/has_value.h"

namespace treaty::choreo {

using model::NodeId;
using model::NodeKind;

// A computation that reads a variable with a companion may lack a value too, so until nothing is new.
void note_presences(expr::Pool& pool, const model::Protocol& protocol) {
    if (!protocol.has_data()) return;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < protocol.size(); ++i) {
            const model::Node& node = protocol[NodeId(i)];
            if (node.kind != NodeKind::assign || pool.presence(node.variable)) continue;
            if (!expr::may_lack_value(pool, node.guard)) continue;
            pool.presence_of(node.variable);
            changed = true;
        }
    }
}

std::vector<model::Assignment> computation(expr::Pool& pool, expr::VarId variable, expr::ExprId value) {
    expr::VarId presence = pool.presence(variable);
    if (!presence) return {{variable, value}};
    expr::ExprId present = expr::has_value(pool, value);
    if (pool.is_true(present)) return {{presence, present}, {variable, value}};
    expr::TypeId type = pool.types().base(pool[value].type);
    expr::ExprId parts[] = {pool.var(presence), value,
                            pool.literal(expr::default_value(type, pool.types()), type)};
    return {{presence, present}, {variable, pool.make(expr::Op::if_else, type, parts)}};
}

void add_bound_presences(expr::Pool& pool, const std::vector<model::Argument>& data,
                         std::vector<model::Assignment>& assignments) {
    for (const model::Argument& a : data)
        if (expr::VarId presence = a.bind ? pool.presence(a.bind) : expr::VarId())
            assignments.push_back({presence, pool.boolean(true)});
}

}  // namespace treaty::choreo
