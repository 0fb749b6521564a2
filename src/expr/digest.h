// Operators on bytes: checksums, digests and codings, what protocols compute over their own bytes.
//
// Each takes one operand and is a pure function, linear in the bytes. Checksums are in checksum.h; SHA-1 and
// SHA-256 are OpenSSL's. Decoding what is not base64 or hexadecimal text gives nothing; what is decoded is
// exactly what encoding writes, so each value has one text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "expr/operators.h"
#include "expr/value.h"

namespace treaty::expr {

// The operators are those for which is_over_bytes(). Nothing where the operand has no such value.
std::optional<Value> apply_over_bytes(Op op, const Value& operand);

std::optional<std::string> coded(Op op, std::string_view text);

}  // namespace treaty::expr
