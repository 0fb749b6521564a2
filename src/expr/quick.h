// The usual condition: a few integers and truth values, decided by plain recursion of bounded depth.
//
// find() gives up where there is anything else, a variable without a value, or a result without a value; then
// evaluate.h must be asked. What it finds is what evaluate() finds. Values of variables come from wherever
// the caller has them, so that none need be copied.
#pragma once

#include <cstdint>
#include <utility>

#include "expr/pool.h"

namespace treaty::expr {

constexpr unsigned quick_steps = 48, quick_depth = 12;

template <class Known>
class Quick {
public:
    // `known` gives the value of a variable, or null.
    Quick(const Pool& pool, Known known) : pool_(pool), known_(std::move(known)) {}

    // The value of an expression of this kind, integer or boolean.
    bool find(ExprId id, TypeKind kind, std::int64_t& value, unsigned deep = quick_depth) {
        if (left_ == 0 || deep == 0) return false;
        --left_;
        const Node& node = pool_[id];
        switch (node.op) {
            case Op::literal: return same_kind(node.type, kind) && read(pool_.literal_of(id), kind, value);
            case Op::var: {
                VarId var = pool_.var_of(id);
                if (!same_kind(pool_.variable(var).type, kind)) return false;
                const Value* known = known_(var);
                return known && read(*known, kind, value);
            }
            case Op::add:
            case Op::subtract:
            case Op::multiply: return kind == TypeKind::integer && arithmetic(id, node, value, deep);
            case Op::logical_not:
                if (kind != TypeKind::boolean || !find(pool_.children(id)[0], kind, value, deep - 1))
                    return false;
                value = !value;
                return true;
            case Op::logical_and:
            case Op::logical_or:
            case Op::implies: return kind == TypeKind::boolean && logic(id, node.op, value, deep);
            case Op::equal:
            case Op::not_equal:
            case Op::less:
            case Op::less_equal:
            case Op::greater:
            case Op::greater_equal: return kind == TypeKind::boolean && compare(id, node.op, value, deep);
            default: return false;
        }
    }

private:
    bool same_kind(TypeId type, TypeKind kind) const { return pool_.types().kind(type) == kind; }

    static bool read(const Value& from, TypeKind kind, std::int64_t& value) {
        if (kind == TypeKind::integer) {
            auto* x = std::get_if<std::int64_t>(&from.v);
            if (x) value = *x;
            return x;
        }
        auto* x = std::get_if<bool>(&from.v);
        if (x) value = *x;
        return x;
    }
    bool both(ExprId id, TypeKind kind, std::int64_t& a, std::int64_t& b, unsigned deep) {
        auto children = pool_.children(id);
        return find(children[0], kind, a, deep - 1) && find(children[1], kind, b, deep - 1);
    }
    bool arithmetic(ExprId id, const Node& node, std::int64_t& value, unsigned deep) {
        std::int64_t a = 0, b = 0;
        if (!same_kind(node.type, TypeKind::integer) || !both(id, TypeKind::integer, a, b, deep))
            return false;
        return !(node.op == Op::add        ? __builtin_add_overflow(a, b, &value)
                 : node.op == Op::subtract ? __builtin_sub_overflow(a, b, &value)
                                           : __builtin_mul_overflow(a, b, &value));
    }
    bool logic(ExprId id, Op op, std::int64_t& value, unsigned deep) {
        auto children = pool_.children(id);
        if (!find(children[0], TypeKind::boolean, value, deep - 1)) return false;
        bool decided = op == Op::logical_or ? value != 0 : value == 0;
        if (!decided) return find(children[1], TypeKind::boolean, value, deep - 1);
        if (op == Op::implies) value = 1;
        return true;
    }
    bool compare(ExprId id, Op op, std::int64_t& value, unsigned deep) {
        std::int64_t a = 0, b = 0;
        if (!both(id, TypeKind::integer, a, b, deep)) return false;
        value = op == Op::equal        ? a == b
                : op == Op::not_equal  ? a != b
                : op == Op::less       ? a < b
                : op == Op::less_equal ? a <= b
                : op == Op::greater    ? a > b
                                       : a >= b;
        return true;
    }

    const Pool& pool_;
    Known known_;
    unsigned left_ = quick_steps;
};

}  // namespace treaty::expr
