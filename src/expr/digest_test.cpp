// Checksums against their published values and against the division of polynomials, bit by bit.
#include "expr/digest.h"

#include <gtest/gtest.h>

#include <random>

namespace treaty::expr {
namespace {

TEST(Digest, PublishedValues) {
    const std::string check = "123456789";
    EXPECT_EQ(checksum(Op::crc32, check), 0xcbf43926);
    EXPECT_EQ(checksum(Op::crc32c, check), 0xe3069283);
    EXPECT_EQ(checksum(Op::crc16, check), 0xbb3d);
    EXPECT_EQ(checksum(Op::crc16_ccitt, check), 0x29b1);
    EXPECT_EQ(checksum(Op::adler32, "Wikipedia"), 0x11e60398);
    EXPECT_EQ(checksum(Op::sum8, check), 0xdd);
    EXPECT_EQ(checksum(Op::xor8, check), 0x31);
    // RFC 1071, section 3: the sum is ddf2.
    EXPECT_EQ(checksum(Op::internet_checksum, std::string_view("\x00\x01\xf2\x03\xf4\xf5\xf6\xf7", 8)),
              0xffff & ~0xddf2);
    EXPECT_EQ(*coded(Op::hex, *coded(Op::sha1, "abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
    EXPECT_EQ(*coded(Op::hex, *coded(Op::sha256, "abc")),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    // RFC 4648, section 10, and the example of RFC 6455, section 1.3.
    const char* texts[][2] = {{"", ""},
                              {"f", "Zg=="},
                              {"fo", "Zm8="},
                              {"foo", "Zm9v"},
                              {"foob", "Zm9vYg=="},
                              {"fooba", "Zm9vYmE="},
                              {"foobar", "Zm9vYmFy"}};
    for (auto& [plain, text] : texts) {
        EXPECT_EQ(*coded(Op::base64, plain), text);
        EXPECT_EQ(*coded(Op::unbase64, text), plain);
    }
    EXPECT_EQ(
        *coded(Op::base64, *coded(Op::sha1, "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11")),
        "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

// The remainder of the message (its bits turned around if so) times x^width, started and ended with ones if
// so.
std::uint64_t by_division(std::string_view bytes, unsigned width, std::uint64_t polynomial, bool turned,
                          std::uint64_t start, std::uint64_t end) {
    std::uint64_t rest = start, top = std::uint64_t{1} << (width - 1), all = top * 2 - 1;
    for (char c : bytes)
        for (int k = 0; k < 8; ++k) {
            std::uint64_t bit = static_cast<unsigned char>(c) >> (turned ? k : 7 - k) & 1;
            bool out = ((rest & top) != 0) != (bit != 0);
            rest = rest << 1 & all;
            if (out) rest ^= polynomial;
        }
    if (turned) {
        std::uint64_t back = 0;
        for (unsigned k = 0; k < width; ++k) back |= (rest >> k & 1) << (width - 1 - k);
        rest = back;
    }
    return rest ^ end;
}

TEST(Digest, ChecksumsAreRemainders) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 500; ++round) {
        std::string bytes(random() % 40, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        auto is = [&](Op op, std::uint64_t wanted) {
            EXPECT_EQ(static_cast<std::uint64_t>(checksum(op, bytes)), wanted) << round;
        };
        is(Op::crc32, by_division(bytes, 32, 0x04c11db7, true, 0xffffffff, 0xffffffff));
        is(Op::crc32c, by_division(bytes, 32, 0x1edc6f41, true, 0xffffffff, 0xffffffff));
        is(Op::crc16, by_division(bytes, 16, 0x8005, true, 0, 0));
        is(Op::crc16_ccitt, by_division(bytes, 16, 0x1021, false, 0xffff, 0));
        // A message with its own checksum behind it sums up to zero.
        if (bytes.size() % 2 == 0) {
            auto sum = checksum(Op::internet_checksum, bytes);
            std::string whole = bytes + static_cast<char>(sum >> 8) + static_cast<char>(sum);
            EXPECT_EQ(checksum(Op::internet_checksum, whole), 0);
        }
    }
}

TEST(Digest, EachTextMeansAtMostOneValue) {
    std::string letters = "AQgw+/=0fz!", text(4, ' ');
    std::size_t read = 0;
    for (std::size_t n = 0; n < 11 * 11 * 11 * 11; ++n) {
        for (std::size_t k = 0, rest = n; k < 4; ++k, rest /= 11) text[k] = letters[rest % 11];
        for (auto [back, there] : {std::pair(Op::unbase64, Op::base64), std::pair(Op::unhex, Op::hex)}) {
            auto value = coded(back, text);
            if (!value) continue;
            ++read;
            EXPECT_EQ(*coded(there, *value), text);
        }
    }
    EXPECT_GT(read, 1000u);
    std::mt19937_64 random(6);
    for (int round = 0; round < 300; ++round) {
        std::string bytes(random() % 20, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        EXPECT_EQ(coded(Op::unbase64, *coded(Op::base64, bytes)), bytes);
        EXPECT_EQ(coded(Op::unhex, *coded(Op::hex, bytes)), bytes);
    }
}

}  // namespace
}  // namespace treaty::expr
