// What a layout asks of a message's data, as conditions: what can be generated so that it can be written.
#pragma once

#include <span>
#include <vector>

#include "expr/pool.h"
#include "wire/codec.h"
#include "wire/wire.h"

namespace treaty::wire {

// Conditions over `variables` (one a field of the message) that encoding needs: the patterns of text fields,
// the ranges of bit fields, sizes that are plain numbers, values that are computed. Not necessarily all it
// needs.
std::vector<expr::ExprId> constraints(expr::Pool& pool, const Wire& wire, MessageIndex message,
                                      const MessageShape& shape, std::span<const expr::VarId> variables);

// Two layouts of a wire over lines that can match one line: the first in the file wins.
struct Overlap {
    std::size_t first = 0;  // positions in wire.layouts
    std::size_t second = 0;
    std::string example;            // a shortest line that is both
    bool first_is_special = false;  // every line of the first one is one of the second, too
};
std::vector<Overlap> overlaps(const expr::Pool& pool, const Wire& wire, std::span<const MessageShape> shapes);

}  // namespace treaty::wire
