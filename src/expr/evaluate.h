// Evaluation on concrete values: what guards, predicates and computed data come to when messages flow.
//
// Total: never throws, never overflows silently. What has no value (division by zero, an index outside
// its list, value(none), an integer beyond 64 bits, a variable without a value) is a Fault with its
// reason and the sub-expression at fault. `and`, `or`, `implies` and `if` evaluate only what they need;
// arguments of functions are evaluated first. Order and equality of texts go byte by byte; lower and upper
// change ASCII letters; matches means all of the text. Integers become reals where a real is wanted.
//
// Never recurses and looks at shared parts once, so depth and sharing cost nothing; work (steps taken, data
// copied) is bounded, and going beyond is a fault too. Safe to run concurrently on one pool.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "expr/pool.h"

namespace treaty::expr {

// Values of variables, by id; absent ones have none. Copies share the values until one of them is changed.
class Environment {
public:
    void set(VarId id, Value value);
    void clear(VarId id);
    const Value* get(VarId id) const;
    // The same values in memory of its own, which is kept: for one that is about to be changed.
    void copy_from(const Environment& other) { values_.copy_from(other.values_); }
    friend bool operator==(const Environment&, const Environment&);
    friend std::uint64_t hash(const Environment&);  // equal ones have equal hashes

private:
    base::SharedVector<std::pair<VarId, Value>> values_;  // sorted by id
};

struct Fault {
    std::string reason;
    ExprId at;
};

using Result = std::variant<Value, Fault>;

// One unit of work is a step, an item of a list or 32 bytes of a text.
constexpr std::size_t default_work = 4'000'000;

Result evaluate(const Pool& pool, ExprId expression, const Environment& environment,
                std::size_t work = default_work);

// Evaluates a condition; a fault counts as false and is written to *fault if given.
bool satisfied(const Pool& pool, ExprId condition, const Environment& environment, Fault* fault = nullptr);

}  // namespace treaty::expr
