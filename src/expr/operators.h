// The operators of expressions, and one table of their facts for all other code: how each is called,
// how tightly it binds, how many operands it takes, and whether it may lack a value where all its operands
// have one.
//
// Code that reads, prints, types, stores or solves expressions uses this table. What an operator does to
// values is in operations.cpp, digest.cpp, checksum.cpp, parts.cpp and collections.cpp, the condition under
// which it has a value in has_value.cpp.
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
    size,         // size(x): string (code units), bytes, list, set, map
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
    concat,  // string, bytes, list; the union of sets and of maps, where the right one wins
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,  // the order on int, real, string, enumeration
    logical_and,
    logical_or,
    implies,
    member,    // x in xs, of a list or a set
    permutes,  // xs permutes ys
    at,        // xs[i], from 0; m[k]
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
    // one child, over bytes (digest.h, checksum.h)
    crc32,
    crc32c,
    crc16,
    crc16_ccitt,
    crc8,
    crc16_xmodem,
    crc16_kermit,
    crc16_modbus,
    fletcher16,
    fletcher32,
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
    // parts of lists, strings and bytes
    slice,      // xs[a..b]: from a up to, not including, b
    with_item,  // xs with i = v, of a list or a map
    take,       // take(xs, n): at most the first n
    drop,       // drop(xs, n): all but the first n
    reverse,
    index_of,  // index_of(xs, x): an optional number; in a string or bytes x is a part of it
    repeated,  // repeat(s, n)
    least,     // min(xs), of a list
    greatest,  // max(xs), of a list
    // texts
    split,     // split(s, t): what is between the places where t occurs
    join,      // join(xs, t): the texts with t between them
    replace,   // replace(s, t, u): u wherever t occurs, from left to right
    to_int,    // to_int(s): the number that is written in decimal digits
    to_hex,    // to_hex(n): a number in hexadecimal digits
    from_hex,  // from_hex(s): the number that is written in hexadecimal digits
    // sets and maps (collections.h)
    set,         // {a, b, ...}
    map,         // {k: v, ...}: a key, its value, the next key and so on
    without,     // s without x; m without k
    difference,  // a - b, of sets; m - s: the map without these keys
    keys,        // keys(m): a set
    values,      // values(m): a list, in the order of the keys
    to_set,      // to_set(xs), of a list
    // A function of each item; payload: FunctionId. The first child is the collection, the first parameter an
    // item of it; the other children are the arguments for the other parameters.
    for_all,  // all x in xs: p
    exists,   // any x in xs: p
    each,     // [f(x) for x in xs]
    select,   // the list of the items for which p holds
    fold,     // fold a = s for x in xs: f(x, a); the second child is s, the second parameter a
};

// How tightly an expression binds, loosest first.
enum class Level : std::uint8_t {
    conditional,
    implication,
    disjunction,
    conjunction,
    negation,
    comparison,
    update,  // with, without, else
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

constexpr bool is_checksum(Op op) {
    return op >= Op::crc32 && op <= Op::internet_checksum;
}
constexpr bool is_over_bytes(Op op) {
    return op >= Op::crc32 && op <= Op::digits;
}

// Whether the payload is a FunctionId.
constexpr bool has_function(Op op) {
    return op == Op::call || op >= Op::for_all;
}

// How many children an operator has; none for any number.
std::optional<std::size_t> arity(Op op);

}  // namespace treaty::expr
