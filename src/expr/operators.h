// The operators of expressions, and one table of what everybody needs to know about them: how each is called,
// how tightly it binds, how many operands it takes, and whether it may lack a value where all its operands
// have one.
//
// Code that reads, prints, types, stores or solves expressions uses this table. What an operator does to
// values is in operations.cpp and digest.cpp, the condition under which it has a value in has_value.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "expr/types.h"

namespace treaty::expr {

enum class Op : std::uint8_t {
    literal,  // payload: index into the literals
    var,      // payload: VarId
    // one child
    negate,       // -x
    logical_not,  // not x
    size,         // size(x): string (code units), bytes, list
    abs,
    lower,
    upper,
    sum,
    sorted,
    some,     // some(x): an optional that holds x
    has,      // has(o): whether the optional o holds something
    value,    // value(o): what it holds; a fault when it holds nothing
    field,    // r.f; payload: index of the field
    matches,  // s matches /re/; payload: index into the literals (a string)
    // two children
    add,
    subtract,
    multiply,
    divide,
    modulo,  // int (divide and modulo round down) and real
    concat,  // string, bytes, list
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,  // the order on int, real, string, enumeration
    logical_and,
    logical_or,
    implies,
    member,    // x in xs
    permutes,  // xs permutes ys
    at,        // xs[i], from 0
    contains,
    starts_with,
    ends_with,  // string, bytes
    min,
    max,
    // any number of children
    if_else,  // condition, then, else
    list,     // [a, b, ...]
    record,   // its fields in order
    none,     // an optional that holds nothing (no child)
    call,     // payload: FunctionId
    // one child, over bytes (digest.h)
    crc32,
    crc32c,
    crc16,
    crc16_ccitt,
    adler32,
    sum8,
    xor8,
    internet_checksum,  // a number
    base64,
    hex,
    unbase64,
    unhex,
    sha1,
    sha256,
    to_bytes,
    to_text,  // a text or bytes
    digits,   // digits(n): a number as decimal text
};

// How tightly an expression binds, loosest first.
enum class Level : std::uint8_t {
    conditional,
    implication,
    disjunction,
    conjunction,
    negation,
    comparison,
    sum,
    product,
    sign,
    atom,
};

enum class Notation : std::uint8_t {
    special,   // in a way of its own
    infix,     // between its two operands
    function,  // name(operands)
};

struct Operator {
    static constexpr std::size_t any_number = static_cast<std::size_t>(-1);

    Op op;
    std::string_view name;  // in stored models; of a function also in the language
    std::size_t operands;
    Notation notation = Notation::special;
    std::string_view sign = {};  // infix: what is written between the operands
    Level level = Level::atom;
    Level left = Level::atom, right = Level::atom;  // infix: what may be there without parentheses
    bool may_lack_value = false;                    // where all its operands have one
    // Of the operators over bytes; no other has one kind of operand. Unknown: a string or bytes.
    TypeKind takes = TypeKind::unknown;
    TypeKind gives = TypeKind::unknown;
};

std::span<const Operator> operators();  // in the order of Op
const Operator& about(Op op);

constexpr bool is_over_bytes(Op op) {
    return op >= Op::crc32 && op <= Op::digits;
}

// How many children an operator has; none for any number.
std::optional<std::size_t> arity(Op op);

}  // namespace treaty::expr
