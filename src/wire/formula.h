// An expression of a layout, compiled to run on cells. Internal to wire/.
//
// Numbers, truth values and sizes run as a short program without allocation; everything else goes through
// expr::evaluate. A fault (division by zero, overflow, ...) gives nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/pool.h"
#include "wire/engine.h"

namespace treaty::wire {

using CellMap = absl::flat_hash_map<expr::VarId, std::uint32_t>;

class Formula {
public:
    Formula() = default;  // none
    Formula(const expr::Pool& pool, expr::ExprId expression, const CellMap& cells);

    explicit operator bool() const { return expression_.valid(); }
    // Of an integer, boolean or enumeration.
    std::optional<std::int64_t> number(const Scratch& scratch) const {
        if (!is_cases_) return computed(scratch);
        for (const Case& c : cases_)
            if (c.holds(scratch)) return c.result.get(scratch);
        return otherwise_.get(scratch);
    }
    // Of bytes or a string; may be stored in the scratch.
    std::optional<std::string_view> text(Scratch& scratch) const;
    const std::vector<std::uint32_t>& uses() const { return uses_; }  // cells

private:
    enum class Code : std::uint8_t {
        constant,
        cell,
        size_of,
        add,
        subtract,
        multiply,
        divide,
        modulo,
        negate,
        abs,
        min,
        max,
        equal,
        not_equal,
        less,
        less_equal,
        greater,
        greater_equal,
        logical_not,
        jump,
        jump_if_false,
        jump_if_true,
        to_bool
    };
    struct Instruction {
        Code code;
        std::int64_t operand = 0;
    };
    // A number, a cell or its size; and what most layouts consist of: comparisons of one with a constant, one
    // after the other, each with its result.
    struct Leaf {
        enum class Kind : std::uint8_t { constant, number, size } kind = Kind::constant;
        std::int64_t value = 0;  // or the cell

        std::int64_t get(const Scratch& scratch) const {
            if (kind == Kind::constant) return value;
            const Cell& c = scratch.cells[static_cast<std::size_t>(value)];
            return kind == Kind::number ? c.number : static_cast<std::int64_t>(c.text.size());
        }
    };
    struct Case {
        Leaf left;
        Code compare = Code::equal;
        std::int64_t right = 0;
        Leaf result;

        bool holds(const Scratch& scratch) const {
            std::int64_t a = left.get(scratch);
            switch (compare) {
                case Code::equal: return a == right;
                case Code::not_equal: return a != right;
                case Code::less: return a < right;
                case Code::less_equal: return a <= right;
                case Code::greater: return a > right;
                default: return a >= right;
            }
        }
    };
    std::optional<std::int64_t> computed(const Scratch& scratch) const;
    bool leaf(expr::ExprId e, const CellMap& cells, Leaf& out) const;
    bool comparison(expr::ExprId e, const CellMap& cells, Case& out) const;
    bool find_cases(const CellMap& cells);
    bool compile(expr::ExprId e, const CellMap& cells, unsigned depth);
    std::optional<expr::Value> evaluate(const Scratch& scratch) const;

    const expr::Pool* pool_ = nullptr;
    expr::ExprId expression_;
    bool compiled_ = false;
    std::vector<Instruction> program_;
    std::vector<std::uint32_t> uses_;
    std::vector<std::pair<expr::VarId, std::uint32_t>> variables_;
    bool is_cases_ = false;
    std::vector<Case> cases_;
    Leaf otherwise_;
    std::optional<std::uint32_t> plain_cell_;  // the expression is just this variable
};

// A cell's content as a value of its type.
expr::Value value_of(const expr::Types& types, expr::TypeId type, const Cell& cell);

}  // namespace treaty::wire
