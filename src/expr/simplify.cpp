// Rewriting from the leaves up.
//
// Every part is rebuilt from its simplified children and then rewritten by the rules of its operator until
// none applies. A rule may use children as they are, drop them, or build small new terms of them; it never
// makes a fault where there was none. Two guards hold for every rule: the result must have the type of
// what it replaces (an integer in the place of a real would divide differently), and a rewritten part is
// rewritten again only a few times, so a mistake in a rule cannot loop.

#include "expr/simplify.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "expr/evaluate.h"
#include "expr/rewrite.h"

namespace treaty::expr {
namespace {

constexpr int max_rewrites = 12;
constexpr int max_rounds = 4;
constexpr std::size_t folding_work = 2000;

class Simplification {
public:
    explicit Simplification(Pool& pool) : pool_(pool) {}

    ExprId run(ExprId root) {
        for (ExprId part : pool_.parts_of(root)) {
            auto old = pool_.children(part);
            children_.assign(old.begin(), old.end());
            for (ExprId& child : children_) child = simple_.at(child);
            Node node = pool_[part];
            ExprId rebuilt = std::ranges::equal(pool_.children(part), children_)
                                 ? part
                                 : pool_.make(node.op, node.type, children_, node.payload);
            simple_.emplace(part, settle(rebuilt));
        }
        return simple_.at(root);
    }

private:
    ExprId settle(ExprId id) {
        for (int i = 0; i < max_rewrites; ++i) {
            ExprId next = fold(id);
            if (next == id) next = rewrite(pool_, id);
            const Types& types = pool_.types();
            if (next == id || types.base(pool_[next].type) != types.base(pool_[id].type)) return id;
            id = next;
        }
        return id;
    }

    // A constant expression is its value, if it has one that is quickly found.
    ExprId fold(ExprId id) {
        const Node& node = pool_[id];
        if (node.op == Op::literal || node.op == Op::var) return id;
        if (node.op == Op::call && !pool_.function(FunctionId(node.payload)).body) return id;
        for (ExprId child : pool_.children(id))
            if (!pool_.is_literal(child)) return id;
        Result result = evaluate(pool_, id, Environment(), folding_work);
        if (auto* value = std::get_if<Value>(&result)) return pool_.literal(std::move(*value), node.type);
        return id;
    }

    Pool& pool_;
    absl::flat_hash_map<ExprId, ExprId> simple_;
    std::vector<ExprId> children_;
};

}  // namespace

ExprId simplify(Pool& pool, ExprId expression) {
    for (int i = 0; i < max_rounds; ++i) {
        ExprId next = Simplification(pool).run(expression);
        if (next == expression) break;
        expression = next;
    }
    return expression;
}

}  // namespace treaty::expr
