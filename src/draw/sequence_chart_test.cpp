#include "draw/sequence_chart.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "draw/chart_layout.h"
#include "draw/font_metrics.h"

namespace treaty::draw {
namespace {

using model::NodeKind;

// Whether tags are balanced and text is escaped: enough to know that a reader accepts what we write.
testing::AssertionResult well_formed(std::string_view xml) {
    std::vector<std::string> open;
    for (std::size_t i = 0; i < xml.size(); ++i) {
        if (xml[i] == '&') {
            std::size_t end = xml.find(';', i);
            if (end == std::string_view::npos || end - i > 6)
                return testing::AssertionFailure() << "bare & at " << i;
        }
        if (xml[i] == '>') return testing::AssertionFailure() << "bare > at " << i;
        if (xml[i] != '<') continue;
        std::size_t end = xml.find('>', i);
        if (end == std::string_view::npos) return testing::AssertionFailure() << "tag never closed";
        std::string_view tag = xml.substr(i + 1, end - i - 1);
        if (tag.find('<') != std::string_view::npos)
            return testing::AssertionFailure() << "bare < in " << tag;
        std::string name(tag.substr(0, tag.find_first_of(" /", 1)));
        if (tag.front() == '/') {
            if (open.empty() || "/" + open.back() != name)
                return testing::AssertionFailure() << "stray <" << tag;
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(name);
        }
        i = end;
    }
    if (!open.empty()) return testing::AssertionFailure() << "<" << open.back() << "> is open";
    return testing::AssertionSuccess();
}

Chart random_chart(std::mt19937& random) {
    auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    auto text = [&] {
        static const char* words[] = {"req",      "a<b", "let x", "\xe6\x97\xa5\xe6\x9c\xac",
                                      "iiiiiiii", "&",   "WWWW",  "\""};
        std::string out = words[below(8)];
        for (std::size_t n = below(12); n > 0; --n) out += words[below(8)];
        return out;
    };
    Chart chart;
    if (below(2)) chart.title = text();
    for (std::size_t n = 1 + below(6); n > 0; --n) chart.lifelines.push_back(text());
    std::size_t depth = 0;
    for (std::size_t n = below(40); n > 0; --n) {
        ChartItem item;
        item.lines = {text()};
        item.failing = below(10) == 0;
        switch (below(depth < 12 ? 8 : 7)) {
            case 0: item.kind = ItemKind::note; break;
            case 1:
                if (depth > 0) item.kind = ItemKind::split;
                break;
            case 2:
                if (depth > 0) item.kind = ItemKind::close, item.lines.clear(), --depth;
                break;
            case 7:
                item.kind = ItemKind::open, item.tab = "alt", ++depth;
                if (below(2)) item.from = below(chart.lifelines.size());
                break;
            default: {
                constexpr ItemKind kinds[] = {ItemKind::arrow, ItemKind::send, ItemKind::receive};
                item.kind = kinds[below(3)];
                item.from = below(chart.lifelines.size());
                item.to = below(chart.lifelines.size());
                item.number = std::to_string(chart.items.size());
                if (below(3) == 0) item.lines.push_back(text());
            }
        }
        chart.items.push_back(std::move(item));
    }
    for (; depth > 0; --depth) chart.items.push_back({.kind = ItemKind::close});
    return chart;
}

bool is_message(ItemKind kind) {
    return kind == ItemKind::arrow || kind == ItemKind::send || kind == ItemKind::receive;
}

// Nothing overlaps: every row is below the one before, every label fits between its lifelines, every frame
// is around what it holds, and everything is on the canvas.
void check_layout(const Chart& chart) {
    ChartLayout at = lay_out(chart);
    constexpr double slack = 1e-6;
    for (std::size_t i = 1; i < chart.lifelines.size(); ++i)
        ASSERT_GE(at.x[i] - at.x[i - 1], (at.head_width[i] + at.head_width[i - 1]) / 2);
    double bottom = 0;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < chart.items.size(); ++i) {
        const ChartItem& item = chart.items[i];
        const Box& box = at.boxes[i];
        if (is_message(item.kind) || item.kind == ItemKind::note) {
            ASSERT_GE(box.top, bottom - slack);
            ASSERT_GT(box.bottom, box.top);
            bottom = box.bottom;
        }
        if (is_message(item.kind) && item.from != item.to) {
            for (const std::string& line : item.lines)
                ASSERT_LE(text_width(base::shorten(line, chart_sizes::text_limit), chart_sizes::label_font),
                          std::abs(at.x[item.from] - at.x[item.to]));
        }
        if (item.kind == ItemKind::close) {
            ASSERT_EQ(at.frame[i], open.back());
            open.pop_back();
            bottom = box.bottom;
        }
        if (!open.empty() && item.kind != ItemKind::split) {
            const Box& frame = at.boxes[open.back()];
            ASSERT_LT(frame.left, box.left);
            ASSERT_GT(frame.right, box.right);
            ASSERT_LT(frame.top, box.top);
            ASSERT_GT(frame.bottom, box.bottom);
        }
        if (item.kind == ItemKind::open) {
            open.push_back(i);
            double caption = 0;
            for (const std::string& line : item.lines)
                caption = text_width(base::shorten(line, chart_sizes::text_limit), chart_sizes::caption_font);
            ASSERT_GE(box.right - box.left, tab_width(item.tab) + caption);
        }
        if (item.kind != ItemKind::split) {
            ASSERT_GE(box.left, 0);
            ASSERT_LE(box.right, at.width);
            ASSERT_LE(box.bottom, at.height);
        }
    }
}

TEST(SequenceChart, RandomChartsNeverOverlap) {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        Chart chart = random_chart(random);
        ASSERT_NO_FATAL_FAILURE(check_layout(chart));
        std::string svg = to_svg(chart);
        ASSERT_TRUE(well_formed(svg));
        std::string text = to_text(chart, Style{});
        std::size_t limit = text_columns(chart);
        for (std::size_t start = 0; start < text.size();) {
            std::size_t end = text.find('\n', start);
            std::string_view line = std::string_view(text).substr(start, end - start);
            bool title = start == 0 && !chart.title.empty();
            ASSERT_LE(base::columns(line), std::max(limit, title ? std::size_t{48} : 0)) << text;
            ASSERT_TRUE(line.empty() || line.back() != ' ') << text;
            start = end + 1;
        }
    }
}

