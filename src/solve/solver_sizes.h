// Texts and lists of which only the size matters, as integers.
//
// The solver's sequences are slow where they are long. A variable that occurs only as size(x) needs none of
// them: an integer represents the size, and any value of that size will do in the end. The question stays
// exactly as satisfiable as it was.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/pool.h"

namespace treaty::solve::smt {

// A text or list, and the integer variable that stands for its size.
using SizeVariable = std::pair<expr::VarId, expr::VarId>;

class Sizes {
public:
    explicit Sizes(expr::Pool& pool) : pool_(pool) {}

    // The variables of all these expressions of which only the size matters.
    std::vector<SizeVariable> find(std::span<const expr::ExprId> expressions);
    expr::ExprId rewrite(expr::ExprId expression, std::span<const SizeVariable> sizes);

private:
    struct Use {
        expr::VarId variable;
        bool only_size;
    };
    const std::vector<Use>& uses(expr::ExprId expression);
    expr::VarId size_variable(expr::VarId of);

    expr::Pool& pool_;
    absl::flat_hash_map<expr::ExprId, std::vector<Use>> uses_;
    absl::flat_hash_map<expr::VarId, expr::VarId> size_variables_;
};

// A plain value of the type; with a size for texts and lists. None if there is none or it would be huge.
std::optional<expr::Value> plain_value(const expr::Types& types, expr::TypeId type, std::int64_t size = 0);

}  // namespace treaty::solve::smt
