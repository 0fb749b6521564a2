// Rules for comparisons, numbers, and structured data.
//
// Sums keep their constant at the end: (x + 2) - 5 becomes x - 3. That is safe on 64-bit integers, because
// where the longer sum has a value it is the same number, and the shorter one passes through fewer others.

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "expr/comparison.h"
#include "expr/rewrite.h"

namespace treaty::expr {
namespace {

using Int = std::int64_t;

std::optional<Int> integer_of(const Pool& pool, ExprId id) {
    if (!pool.is_literal(id)) return std::nullopt;
    auto* x = std::get_if<Int>(&pool.literal_of(id).v);
    return x ? std::optional(*x) : std::nullopt;
}

bool is_number(const Pool& pool, ExprId id, Int wanted) {
    if (!pool.is_literal(id)) return false;
    const auto& v = pool.literal_of(id).v;
    if (auto* x = std::get_if<Int>(&v)) return *x == wanted;
    auto* x = std::get_if<double>(&v);
    return x && *x == static_cast<double>(wanted);
}

bool is_integer(const Pool& pool, ExprId id) {
    return pool.types().kind(pool[id].type) == TypeKind::integer;
}

// id = base + offset, for integers; there is no base for a plain number.
struct Offset {
    ExprId base;
    Int offset = 0;
};

std::optional<Offset> offset_of(const Pool& pool, ExprId id) {
    if (!is_integer(pool, id)) return std::nullopt;
    if (auto number = integer_of(pool, id)) return Offset{{}, *number};
    Op op = pool[id].op;
    if (op != Op::add && op != Op::subtract) return Offset{id, 0};
    auto children = pool.children(id);
    auto number = integer_of(pool, children[1]);
    if (!number || integer_of(pool, children[0]) ||
        (op == Op::subtract && *number == std::numeric_limits<Int>::min()))
        return Offset{id, 0};
    return Offset{children[0], op == Op::add ? *number : -*number};
}

ExprId make_offset(Pool& pool, TypeId type, ExprId base, Int offset) {
    if (offset == 0) return base;
    bool minus = offset < 0 && offset != std::numeric_limits<Int>::min();
    std::array children{base, pool.integer(minus ? -offset : offset)};
    return pool.make(minus ? Op::subtract : Op::add, type, children);
}

ExprId rewrite_sum(Pool& pool, ExprId id, ExprId a, ExprId b) {
    bool minus = pool[id].op == Op::subtract;
    if (is_number(pool, b, 0)) return a;
    if (!minus && is_number(pool, a, 0)) return b;
    if (minus && a == b && is_integer(pool, id)) return pool.integer(0);
    if (minus && a == b) return pool.literal(0.0, pool.types().real());
    auto x = offset_of(pool, a);
    auto y = offset_of(pool, b);
    if (!x || !y) return id;
    TypeId type = pool[id].type;
    Int total = 0;
    if (!y->base) {  // (x + 1) + 2, (x + 1) - 2
        bool over = minus ? __builtin_sub_overflow(x->offset, y->offset, &total)
                          : __builtin_add_overflow(x->offset, y->offset, &total);
        return over || !x->base ? id : make_offset(pool, type, x->base, total);
    }
    if (!x->base && !minus) {  // 1 + (x + 2)
        bool over = __builtin_add_overflow(x->offset, y->offset, &total);
        return over ? id : make_offset(pool, type, y->base, total);
    }
    if (minus && x->base == y->base) {  // (x + 5) - (x + 2)
        return __builtin_sub_overflow(x->offset, y->offset, &total) ? id : pool.integer(total);
    }
    return id;
}

ExprId rewrite_product(Pool& pool, ExprId id, ExprId a, ExprId b) {
    if (is_number(pool, a, 1)) return b;
    if (is_number(pool, b, 1)) return a;
    if (is_number(pool, a, 0) || is_number(pool, b, 0))
        return is_integer(pool, id) ? pool.integer(0) : pool.literal(0.0, pool.types().real());
    return id;
}

// One side of a comparison of x + m with y + n has no constant left, and of x with x there is none at all.
ExprId compare_offsets(Pool& pool, ExprId id, const Offset& x, const Offset& y) {
    if (!x.base && !y.base) return id;
    Op op = pool[id].op;
    if (x.base == y.base) {
        bool equal = x.offset == y.offset;
        bool less = x.offset < y.offset;
        switch (op) {
            case Op::equal: return pool.boolean(equal);
            case Op::not_equal: return pool.boolean(!equal);
            case Op::less: return pool.boolean(less);
            case Op::less_equal: return pool.boolean(less || equal);
            case Op::greater: return pool.boolean(!less && !equal);
            default: return pool.boolean(!less);
        }
    }
    if (!x.base || y.base) return id;
    Int moved = 0;
    if (x.offset == 0 || __builtin_sub_overflow(y.offset, x.offset, &moved)) return id;
    std::array pair{x.base, pool.integer(moved)};
    return pool.make(op, pool.types().boolean(), pair);
}

ExprId rewrite_membership(Pool& pool, ExprId id, ExprId x, ExprId list) {
    bool written_out = pool[list].op == Op::list || pool[list].op == Op::set;
    if (written_out && pool.children(list).size() == 1) return pool.equal(x, pool.children(list)[0]);
    if (!pool.is_literal(list)) return id;
    auto* items = std::get_if<Sequence>(&pool.literal_of(list).v);
    if (!items) return id;
    if (items->items.empty()) return pool.boolean(false);
    if (items->items.size() != 1) return id;
    Value only = items->items[0];
    return pool.equal(x, pool.literal(std::move(only), pool.types()[pool[list].type].element));
}

bool is_empty(const Pool& pool, ExprId id) {
    if (!pool.is_literal(id)) return false;
    const auto& v = pool.literal_of(id).v;
    if (auto* x = std::get_if<std::string>(&v)) return x->empty();
    if (auto* x = std::get_if<Bytes>(&v)) return x->data.empty();
    auto* x = std::get_if<Sequence>(&v);
    return x && x->items.empty();
}

// [a] + [b, c] is [a, b, c].
ExprId rewrite_concat(Pool& pool, ExprId id, ExprId a, ExprId b) {
    if (is_empty(pool, a)) return b;
    if (is_empty(pool, b)) return a;
    constexpr std::size_t max_items = 64;
    auto items = [&](ExprId x, std::vector<ExprId>& out) {
        if (pool[x].op == Op::list) {
            auto children = pool.children(x);
            out.insert(out.end(), children.begin(), children.end());
            return out.size() <= max_items;
        }
        if (!pool.is_literal(x) || pool.types().kind(pool[x].type) != TypeKind::list) return false;
        std::vector<Value> values = pool.literal_of(x).items();
        TypeId element = pool.types()[pool[x].type].element;
        if (out.size() + values.size() > max_items) return false;
        for (Value& value : values) out.push_back(pool.literal(std::move(value), element));
        return true;
    };
    std::vector<ExprId> all;
    if (!items(a, all) || !items(b, all)) return id;
    return pool.make(Op::list, pool[id].type, all);
}

ExprId rewrite_at(Pool& pool, ExprId id, ExprId list, ExprId index) {
    if (pool.types().kind(pool[list].type) != TypeKind::list) return id;
    auto i = integer_of(pool, index);
    if (!i || pool[list].op != Op::list || *i < 0) return id;
    auto items = pool.children(list);
    return static_cast<std::size_t>(*i) < items.size() ? items[static_cast<std::size_t>(*i)] : id;
}

}  // namespace

ExprId rewrite_arithmetic(Pool& pool, ExprId id) {
    auto children = pool.children(id);
    ExprId a = children[0];
    ExprId b = children.size() > 1 ? children[1] : ExprId();
    switch (pool[id].op) {
        case Op::negate: return pool[a].op == Op::negate ? pool.children(a)[0] : id;
        case Op::abs: return pool[a].op == Op::abs ? a : id;
        case Op::add:
        case Op::subtract: return rewrite_sum(pool, id, a, b);
        case Op::multiply: return rewrite_product(pool, id, a, b);
        case Op::divide: return is_number(pool, b, 1) ? a : id;
        case Op::modulo: return is_number(pool, b, 1) && is_integer(pool, id) ? pool.integer(0) : id;
        case Op::min:
        case Op::max: return a == b ? a : id;
        default: return id;
    }
}

ExprId rewrite_comparison(Pool& pool, ExprId id) {
    Op op = pool[id].op;
    auto children = pool.children(id);
    ExprId a = children[0];
    ExprId b = children[1];
    if (a == b) return pool.boolean(op == Op::equal || op == Op::less_equal || op == Op::greater_equal);
    // Constants go to the right.
    if (pool.is_literal(a) && !pool.is_literal(b)) {
        std::array pair{b, a};
        return pool.make(mirrored(op), pool.types().boolean(), pair);
    }
    if (op == Op::equal && pool.is_true(b)) return a;
    if (op == Op::not_equal && pool.is_false(b)) return a;
    if ((op == Op::equal && pool.is_false(b)) || (op == Op::not_equal && pool.is_true(b)))
        return pool.logical_not(a);
    auto x = offset_of(pool, a);
    auto y = offset_of(pool, b);
    return x && y ? compare_offsets(pool, id, *x, *y) : id;
}

ExprId rewrite_data(Pool& pool, ExprId id) {
    auto children = pool.children(id);
    ExprId a = children.empty() ? ExprId() : children[0];
    ExprId b = children.size() > 1 ? children[1] : ExprId();
    switch (pool[id].op) {
        case Op::has: return pool[a].op == Op::some ? pool.boolean(true) : id;
        case Op::value: return pool[a].op == Op::some ? pool.children(a)[0] : id;
        case Op::field: return pool[a].op == Op::record ? pool.children(a)[pool[id].payload] : id;
        case Op::size:
            return pool[a].op == Op::list ? pool.integer(static_cast<Int>(pool.children(a).size())) : id;
        case Op::lower:
        case Op::upper: return pool[a].op == pool[id].op ? a : id;
        case Op::sorted: return pool[a].op == Op::sorted ? a : id;
        case Op::at: return rewrite_at(pool, id, a, b);
        case Op::member: return rewrite_membership(pool, id, a, b);
        case Op::permutes: return a == b ? pool.boolean(true) : id;
        case Op::concat: return rewrite_concat(pool, id, a, b);
        case Op::contains:
        case Op::starts_with:
        case Op::ends_with: return is_empty(pool, b) || a == b ? pool.boolean(true) : id;
        default: return id;
    }
}

}  // namespace treaty::expr
