// Comparisons, turned round: the operator that means the opposite, and the one for exchanged sides.
#pragma once

#include "expr/pool.h"

namespace treaty::expr {

inline bool is_comparison(Op op) {
    return op == Op::equal || op == Op::not_equal || op == Op::less || op == Op::less_equal ||
           op == Op::greater || op == Op::greater_equal;
}

// not (a op b) is a opposite_of(op) b, wherever both sides have a value.
inline Op opposite_of(Op op) {
    switch (op) {
        case Op::equal: return Op::not_equal;
        case Op::not_equal: return Op::equal;
        case Op::less: return Op::greater_equal;
        case Op::less_equal: return Op::greater;
        case Op::greater: return Op::less_equal;
        case Op::greater_equal: return Op::less;
        default: return op;
    }
}

// a op b is b mirrored(op) a.
inline Op mirrored(Op op) {
    switch (op) {
        case Op::less: return Op::greater;
        case Op::less_equal: return Op::greater_equal;
        case Op::greater: return Op::less;
        case Op::greater_equal: return Op::less_equal;
        default: return op;
    }
}

}  // namespace treaty::expr
