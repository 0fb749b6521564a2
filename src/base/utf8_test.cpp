#include "base/utf8.h"

#include <gtest/gtest.h>

namespace treaty::base {
namespace {

TEST(Utf8, EveryCodePointReadsBack) {
    for (char32_t value = 0; value <= 0x10ffff; ++value) {
        if (value >= 0xd800 && value <= 0xdfff) continue;
        std::string text;
        append_utf8(text, value);
        CodePoint point = decode(text);
        ASSERT_EQ(point.value, value);
        ASSERT_EQ(point.bytes, text.size());
    }
}

TEST(Utf8, MalformedBytesAreReplacedOneByOne) {
    EXPECT_EQ(printable("\xc0\x80"), "\xef\xbf\xbd\xef\xbf\xbd");  // overlong
    EXPECT_EQ(printable("\xed\xa0\x80").size(), 9u);               // a surrogate
    EXPECT_EQ(printable("\xf5\x80\x80\x80").size(), 12u);          // beyond the last
    EXPECT_EQ(printable("\xe6\x97"), "\xef\xbf\xbd\xef\xbf\xbd");  // cut off
    EXPECT_EQ(printable("\xe6"
                        "A"),
              "\xef\xbf\xbd"
              "A");  // not continued
}

TEST(Utf8, ColumnsAsTerminalsCount) {
    EXPECT_EQ(columns("abc"), 3u);
    EXPECT_EQ(columns("\xe6\x97\xa5\xe6\x9c\xac"), 4u);
    EXPECT_EQ(columns("e\xcc\x81"), 1u);
    EXPECT_EQ(columns("\xc3\xbc"), 1u);
}

TEST(Utf8, ShortensToTheLimit) {
    EXPECT_EQ(shorten("abcdef", 6), "abcdef");
    EXPECT_EQ(shorten("abcdefg", 6), "abc...");
    EXPECT_EQ(shorten("\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5", 5), "\xe6\x97\xa5...");
    EXPECT_EQ(shorten("\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5", 6), "\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5");
}

}  // namespace
}  // namespace treaty::base
