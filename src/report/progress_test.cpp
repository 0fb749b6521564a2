#include "report/progress.h"

#include <gtest/gtest.h>

#include "draw/style.h"

namespace treaty::report {
namespace {

using std::chrono::milliseconds;

class ProgressTest : public testing::Test {
protected:
    std::string written() {
        std::fflush(file);
        std::rewind(file);
        char buffer[4096];
        return std::string(buffer, std::fread(buffer, 1, sizeof buffer, file));
    }
    void TearDown() override { std::fclose(file); }

    std::FILE* file = std::tmpfile();
    std::chrono::steady_clock::time_point now{};
    Progress::Clock clock = [this] { return now; };
};

TEST_F(ProgressTest, ShowsAtMostTenTimesASecondAndErasesItself) {
    int asked = 0;
    {
        Progress progress(file, true, clock);
        for (int ms = 0; ms < 600; ++ms) {
            progress.update([&] { return "line " + std::to_string(++asked); });
            now += milliseconds(1);
        }
    }
    EXPECT_EQ(asked, 3);  // at 300, 400 and 500 ms
    EXPECT_EQ(written(), "\r\x1b[Kline 1\r\x1b[Kline 2\r\x1b[Kline 3\r\x1b[K");
}

TEST_F(ProgressTest, SilentWhereItIsNotWanted) {
    {
        Progress progress(file, false, clock);
        now += milliseconds(5000);
        progress.update([] { return std::string("never"); });
    }
    EXPECT_EQ(written(), "");
}

TEST(ShortCount, KeepsThreeDigits) {
    EXPECT_EQ(short_count(9999), "9999");
    EXPECT_EQ(short_count(12345), "12.3 k");
    EXPECT_EQ(short_count(1234567), "1.23 M");
    EXPECT_EQ(short_count(2.5e9), "2.50 G");
}

TEST(Style, PaintsOnlyWithColour) {
    draw::Style style;
    EXPECT_EQ(draw::paint(style, draw::Ink::error, "x"), "x");
    style.color = true;
    EXPECT_EQ(draw::paint(style, draw::Ink::error, "x"), "\x1b[1;31mx\x1b[0m");
    EXPECT_EQ(draw::paint(style, draw::Ink::plain, "x"), "x");
    EXPECT_EQ(draw::paint(style, draw::Ink::error, ""), "");
    EXPECT_TRUE(draw::style_for(-1, draw::ColorChoice::always).color);
    EXPECT_FALSE(draw::style_for(-1, draw::ColorChoice::automatic).color);
    EXPECT_EQ(draw::parse_color_choice("auto"), draw::ColorChoice::automatic);
    EXPECT_EQ(draw::parse_color_choice("red"), std::nullopt);
}

}  // namespace
}  // namespace treaty::report
