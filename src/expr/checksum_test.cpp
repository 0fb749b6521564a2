// Checksums against their published values and against the division of polynomials, bit by bit.
#include "expr/checksum.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace treaty::expr {
namespace {

TEST(Checksum, PublishedValues) {
    const std::string check = "123456789";
    for (const CrcParameters& crc : crcs()) EXPECT_EQ(checksum(crc.op, check), crc.check) << crc.title;
    // The values of the catalogue once more, apart from the table.
    EXPECT_EQ(checksum(Op::crc8, check), 0xf4);
    EXPECT_EQ(checksum(Op::crc16, check), 0xbb3d);
    EXPECT_EQ(checksum(Op::crc16_ccitt, check), 0x29b1);
    EXPECT_EQ(checksum(Op::crc16_xmodem, check), 0x31c3);
    EXPECT_EQ(checksum(Op::crc16_kermit, check), 0x2189);
    EXPECT_EQ(checksum(Op::crc16_modbus, check), 0x4b37);
    EXPECT_EQ(checksum(Op::crc32, check), 0xcbf43926);
    EXPECT_EQ(checksum(Op::crc32c, check), 0xe3069283);
    EXPECT_EQ(checksum(Op::sum8, check), 0xdd);
    EXPECT_EQ(checksum(Op::xor8, check), 0x31);
    EXPECT_EQ(checksum(Op::adler32, check), 0x091e01de);
    EXPECT_EQ(checksum(Op::adler32, "Wikipedia"), 0x11e60398);
    EXPECT_EQ(checksum(Op::fletcher16, check), 0x1ede);
    EXPECT_EQ(checksum(Op::fletcher32, check), 0xdf09d509);
}

TEST(Checksum, KnownVectors) {
    EXPECT_EQ(checksum(Op::fletcher16, "abcde"), 0xc8f0);
    EXPECT_EQ(checksum(Op::fletcher16, "abcdef"), 0x2057);
    EXPECT_EQ(checksum(Op::fletcher16, "abcdefgh"), 0x0627);
    EXPECT_EQ(checksum(Op::fletcher32, "abcde"), 0xf04fc729);
    EXPECT_EQ(checksum(Op::fletcher32, "abcdef"), 0x56502d2a);
    EXPECT_EQ(checksum(Op::fletcher32, "abcdefgh"), 0xebe19591);
    // RFC 1071, section 3: the sum is ddf2.
    EXPECT_EQ(checksum(Op::internet_checksum, std::string_view("\x00\x01\xf2\x03\xf4\xf5\xf6\xf7", 8)),
              0xffff & ~0xddf2);
    // RFC 3720, appendix B.4: 32 bytes of zeros, of ones, ascending.
    EXPECT_EQ(checksum(Op::crc32c, std::string(32, '\0')), 0x8a9136aa);
    EXPECT_EQ(checksum(Op::crc32c, std::string(32, '\xff')), 0x62a8ab43);
    std::string ascending;
    for (char c = 0; c < 32; ++c) ascending += c;
    EXPECT_EQ(checksum(Op::crc32c, ascending), 0x46dd794e);
    // A request of Modbus: 01 03 00 00 00 0a is followed by c5 cd, low byte first.
    EXPECT_EQ(checksum(Op::crc16_modbus, std::string_view("\x01\x03\x00\x00\x00\x0a", 6)), 0xcdc5);
    // Nothing at all: what is left is the initial value.
    EXPECT_EQ(checksum(Op::crc32, ""), 0);
    EXPECT_EQ(checksum(Op::crc16_ccitt, ""), 0xffff);
    EXPECT_EQ(checksum(Op::adler32, ""), 1);
    EXPECT_EQ(checksum(Op::fletcher16, ""), 0);
    EXPECT_EQ(checksum(Op::internet_checksum, ""), 0xffff);
}

// The remainder of the message times x^width, one bit after the other.
std::uint64_t by_division(std::string_view bytes, const CrcParameters& crc) {
    std::uint64_t rest = crc.initial, top = std::uint64_t{1} << (crc.width - 1), all = top * 2 - 1;
    for (char c : bytes)
        for (int k = 0; k < 8; ++k) {
            std::uint64_t bit = static_cast<unsigned char>(c) >> (crc.reflected ? k : 7 - k) & 1;
            bool out = ((rest & top) != 0) != (bit != 0);
            rest = rest << 1 & all;
            if (out) rest ^= crc.polynomial;
        }
    if (crc.reflected) {
        std::uint64_t back = 0;
        for (unsigned k = 0; k < crc.width; ++k) back |= (rest >> k & 1) << (crc.width - 1 - k);
        rest = back;
    }
    return rest ^ crc.final_xor;
}

// The sums of Fletcher and Adler as they are defined, without reduction on the way.
std::uint64_t by_definition(const std::vector<std::uint64_t>& words, std::uint64_t start, unsigned shift,
                            std::uint64_t modulus) {
    std::uint64_t a = start, b = 0;
    for (std::uint64_t w : words) b += a += w;
    return (b % modulus) << shift | a % modulus;
}

TEST(Checksum, AgreesWithTheDefinitionBitByBit) {
    constexpr std::uint64_t seed = 5;
    std::mt19937_64 random(seed);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes(random() % 70, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        std::string where = "seed " + std::to_string(seed) + ", round " + std::to_string(round);
        for (const CrcParameters& crc : crcs())
            EXPECT_EQ(static_cast<std::uint64_t>(checksum(crc.op, bytes)), by_division(bytes, crc))
                << crc.title << ", " << where;
        std::vector<std::uint64_t> octets, words;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            octets.push_back(static_cast<unsigned char>(bytes[i]));
            if (i % 2 == 0) words.push_back(0);
            words.back() += octets.back() << (i % 2 * 8);
        }
        auto is = [&](Op op, std::uint64_t wanted) {
            EXPECT_EQ(static_cast<std::uint64_t>(checksum(op, bytes)), wanted) << about(op).name << where;
        };
        is(Op::adler32, by_definition(octets, 1, 16, 65521));
        is(Op::fletcher16, by_definition(octets, 0, 8, 255));
        is(Op::fletcher32, by_definition(words, 0, 16, 65535));
        // A message with its own checksum after it sums up to zero.
        if (bytes.size() % 2 == 0) {
            auto sum = checksum(Op::internet_checksum, bytes);
            std::string whole = bytes + static_cast<char>(sum >> 8) + static_cast<char>(sum);
            EXPECT_EQ(checksum(Op::internet_checksum, whole), 0) << where;
        }
    }
}

