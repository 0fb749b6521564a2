// Operators on bytes: checksums, digests and codings, what protocols compute over their own bytes.
//
// They are numbered behind the operators of expr/pool.h and described by one table, so that whoever reads,
// prints or types an expression needs to know the table only. Each takes one operand and is a pure function,
// linear in the bytes. The checksums are those that go by these names in the catalogue of parametrised CRC
// algorithms and in RFC 1071 and 1950. SHA-1 and SHA-256 are OpenSSL's. Decoding what is no base64 or
// hexadecimal text gives nothing; what is decoded is exactly what encoding writes, so each value has one
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "expr/pool.h"

namespace treaty::expr {

enum class ByteOp : std::uint8_t {
    crc32 = 128,
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

struct ByteOpForm {
    ByteOp op;
    std::string_view name;
    TypeKind takes;  // unknown: a string or bytes
    TypeKind gives;
};

std::span<const ByteOpForm> byte_ops();

constexpr Op op_of(ByteOp op) {
    return static_cast<Op>(op);
}
constexpr bool is_byte_op(Op op) {
    return op >= op_of(ByteOp::crc32) && op <= op_of(ByteOp::digits);
}
const ByteOpForm& form_of(Op op);  // of an operator for which is_byte_op()

// Nothing where the operand has no such value.
std::optional<Value> apply_byte_op(ByteOp op, const Value& operand);

std::int64_t checksum(ByteOp op, std::string_view bytes);
std::optional<std::string> coded(ByteOp op, std::string_view text);

}  // namespace treaty::expr
