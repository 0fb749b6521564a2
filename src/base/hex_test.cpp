#include "base/hex.h"

#include <gtest/gtest.h>

namespace treaty::base {
namespace {

TEST(Hex, EveryByteReadsBack) {
    std::string all;
    for (int b = 0; b < 256; ++b) all += static_cast<char>(b);
    EXPECT_EQ(from_hex(to_hex(all)), all);
    EXPECT_EQ(to_hex("\x9f"), "9f");
    EXPECT_EQ(from_hex("9F"), "\x9f");
}

TEST(Hex, RefusesWhatIsNotPairsOfDigits) {
    for (const char* text : {"9", "9g", "g9", " 9", "0x", "9f0"})
        EXPECT_EQ(from_hex(text), std::nullopt) << text;
}

}  // namespace
}  // namespace treaty::base
