#include "expr/item_bodies.h"

namespace treaty::expr {
namespace {

constexpr std::size_t most_items = 64;

// Of a set or map that is not a literal, two items may be equal; then they are one item, and only `all` and
// `any` do not care.
std::optional<std::vector<ExprId>> items_of(Pool& pool, ExprId collection, bool repeats_matter) {
    TypeId type = pool[collection].type;
    bool map = pool.types().kind(type) == TypeKind::map;
    std::vector<ExprId> items;
    if (pool.is_literal(collection)) {
        std::vector<Value> values = pool.literal_of(collection).items();
        if (values.size() > most_items) return std::nullopt;
        for (Value& value : values)
            items.push_back(pool.literal(map ? value.items()[0] : value, pool.types().item_of(type)));
        return items;
    }
    Op op = pool[collection].op;
    bool known = op == Op::list || (!repeats_matter && (op == Op::set || op == Op::map));
    auto children = pool.children(collection);
    if (!known || children.size() > 2 * most_items) return std::nullopt;
    for (std::size_t i = 0; i < children.size(); i += map ? 2 : 1) items.push_back(children[i]);
    return items;
}

}  // namespace

std::optional<ItemBodies> item_bodies(Pool& pool, ExprId id) {
    const Node node = pool[id];
    std::vector<ExprId> arguments(pool.children(id).begin(), pool.children(id).end());
    auto items = items_of(pool, arguments[0], node.op != Op::for_all && node.op != Op::exists);
    if (!items) return std::nullopt;
    ItemBodies result{std::move(*items), {}};
    for (ExprId item : result.items) {
        arguments[0] = item;
        if (node.op == Op::fold && !result.bodies.empty()) arguments[1] = result.bodies.back();
        result.bodies.push_back(apply_function(pool, FunctionId(node.payload), arguments));
    }
    return result;
}

}  // namespace treaty::expr
