// Checksums by name: the cyclic redundancy checks of the catalogue of parametrised CRC algorithms, and the
// sums of RFC 1071 (Internet checksum), RFC 1950 (Adler-32) and Fletcher.
//
// Each CRC is a row of parameters; tables are computed from them when this is compiled. All functions are
// linear in the bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "expr/operators.h"

namespace treaty::expr {

// A CRC by its parameters. The polynomial is written with its highest power left out, high bits first, also
// where the bits of each byte are read from the low one (reflected).
struct CrcParameters {
    Op op;
    std::string_view title;  // in the catalogue
    unsigned width;          // 8 to 32
    std::uint32_t polynomial;
    std::uint32_t initial;
    bool reflected;  // input and output
    std::uint32_t final_xor;
    std::uint32_t check;  // of the text 123456789
};

std::span<const CrcParameters> crcs();

// Of an operator over bytes that gives a number.
std::int64_t checksum(Op op, std::string_view bytes);

}  // namespace treaty::expr
