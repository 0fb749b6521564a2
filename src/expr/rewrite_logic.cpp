// Rules for truth values. A chain of `and` (or of `or`) is looked at as a set of its members, up to a length
// that keeps this linear: a member that occurs again goes, a member and its negation decide the chain.

#include <algorithm>
#include <array>

#include "expr/rewrite.h"

namespace treaty::expr {
namespace {

constexpr std::size_t max_chain = 64;

// The members of a chain from left to right; nothing if there are too many.
std::vector<ExprId> chain(const Pool& pool, Op op, ExprId id) {
    std::vector<ExprId> members;
    std::vector<ExprId> pending{id};
    while (!pending.empty()) {
        ExprId at = pending.back();
        pending.pop_back();
        if (pool[at].op != op) {
            members.push_back(at);
        } else {
            pending.push_back(pool.children(at)[1]);
            pending.push_back(pool.children(at)[0]);
        }
        if (members.size() + pending.size() > max_chain) return {};
    }
    return members;
}

bool opposite(const Pool& pool, ExprId a, ExprId b) {
    auto negates = [&](ExprId x, ExprId y) {
        return pool[x].op == Op::logical_not && pool.children(x)[0] == y;
    };
    if (negates(a, b) || negates(b, a)) return true;
    auto opposed = [](Op x, Op y) {
        return (x == Op::equal && y == Op::not_equal) || (x == Op::less && y == Op::greater_equal) ||
               (x == Op::greater && y == Op::less_equal);
    };
    return (opposed(pool[a].op, pool[b].op) || opposed(pool[b].op, pool[a].op)) &&
           std::ranges::equal(pool.children(a), pool.children(b));
}

// a and (a or b) is a; a or (a and b) is a. Only a member further left absorbs: what is on the left
// protects what follows from being evaluated where it has no value.
bool absorbed(const Pool& pool, Op other, ExprId member, const std::vector<ExprId>& before) {
    if (pool[member].op != other) return false;
    for (ExprId inner : chain(pool, other, member))
        if (std::find(before.begin(), before.end(), inner) != before.end()) return true;
    return false;
}

ExprId rewrite_chain(Pool& pool, ExprId id) {
    Op op = pool[id].op;
    bool conjunction = op == Op::logical_and;
    auto children = pool.children(id);
    ExprId a = children[0];
    ExprId b = children[1];
    auto neutral = [&](ExprId x) { return conjunction ? pool.is_true(x) : pool.is_false(x); };
    auto deciding = [&](ExprId x) { return conjunction ? pool.is_false(x) : pool.is_true(x); };
    if (deciding(a) || deciding(b)) return pool.boolean(!conjunction);
    if (neutral(a)) return b;
    if (neutral(b)) return a;

    std::vector<ExprId> members = chain(pool, op, id);
    if (members.empty()) return id;
    Op dual = conjunction ? Op::logical_or : Op::logical_and;
    std::vector<ExprId> kept;
    for (ExprId member : members) {
        if (std::find(kept.begin(), kept.end(), member) != kept.end()) continue;
        if (absorbed(pool, dual, member, kept)) continue;
        for (ExprId other : kept)
            if (opposite(pool, member, other)) return pool.boolean(!conjunction);
        kept.push_back(member);
    }
    ExprId result = kept[0];
    for (std::size_t i = 1; i < kept.size(); ++i) {
        ExprId pair[] = {result, kept[i]};
        result = pool.make(op, pool.types().boolean(), pair);
    }
    return result;
}

ExprId rewrite_not(Pool& pool, ExprId id) {
    ExprId x = pool.children(id)[0];
    auto children = pool.children(x);
    auto turned = [&](Op op) {
        std::array pair{children[0], children[1]};
        return pool.make(op, pool.types().boolean(), pair);
    };
    switch (pool[x].op) {
        case Op::logical_not: return children[0];
        case Op::equal: return turned(Op::not_equal);
        case Op::not_equal: return turned(Op::equal);
        case Op::less: return turned(Op::greater_equal);
        case Op::less_equal: return turned(Op::greater);
        case Op::greater: return turned(Op::less_equal);
        case Op::greater_equal: return turned(Op::less);
        default: return id;
    }
}

ExprId rewrite_implies(Pool& pool, ExprId id) {
    auto children = pool.children(id);
    ExprId a = children[0];
    ExprId b = children[1];
    if (pool.is_true(a)) return b;
    if (pool.is_false(a) || pool.is_true(b) || a == b) return pool.boolean(true);
    if (pool.is_false(b)) return pool.logical_not(a);
    return id;
}

ExprId make_if(Pool& pool, ExprId id, ExprId condition, ExprId yes, ExprId no) {
    std::array children{condition, yes, no};
    return pool.make(Op::if_else, pool[id].type, children);
}

ExprId rewrite_if(Pool& pool, ExprId id) {
    auto children = pool.children(id);
    ExprId c = children[0];
    ExprId a = children[1];
    ExprId b = children[2];
    if (pool.is_true(c) || a == b) return a;
    if (pool.is_false(c)) return b;
    if (pool[c].op == Op::logical_not) return make_if(pool, id, pool.children(c)[0], b, a);
    // The same condition asked again inside a branch is decided there.
    if (pool[a].op == Op::if_else && pool.children(a)[0] == c)
        return make_if(pool, id, c, pool.children(a)[1], b);
    if (pool[b].op == Op::if_else && pool.children(b)[0] == c)
        return make_if(pool, id, c, a, pool.children(b)[2]);
    if (pool.types().kind(pool[id].type) != TypeKind::boolean) return id;
    if (pool.is_true(a) && pool.is_false(b)) return c;
    if (pool.is_false(a) && pool.is_true(b)) return pool.logical_not(c);
    if (pool.is_true(a)) return pool.logical_or(c, b);
    if (pool.is_false(b)) return pool.logical_and(c, a);
    return id;
}

}  // namespace

ExprId rewrite_logic(Pool& pool, ExprId id) {
    switch (pool[id].op) {
        case Op::logical_not: return rewrite_not(pool, id);
        case Op::logical_and:
        case Op::logical_or: return rewrite_chain(pool, id);
        case Op::implies: return rewrite_implies(pool, id);
        case Op::if_else: return rewrite_if(pool, id);
        default: return id;
    }
}

ExprId rewrite(Pool& pool, ExprId id) {
    switch (pool[id].op) {
        case Op::literal:
        case Op::var:
        case Op::call: return id;
        case Op::logical_not:
        case Op::logical_and:
        case Op::logical_or:
        case Op::implies:
        case Op::if_else: return rewrite_logic(pool, id);
        case Op::equal:
        case Op::not_equal:
        case Op::less:
        case Op::less_equal:
        case Op::greater:
        case Op::greater_equal: return rewrite_comparison(pool, id);
        case Op::negate:
        case Op::add:
        case Op::subtract:
        case Op::multiply:
        case Op::divide:
        case Op::modulo:
        case Op::abs:
        case Op::min:
        case Op::max: return rewrite_arithmetic(pool, id);
        default: return rewrite_data(pool, id);
    }
}

}  // namespace treaty::expr