TEST(SequenceChart, LifelinesStandAsCloseAsTheBoundsAllow) {
    auto x = place_lifelines(4, {{0, 1, 10}, {1, 2, 10}, {2, 3, 10}, {0, 2, 50}, {1, 3, 15}});
    EXPECT_EQ(x, (std::vector<double>{0, 10, 50, 60}));
    EXPECT_TRUE(place_lifelines(0, {}).empty());
}

class ProtocolChartTest : public testing::Test {
protected:
    model::RoleId role(const char* name) { return specification.alphabet->role(name); }
    void say(model::ProtocolBuilder& builder, const char* from, const char* to, const char* message) {
        builder.interaction({}, role(from), role(to), specification.alphabet->message(message));
    }
    model::Specification specification;
};

TEST_F(ProtocolChartTest, EveryConstructBecomesItsFrame) {
    model::ProtocolBuilder builder("P", {}, {role("A"), role("B"), role("C")});
    auto loop = builder.loop("again");
    builder.open(NodeKind::sequence, {});
    say(builder, "A", "B", "hello");
    builder.open_recursion({}, loop);
    builder.open_choice({}, role("B"));
    builder.open(NodeKind::sequence, {});
    say(builder, "B", "C", "more");
    builder.jump({}, loop);
    builder.close();
    builder.open(NodeKind::sequence, {});
    builder.close();
    builder.close();
    builder.close();
    builder.open(NodeKind::interrupt, {});
    builder.open(NodeKind::parallel, {});
    builder.open_repeat({}, role("A"));
    say(builder, "A", "C", "ping");
    builder.close();
    builder.open(NodeKind::sequence, {});
    builder.signal({}, builder.semaphore("s"));
    builder.wait({}, builder.semaphore("s"));
    builder.close();
    builder.close();
    say(builder, "C", "A", "stop");
    builder.close();
    builder.close();
    auto protocol = builder.finish();
    ASSERT_TRUE(protocol) << builder.fault();
    Chart chart = chart_of(specification, *protocol);
    EXPECT_EQ(to_text(chart, Style{}), R"(P
       A           B          C
       |           |          |
       |---hello-->|          |
+- loop: again -----------------------+
| +- alt: chosen by B --------------+ |
| |    |           |---more-->|     | |
| |    |       [ continue again ]   | |
| +. or ............................+ |
| |    |           [ nothing ]|     | |
| +---------------------------------+ |
+-------------------------------------+
+- try -------------------------------+
| +- par ---------------------------+ |
| | +- loop: decided by A --------+ | |
| | |  |---------ping-------->|   | | |
| | +-----------------------------+ | |
| +. and ...........................+ |
| |    |    [ signal s ]      |     | |
| |    |     [ wait s ]       |     | |
| +---------------------------------+ |
+. interrupt .........................+
|      |<--------stop---------|       |
+-------------------------------------+
       |           |          |
)");
    EXPECT_TRUE(well_formed(to_svg(chart)));
}

