// Expressions made ready to be evaluated often: flat code over registers instead of a walk through the tree.
//
// What it finds is what evaluate.h finds; where an expression has no value, needs much work, or is of a kind
// that is not compiled, evaluate.h is asked, so faults and limits are the same. Numbers, truth values and
// members of enumerations stay in registers; other values are pointed to, in the environment or in the pool,
// and only what an operator makes is new. Calls are written out, what is done for each item of a collection
// is a loop.
//
// Each expression is compiled when it is first asked about. A table belongs to one pool, which must outlive
// it and may grow. Not safe for concurrent use.
#pragma once

#include <memory>

#include <absl/container/flat_hash_map.h>

#include "expr/evaluate.h"
#include "expr/pool.h"

namespace treaty::expr {

class Programs {
public:
    explicit Programs(const Pool& pool);
    ~Programs();
    Programs(Programs&&) noexcept;

    Result evaluate(ExprId expression, const Environment& environment);
    // A fault counts as false.
    bool satisfied(ExprId condition, const Environment& environment);

    // How often evaluate.h had to be asked, for tests and measurements.
    std::size_t plain_count() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace treaty::expr
