#include "base/percent.h"

#include <gtest/gtest.h>

namespace treaty::base {
namespace {

std::string encoded(std::string_view text, std::string_view plain = unreserved) {
    std::string out;
    append_percent(out, text, plain);
    return out;
}

TEST(Percent, EscapesAllButPlainCharacters) {
    EXPECT_EQ(encoded("a b/c~9"), "a%20b%2Fc~9");
    EXPECT_EQ(encoded("a b/c~9", "/"), "a%20b/c%7E9");
}

TEST(Percent, EveryByteIsReadBack) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    EXPECT_EQ(from_percent(encoded(all)), all);
    EXPECT_EQ(from_percent(encoded(all, "")), all);
    EXPECT_EQ(from_percent("%c3%A9"), "\xc3\xa9") << "digits in either case";
}

TEST(Percent, NeedsTwoDigits) {
    for (std::string_view text : {"%", "100%", "%2", "%g0", "%0g", "%%20"})
        EXPECT_FALSE(from_percent(text)) << text;
}

}  // namespace
}  // namespace treaty::base