TEST_F(ProtocolChartTest, FoldedFramesKeepTheirWidth) {
    model::ProtocolBuilder builder("P", {}, {role("A"), role("B"), role("C")});
    builder.open(NodeKind::sequence, {});
    builder.open_choice({}, role("A"));
    say(builder, "A", "B", "yes");
    builder.open(NodeKind::sequence, {});
    say(builder, "A", "B", "no");
    say(builder, "B", "A", "why");
    builder.close();
    builder.close();
    say(builder, "B", "C", "done");
    builder.close();
    auto protocol = builder.finish();
    ASSERT_TRUE(protocol) << builder.fault();
    std::vector<std::uint32_t> lines(protocol->size());
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = static_cast<std::uint32_t>(i + 1);
    Chart chart = chart_of(specification, *protocol, lines);
    std::uint32_t choice = chart.items.front().line;
    EXPECT_EQ(to_svg(folded(chart, {}), LineClasses::given), to_svg(chart, LineClasses::given));
    Chart shut = folded(chart, {choice});
    EXPECT_EQ(to_text(shut, Style{}), R"(P
   A         B          C
   |         |          |
+- alt: chosen by A --------+
| [ 3 messages ]        |   |  line 2
+---------------------------+
   |         |---done-->|      line 7
   |         |          |
)");
    EXPECT_EQ(reaches(shut).front().high, 1u);  // A and B
    ASSERT_NO_FATAL_FAILURE(check_layout(shut));
    EXPECT_TRUE(well_formed(to_svg(shut, LineClasses::given)));
}

model::Run async_run() {
    model::Run run;
    run.roles = {"C", "A", "B"};
    auto add = [&](const char* from, const char* to, model::Direction direction, const char* message) {
        run.events.push_back({.from = from, .to = to, .direction = direction, .message = message, .line = 3});
    };
    add("C", "A", model::Direction::sent, "go");
    add("C", "A", model::Direction::received, "go");
    add("A", "B", model::Direction::sent, "x");
    add("A", "B", model::Direction::sent, "x");
    add("A", "B", model::Direction::received, "x");
    add("B", "A", model::Direction::sent, "lost");
    add("A", "B", model::Direction::received, "x");
    add("C", "B", model::Direction::received, "ghost");
    run.events.push_back({.from = "", .to = "", .direction = model::Direction::none, .message = "tick"});
    run.failing = 7;
    run.ending = "stuck";
    return run;
}

