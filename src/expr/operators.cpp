#include "expr/operators.h"

#include <array>

namespace treaty::expr {
namespace {

constexpr Operator special(Op op, std::string_view name, std::size_t operands, Level level = Level::atom) {
    return {.op = op, .name = name, .operands = operands, .level = level};
}

constexpr Operator function(Op op, std::string_view name, std::size_t operands) {
    return {.op = op, .name = name, .operands = operands, .notation = Notation::function};
}

constexpr Operator infix(Op op, std::string_view name, std::string_view sign, Level level, Level left,
                         Level right) {
    return {.op = op,
            .name = name,
            .operands = 2,
            .notation = Notation::infix,
            .sign = sign,
            .level = level,
            .left = left,
            .right = right};
}

// Comparisons do not associate: a comparison inside one needs parentheses.
constexpr Operator comparison(Op op, std::string_view name, std::string_view sign) {
    return infix(op, name, sign, Level::comparison, Level::update, Level::update);
}
constexpr Operator term(Op op, std::string_view name, std::string_view sign) {
    return infix(op, name, sign, Level::sum, Level::sum, Level::product);
}
constexpr Operator factor(Op op, std::string_view name, std::string_view sign) {
    return infix(op, name, sign, Level::product, Level::product, Level::sign);
}

constexpr Operator over_bytes(Op op, std::string_view name, TypeKind takes, TypeKind gives) {
    return {.op = op,
            .name = name,
            .operands = 1,
            .notation = Notation::function,
            .takes = takes,
            .gives = gives};
}

constexpr Operator may_lack(Operator o) {
    o.may_lack_value = true;
    return o;
}

constexpr TypeKind text = TypeKind::unknown;  // a string or bytes

constexpr std::array table{
    special(Op::literal, "literal", 0),
    special(Op::var, "var", 0),
    special(Op::negate, "negate", 1, Level::sign),
    special(Op::logical_not, "not", 1, Level::negation),
    function(Op::size, "size", 1),
    function(Op::abs, "abs", 1),
    function(Op::lower, "lower", 1),
    function(Op::upper, "upper", 1),
    function(Op::sum, "sum", 1),
    function(Op::sorted, "sorted", 1),
    function(Op::some, "some", 1),
    function(Op::has, "has", 1),
    may_lack(function(Op::value, "value", 1)),
    special(Op::field, "field", 1),
    special(Op::matches, "matches", 1, Level::comparison),
    term(Op::add, "add", " + "),
    term(Op::subtract, "subtract", " - "),
    factor(Op::multiply, "multiply", " * "),
    may_lack(factor(Op::divide, "divide", " / ")),
    may_lack(factor(Op::modulo, "modulo", " mod ")),
    term(Op::concat, "concat", " + "),
    comparison(Op::equal, "equal", " == "),
    comparison(Op::not_equal, "not_equal", " != "),
    comparison(Op::less, "less", " < "),
    comparison(Op::less_equal, "less_equal", " <= "),
    comparison(Op::greater, "greater", " > "),
    comparison(Op::greater_equal, "greater_equal", " >= "),
    infix(Op::logical_and, "and", " and ", Level::conjunction, Level::conjunction, Level::negation),
    infix(Op::logical_or, "or", " or ", Level::disjunction, Level::disjunction, Level::conjunction),
    infix(Op::implies, "implies", " implies ", Level::implication, Level::disjunction, Level::implication),
    comparison(Op::member, "in", " in "),
    comparison(Op::permutes, "permutes", " permutes "),
    may_lack(special(Op::at, "at", 2)),
    function(Op::contains, "contains", 2),
    function(Op::starts_with, "starts_with", 2),
    function(Op::ends_with, "ends_with", 2),
    function(Op::min, "min", 2),
    function(Op::max, "max", 2),
    special(Op::if_else, "if", 3, Level::conditional),
    special(Op::list, "list", Operator::any_number),
    special(Op::record, "record", Operator::any_number),
    special(Op::none, "none", 0),
    may_lack(special(Op::call, "call", Operator::any_number)),
    over_bytes(Op::crc32, "crc32", text, TypeKind::integer),
    over_bytes(Op::crc32c, "crc32c", text, TypeKind::integer),
    over_bytes(Op::crc16, "crc16", text, TypeKind::integer),
    over_bytes(Op::crc16_ccitt, "crc16_ccitt", text, TypeKind::integer),
    over_bytes(Op::crc8, "crc8", text, TypeKind::integer),
    over_bytes(Op::crc16_xmodem, "crc16_xmodem", text, TypeKind::integer),
    over_bytes(Op::crc16_kermit, "crc16_kermit", text, TypeKind::integer),
    over_bytes(Op::crc16_modbus, "crc16_modbus", text, TypeKind::integer),
    over_bytes(Op::fletcher16, "fletcher16", text, TypeKind::integer),
    over_bytes(Op::fletcher32, "fletcher32", text, TypeKind::integer),
    over_bytes(Op::adler32, "adler32", text, TypeKind::integer),
    over_bytes(Op::sum8, "sum8", text, TypeKind::integer),
    over_bytes(Op::xor8, "xor8", text, TypeKind::integer),
    over_bytes(Op::internet_checksum, "internet_checksum", text, TypeKind::integer),
    over_bytes(Op::base64, "base64", text, TypeKind::string),
    over_bytes(Op::hex, "hex", text, TypeKind::string),
    may_lack(over_bytes(Op::unbase64, "unbase64", TypeKind::string, TypeKind::bytes)),
    may_lack(over_bytes(Op::unhex, "unhex", TypeKind::string, TypeKind::bytes)),
    over_bytes(Op::sha1, "sha1", text, TypeKind::bytes),
    over_bytes(Op::sha256, "sha256", text, TypeKind::bytes),
    over_bytes(Op::to_bytes, "to_bytes", TypeKind::string, TypeKind::bytes),
    over_bytes(Op::to_text, "to_text", TypeKind::bytes, TypeKind::string),
    over_bytes(Op::digits, "digits", TypeKind::integer, TypeKind::string),
    may_lack(special(Op::slice, "slice", 3)),
    may_lack(special(Op::with_item, "with_item", 3, Level::update)),
    function(Op::take, "take", 2),
    function(Op::drop, "drop", 2),
    function(Op::reverse, "reverse", 1),
    function(Op::index_of, "index_of", 2),
    function(Op::repeated, "repeat", 2),
    may_lack(special(Op::least, "least", 1)),
    may_lack(special(Op::greatest, "greatest", 1)),
    may_lack(function(Op::split, "split", 2)),
    function(Op::join, "join", 2),
    may_lack(function(Op::replace, "replace", 3)),
    may_lack(function(Op::to_int, "to_int", 1)),
    function(Op::to_hex, "to_hex", 1),
    may_lack(function(Op::from_hex, "from_hex", 1)),
    special(Op::set, "set", Operator::any_number),
    special(Op::map, "map", Operator::any_number),
    infix(Op::without, "without", " without ", Level::update, Level::update, Level::sum),
    term(Op::difference, "difference", " - "),
    function(Op::keys, "keys", 1),
    function(Op::values, "values", 1),
    function(Op::to_set, "to_set", 1),
    may_lack(special(Op::for_all, "all", Operator::any_number, Level::conditional)),
    may_lack(special(Op::exists, "any", Operator::any_number, Level::conditional)),
    may_lack(special(Op::each, "each", Operator::any_number)),
    may_lack(special(Op::select, "select", Operator::any_number)),
    may_lack(special(Op::fold, "fold", Operator::any_number, Level::conditional)),
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (static_cast<std::size_t>(table[i].op) != i) return false;
    return table.back().op == Op::fold;
}
static_assert(in_order(), "the table has one line for each operator, in the order of Op");

}  // namespace

std::span<const Operator> operators() {
    return table;
}

const Operator& about(Op op) {
    return table[static_cast<std::size_t>(op)];
}

std::optional<std::size_t> arity(Op op) {
    std::size_t operands = about(op).operands;
    return operands == Operator::any_number ? std::nullopt : std::optional(operands);
}

}  // namespace treaty::expr