// A CRC finds every single flipped bit, and every burst that is no longer than itself.
TEST(Checksum, CrcsFindShortBursts) {
    std::mt19937_64 random(7);
    for (const CrcParameters& crc : crcs())
        for (int round = 0; round < 200; ++round) {
            std::string bytes(8 + random() % 30, '\0');
            for (char& c : bytes) c = static_cast<char>(random());
            std::string damaged = bytes;
            std::size_t length = 1 + random() % crc.width, begin = random() % (8 * bytes.size() - length + 1);
            for (std::size_t k = 0; k < length; ++k)
                if (k == 0 || k + 1 == length || random() % 2 == 0) {
                    std::size_t bit = begin + k;
                    damaged[bit / 8] =
                        static_cast<char>(damaged[bit / 8] ^ (crc.reflected ? 1 << bit % 8 : 128 >> bit % 8));
                }
            EXPECT_NE(checksum(crc.op, bytes), checksum(crc.op, damaged)) << crc.title;
        }
}

TEST(Checksum, EveryChecksumIsTested) {
    std::set<Op> crc;
    for (const CrcParameters& one : crcs()) crc.insert(one.op);
    EXPECT_EQ(crc.size(), crcs().size());
    for (const Operator& one : operators())
        EXPECT_EQ(is_checksum(one.op), one.gives == TypeKind::integer && is_over_bytes(one.op)) << one.name;
}

}  // namespace
}  // namespace treaty::expr
