// From the parts up: what a part needs is what its children need, and what its own operation asks.
#include "expr/defined.h"

#include <array>

namespace treaty::expr {
namespace {

class Definedness {
public:
    explicit Definedness(Pool& pool) : pool_(pool) {}

    ExprId of(ExprId expression) {
        for (ExprId part : pool_.parts_of(expression))
            if (!memo_.contains(part)) memo_.emplace(part, one(part));
        return memo_.at(expression);
    }

private:
    ExprId yes() { return pool_.boolean(true); }
    ExprId compare(Op op, ExprId a, ExprId b) {
        return pool_.make(op, pool_.types().boolean(), std::array{a, b});
    }
    ExprId both(ExprId a, ExprId b) {
        return pool_.is_true(a) ? b : pool_.is_true(b) ? a : pool_.logical_and(a, b);
    }
    // What the second operand needs counts only where it is looked at.
    ExprId unless(ExprId condition, ExprId needed) {
        return pool_.is_true(needed) ? needed : pool_.logical_or(condition, needed);
    }

    ExprId one(ExprId e) {
        std::vector<ExprId> c(pool_.children(e).begin(), pool_.children(e).end());
        switch (pool_[e].op) {
            case Op::logical_and:
                return both(memo_.at(c[0]), unless(pool_.logical_not(c[0]), memo_.at(c[1])));
            case Op::implies: return both(memo_.at(c[0]), unless(pool_.logical_not(c[0]), memo_.at(c[1])));
            case Op::logical_or: return both(memo_.at(c[0]), unless(c[0], memo_.at(c[1])));
            case Op::if_else:
                return both(memo_.at(c[0]), both(unless(pool_.logical_not(c[0]), memo_.at(c[1])),
                                                 unless(c[0], memo_.at(c[2]))));
            default: break;
        }
        ExprId all = yes();
        for (ExprId child : c) all = both(all, memo_.at(child));
        return both(all, own(e, c));
    }

    ExprId own(ExprId e, const std::vector<ExprId>& c) {
        switch (pool_[e].op) {
            case Op::divide:
            case Op::modulo: {
                bool real = pool_.types().kind(pool_[c[1]].type) == TypeKind::real;
                ExprId zero = real ? pool_.literal(0.0, pool_.types().real()) : pool_.integer(0);
                return compare(Op::not_equal, c[1], zero);
            }
            case Op::at: {
                ExprId size = pool_.make(Op::size, pool_.types().integer(), std::array{c[0]});
                return both(compare(Op::less_equal, pool_.integer(0), c[1]), compare(Op::less, c[1], size));
            }
            case Op::value: return pool_.make(Op::has, pool_.types().boolean(), std::array{c[0]});
            case Op::call: return called(e, c);
            default: return yes();
        }
    }

    // The body, with the arguments in their places; functions never call themselves.
    ExprId called(ExprId e, const std::vector<ExprId>& arguments) {
        const Function& function = pool_.function(FunctionId(pool_[e].payload));
        if (!function.body) return yes();
        absl::flat_hash_map<VarId, ExprId> by;
        for (std::size_t i = 0; i < arguments.size() && i < function.parameters.size(); ++i)
            by[function.parameters[i]] = arguments[i];
        return substitute(pool_, Definedness(pool_).of(function.body), by);
    }

    Pool& pool_;
    absl::flat_hash_map<ExprId, ExprId> memo_;
};

}  // namespace

ExprId defined(Pool& pool, ExprId expression) {
    return Definedness(pool).of(expression);
}

ExprId refuted(Pool& pool, ExprId condition) {
    ExprId has_value = defined(pool, condition);
    ExprId fails = pool.logical_not(condition);
    return pool.is_true(has_value) ? fails : pool.logical_or(pool.logical_not(has_value), fails);
}

}  // namespace treaty::expr
