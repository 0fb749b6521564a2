#include "base/escape.h"

#include <set>

#include <gtest/gtest.h>

#include "base/json_string.h"
#include "base/timestamp.h"

namespace treaty::base {
namespace {

TEST(Escape, OnlyPrintableAsciiIsShownAsItIs) {
    EXPECT_EQ(escaped("a b\n\r\t\x01\x7f\xc3\xa9"), R"(a b\n\r\t\x01\x7f\xc3\xa9)");
    EXPECT_EQ(quoted_bytes("say \"\\n\""), R"("say \"\\n\"")");
}

TEST(Escape, DifferentBytesNeverLookAlike) {
    std::set<std::string> shown;
    for (int a = 0; a < 256; ++a)
        for (char b : {'\\', 'n', 'x', '"', '0', '\n'})
            shown.insert(quoted_bytes(std::string{static_cast<char>(a), b}));
    EXPECT_EQ(shown.size(), 256u * 6);
}

std::string json(std::string_view text) {
    std::string out = "x";  // what is there stays
    append_json_string(out, text);
    return out.substr(1);
}

TEST(JsonString, ControlCharactersAreEscaped) {
    EXPECT_EQ(json("a\"b\\c/\b\f\n\r\t"), R"("a\"b\\c/\b\f\n\r\t")");
    EXPECT_EQ(json(std::string_view("\0\x1f\x7f", 3)), R"("\u0000\u001f\u007f")");
    EXPECT_EQ(json("caf\xc3\xa9"), "\"caf\xc3\xa9\"");
}

TEST(Timestamp, DatesAndZonesAreReadExactly) {
    EXPECT_EQ(parse_time("1970-01-01T00:00:00Z"), 0);
    EXPECT_EQ(parse_time("1970-01-02 00:00:00.000000001"), 86'400'000'000'001);
    EXPECT_EQ(parse_time("29/08/2013 15:17:30.128"), parse_time("2013-08-29T17:17:30.128+02:00"));
    EXPECT_EQ(parse_time("2013-08-29T15:17:30Z"), parse_time("2013-08-29T11:47:30-0330"));
    for (const char* wrong : {"", "today", "2013-13-01T00:00:00Z", "2013-08-29", "2013-08-29T24:00:00Z",
                              "2013-08-29T15:17:61Z", "2013-08-29T15:17:30+99:00"})
        EXPECT_EQ(parse_time(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace treaty::base
