#include "base/hex_text.h"

#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

#include "base/hex.h"

namespace treaty::base {
namespace {

std::string read(std::string_view text) {
    auto bytes = bytes_of_hex_text(text);
    return bytes ? to_hex(*bytes) : "fault: " + bytes.error();
}

TEST(HexText, AnyGrouping) {
    EXPECT_EQ(read(""), "");
    EXPECT_EQ(read("7e01ff"), "7e01ff");
    EXPECT_EQ(read(" 7E 01\n\n\tfF\r\n"), "7e01ff");
    EXPECT_EQ(read("0x7e, 0x01, 0x5"), "7e0105");
    EXPECT_EQ(read("0x7e01ff"), "7e01ff");
    EXPECT_EQ(read("7e:01:ff"), "7e01ff");
    EXPECT_EQ(read("7e01  ff\n0203  04"), "7e01ff020304");
}

TEST(HexText, Dumps) {
    EXPECT_EQ(read("00000000: 7e01 ff20                                ~.. \n"), "7e01ff20");
    EXPECT_EQ(read("00000000  7e 01 ff 20 30 31 32 33  34 35                    |~.. 012345|\n0000000a\n"),
              "7e01ff20303132333435");
    EXPECT_EQ(read("0010: 6162  ab\n0012: 63    c\n"), "616263");  // from the middle of a file
}

TEST(HexText, Faults) {
    EXPECT_EQ(read("7e 0\n"), "fault: line 1: a byte has two digits, and here is one alone");
    EXPECT_EQ(read("7e\nzz"), "fault: line 2: `z` is not a hexadecimal digit");
    EXPECT_EQ(read("7e 0x"), "fault: line 1: no digits after 0x");
    EXPECT_EQ(read("\x01"), "fault: line 1: byte 0x01 is not a hexadecimal digit");
    EXPECT_EQ(read("0000  61 62  |ab|\n0004  63  |c|\n"),
              "fault: line 2: the offset is 0x4, but 0x2 bytes are before it");
    EXPECT_EQ(read("0000  61 62  |ab|\n*\n"), "fault: line 2: repeated lines are left out (use hexdump -v)");
    EXPECT_EQ(read("0000  61 62  |ab|\n6364\n"), "fault: line 2: this line of the dump has no offset");
}

TEST(HexText, WhatIsDumpedIsReadAgain) {
    constexpr std::uint64_t seed = 3;
    std::mt19937_64 random(seed);
    for (int round = 0; round < 300; ++round) {
        std::string bytes(random() % 70, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        std::string where = fmt::format("seed {}, round {}", seed, round);
        EXPECT_EQ(read(hex_dump(bytes, "    ")), to_hex(bytes)) << where;
        // As xxd writes it, with any bytes in its text.
        std::string xxd;
        for (std::size_t at = 0; at < bytes.size(); at += 16) {
            std::string line = fmt::format("{:08x}:", at), text;
            for (std::size_t k = at; k < std::min(at + 16, bytes.size()); ++k) {
                line += fmt::format("{}{:02x}", k % 2 == 0 ? " " : "", static_cast<unsigned char>(bytes[k]));
                text += bytes[k] >= 0x20 && bytes[k] < 0x7f ? bytes[k] : '.';
            }
            xxd += fmt::format("{:<51}{}\n", line, text);
        }
        EXPECT_EQ(read(xxd), to_hex(bytes)) << where;
    }
}

}  // namespace
}  // namespace treaty::base
