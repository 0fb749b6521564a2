#include "draw/svg_text.h"

#include <gtest/gtest.h>

#include "draw/font_metrics.h"

namespace treaty::draw {
namespace {

TEST(FontMetrics, WiderTextsAreWider) {
    EXPECT_DOUBLE_EQ(text_width("", 10), 0);
    EXPECT_DOUBLE_EQ(text_width("m", 10), 9.74);
    EXPECT_LT(text_width("iiii", 13), text_width("mmmm", 13));
    EXPECT_LT(text_width("name", 13), text_width("name", 13, Weight::bold));
    EXPECT_GT(text_width("\xe6\x97\xa5", 10), 10);
}

TEST(SvgText, EscapesAndRounds) {
    EXPECT_EQ(escape_xml("a<b & \"c\" 'd'>\x01"), "a&lt;b &amp; &quot;c&quot; &#39;d&#39;&gt;\xef\xbf\xbd");
    EXPECT_EQ(svg_number(3), "3");
    EXPECT_EQ(svg_number(-0.26), "-0.3");
    EXPECT_EQ(svg_number(-0.01), "0");
    EXPECT_EQ(svg_number(12.34), "12.3");
}

}  // namespace
}  // namespace treaty::draw