TEST(RunChart, PairsReceivesWithTheirSends) {
    Chart chart = chart_of(async_run());
    ASSERT_EQ(chart.items.size(), 9u);
    EXPECT_EQ(chart.items[0].kind, ItemKind::arrow);  // received at once: one level arrow
    EXPECT_EQ(chart.items[0].number, "1-2");
    EXPECT_EQ(chart.items[1].partner, 3u);  // first in, first out
    EXPECT_EQ(chart.items[3].partner, 1u);
    EXPECT_EQ(chart.items[2].partner, 5u);
    EXPECT_EQ(chart.items[4].partner, ChartItem::none);  // never received
    EXPECT_EQ(chart.items[6].partner, ChartItem::none);  // never sent
    EXPECT_TRUE(chart.items[6].failing);
    EXPECT_EQ(chart.items[7].kind, ItemKind::note);
    EXPECT_EQ(chart.items[8].lines, std::vector<std::string>{"stuck"});
    EXPECT_TRUE(well_formed(to_svg(chart)));
}

TEST(RunChart, AsText) {
    EXPECT_EQ(to_text(chart_of(async_run()), Style{}), R"(     C         A          B
     |         |          |
1-2  |---go--->|          |    line 3
  3  |         |--x.......|    line 3
  4  |         |--x.......|    line 3
  5  |         |......x-->|    line 3
  6  |         | x-lost---|    line 3
  7  |         |......x-->|    line 3
  8  |............ghost-->|    line 3
  9  |     [ tick ]       |
     |     [ stuck ]      |
     |         |          |
)");
}

// What decides may be at the end of a label, so nothing of it is left out, in text and as SVG.
TEST(RunChart, ALongLabelIsWrapped) {
    model::Run run;
    run.roles = {"A", "B"};
    run.events.push_back({.from = "A",
                          .to = "B",
                          .direction = model::Direction::both,
                          .message = "order",
                          .data = {{"id", 12345678}, {"item", "a lamp, not a vase"}, {"amount", 99}},
                          .line = 3});
    run.failing = 0;
    EXPECT_EQ(to_text(chart_of(run), Style{}), R"(   A                                          B
   |                                          |
1  |---order(id = 12345678, item = "a lamp,-->|    line 3
   |   not a vase", amount = 99)              |
   |                                          |
)");
    std::string_view end = "amount = 99)";
    EXPECT_NE(to_svg(chart_of(run)).find(end), std::string::npos);
}

TEST(Wrapped, NothingIsLostAndEveryRowFits) {
    for (unsigned seed = 1; seed <= 500; ++seed) {
        std::mt19937 random(seed);
        auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
        static const char* parts[] = {"a", ", ",   " ",        "0x\"9f\"",  "\xe6\x97\xa5",
                                      ",", "word", "\xc3\xbc", "0000000000"};
        std::string text;
        for (std::size_t n = below(60); n > 0; --n) text += parts[below(9)];
        std::size_t limit = 8 + below(30);
        std::string all;
        for (const std::string& row : wrapped(text, limit)) {
            ASSERT_LE(base::columns(row), limit) << "seed " << seed;
            all += row;
        }
        auto without_blanks = [](std::string s) {
            std::erase(s, ' ');
            return s;
        };
        // A hundred rows at most.
        bool fits = base::columns(text) < 100;
        ASSERT_TRUE(!fits || without_blanks(all) == without_blanks(text)) << "seed " << seed << ": " << text;
    }
    EXPECT_EQ(wrapped(std::string(100'000, 'x'), 48).size(), 100u);
    EXPECT_EQ(wrapped("", 48), std::vector<std::string>{""});
}

TEST(RunChart, AnEmptyRunIsAnEmptyChart) {
    model::Run empty;
    EXPECT_TRUE(well_formed(to_svg(chart_of(empty))));
    EXPECT_EQ(to_text(chart_of(empty), Style{}), "\n\n");
}

TEST(RunChart, PrintsEventsWithData) {
    model::RunEvent event{.from = "A", .to = "B", .direction = model::Direction::both, .message = "req"};
    EXPECT_EQ(print(event), "A -> B: req");
    event.data = {{"x", 3}, {"name", "Eve"}};
    event.direction = model::Direction::sent;
    EXPECT_EQ(print(event), "A B!req(x = 3, name = \"Eve\")");
    event.direction = model::Direction::received;
    EXPECT_EQ(print(event), "A B?req(x = 3, name = \"Eve\")");
}

}  // namespace
}  // namespace treaty::draw
