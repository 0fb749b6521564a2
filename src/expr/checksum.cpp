#include "expr/checksum.h"

#include <array>
#include <cstddef>

namespace treaty::expr {
namespace {

using Table = std::array<std::uint32_t, 256>;

constexpr std::array parameters{
    CrcParameters{Op::crc32, "CRC-32/ISO-HDLC", 32, 0x04c11db7, 0xffffffff, true, 0xffffffff, 0xcbf43926},
    CrcParameters{Op::crc32c, "CRC-32/ISCSI", 32, 0x1edc6f41, 0xffffffff, true, 0xffffffff, 0xe3069283},
    CrcParameters{Op::crc16, "CRC-16/ARC", 16, 0x8005, 0, true, 0, 0xbb3d},
    CrcParameters{Op::crc16_ccitt, "CRC-16/CCITT-FALSE", 16, 0x1021, 0xffff, false, 0, 0x29b1},
    CrcParameters{Op::crc8, "CRC-8/SMBUS", 8, 0x07, 0, false, 0, 0xf4},
    CrcParameters{Op::crc16_xmodem, "CRC-16/XMODEM", 16, 0x1021, 0, false, 0, 0x31c3},
    CrcParameters{Op::crc16_kermit, "CRC-16/KERMIT", 16, 0x1021, 0, true, 0, 0x2189},
    CrcParameters{Op::crc16_modbus, "CRC-16/MODBUS", 16, 0x8005, 0xffff, true, 0, 0x4b37},
};

constexpr std::uint32_t mirrored(std::uint32_t bits, unsigned width) {
    std::uint32_t result = 0;
    for (unsigned k = 0; k < width; ++k) result |= (bits >> k & 1) << (width - 1 - k);
    return result;
}

// What each byte adds. A reflected CRC shifts towards its low bit. The others work on the high bits of a
// 32-bit register, whatever their width.
constexpr Table table_of(const CrcParameters& crc) {
    Table table{};
    std::uint32_t backwards = mirrored(crc.polynomial, crc.width);
    std::uint32_t aligned = crc.polynomial << (32 - crc.width);
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t c = crc.reflected ? byte : byte << 24;
        for (int k = 0; k < 8; ++k)
            if (crc.reflected)
                c = c & 1 ? c >> 1 ^ backwards : c >> 1;
            else
                c = c >> 31 ? c << 1 ^ aligned : c << 1;
        table[byte] = c;
    }
    return table;
}

constexpr auto tables = [] {
    std::array<Table, parameters.size()> all{};
    for (std::size_t i = 0; i < parameters.size(); ++i) all[i] = table_of(parameters[i]);
    return all;
}();

std::uint32_t crc_of(const CrcParameters& crc, const Table& table, std::string_view bytes) {
    if (crc.reflected) {
        std::uint32_t c = mirrored(crc.initial, crc.width);
        for (char b : bytes) c = table[(c ^ static_cast<unsigned char>(b)) & 0xff] ^ c >> 8;
        return c ^ crc.final_xor;
    }
    std::uint32_t c = crc.initial << (32 - crc.width);
    for (char b : bytes) c = table[c >> 24 ^ static_cast<unsigned char>(b)] ^ c << 8;
    return c >> (32 - crc.width) ^ crc.final_xor;
}

std::uint32_t adler(std::string_view bytes) {
    std::uint32_t a = 1, b = 0;
    for (char c : bytes) {
        a = (a + static_cast<unsigned char>(c)) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

std::uint32_t fletcher16(std::string_view bytes) {
    std::uint32_t a = 0, b = 0;
    for (char c : bytes) {
        a = (a + static_cast<unsigned char>(c)) % 255;
        b = (b + a) % 255;
    }
    return b << 8 | a;
}

// Over words of 16 bits with their low byte first; an odd byte is padded with zero.
std::uint32_t fletcher32(std::string_view bytes) {
    std::uint32_t a = 0, b = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        std::uint32_t word = static_cast<unsigned char>(bytes[i]);
        if (i + 1 < bytes.size()) word |= std::uint32_t{static_cast<unsigned char>(bytes[i + 1])} << 8;
        a = (a + word) % 65535;
        b = (b + a) % 65535;
    }
    return b << 16 | a;
}

// RFC 1071: the complement of the sum of 16-bit words, carries added in; an odd byte is padded with zero.
std::uint32_t internet(std::string_view bytes) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        sum += std::uint64_t{static_cast<unsigned char>(bytes[i])} << (i % 2 == 0 ? 8 : 0);
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint32_t>(~sum & 0xffff);
}

}  // namespace

std::span<const CrcParameters> crcs() {
    return parameters;
}

std::int64_t checksum(Op op, std::string_view bytes) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].op == op) return crc_of(parameters[i], tables[i], bytes);
    std::uint8_t byte = 0;
    switch (op) {
        case Op::adler32: return adler(bytes);
        case Op::fletcher16: return fletcher16(bytes);
        case Op::fletcher32: return fletcher32(bytes);
        case Op::internet_checksum: return internet(bytes);
        case Op::xor8:
            for (char c : bytes) byte = static_cast<std::uint8_t>(byte ^ static_cast<unsigned char>(c));
            return byte;
        default:
            for (char c : bytes) byte = static_cast<std::uint8_t>(byte + static_cast<unsigned char>(c));
            return byte;
    }
}

}  // namespace treaty::expr
