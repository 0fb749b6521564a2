// Digests and codings against their published values.
#include "expr/digest.h"

#include <gtest/gtest.h>

#include <random>

namespace treaty::expr {
namespace {

TEST(Digest, PublishedValues) {
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

TEST(Digest, EachTextMeansAtMostOneValue) {
    std::string letters = "AQgw+/=0fz!", text(4, ' ');
    std::size_t read = 0;
    for (std::size_t n = 0; n < std::size_t{11} * 11 * 11 * 11; ++n) {
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
