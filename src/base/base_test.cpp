// The small parts that everything else uses.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <random>
#include <set>

#include <fmt/format.h>

#include "base/answer.h"
#include "base/decimal.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/names.h"
#include "base/seeds.h"
#include "base/source.h"
#include "base/suggest.h"

namespace treaty::base {
namespace {

TEST(Source, PositionsCountLinesAndCodePoints) {
    SourceMap sources;
    FileId f = sources.add("a", "one\n\tzwei \xc3\xa4 x\r\nlast");
    EXPECT_EQ(sources.position(f, 0).line, 1u);
    EXPECT_EQ(sources.position(f, 4).line, 2u);
    EXPECT_EQ(sources.position(f, 4).column, 1u);
    auto x = static_cast<std::uint32_t>(sources.text(f).find('x'));
    EXPECT_EQ(sources.position(f, x).column, 9u);  // the two bytes of the umlaut are one column
    EXPECT_EQ(sources.line(f, 2), "\tzwei \xc3\xa4 x");
    EXPECT_EQ(sources.line(f, 3), "last");
    EXPECT_EQ(sources.line(f, 4), "");
    EXPECT_EQ(sources.position(f, 1000).line, 3u);
}

TEST(Source, CoverTakesTheSmallestSpanThatHoldsBoth) {
    FileId f(0u);
    EXPECT_EQ(cover({f, 3, 5}, {f, 7, 9}), (Span{f, 3, 9}));
    EXPECT_EQ(cover({}, {f, 7, 9}), (Span{f, 7, 9}));
    EXPECT_EQ(cover({f, 3, 5}, {}), (Span{f, 3, 5}));
}

constexpr Code one{7, Severity::error, "one", ""};
constexpr Code two{12, Severity::warning, "two", ""};

TEST(Diagnostics, CountsSortsAndKeepsRepeatsOnce) {
    Diagnostics d;
    FileId f(0u);
    d.report(two, {f, 9, 10}, "later");
    d.report(one, {f, 1, 2}, "first").label({f, 3, 4}, "there").help("do this");
    d.report(one, {f, 1, 2}, "first");
    d.report(one, {}, "about everything");
    EXPECT_EQ(d.errors(), 3u);
    d.sort_by_place();
    ASSERT_EQ(d.all().size(), 3u);
    EXPECT_EQ(d.errors(), 2u);
    EXPECT_EQ(d.warnings(), 1u);
    EXPECT_EQ(d.all()[0].message, "first");
    EXPECT_EQ(d.all()[0].hint, "do this");
    EXPECT_EQ(d.all()[1].message, "later");
    EXPECT_EQ(d.all()[2].message, "about everything");
    EXPECT_EQ(to_string(one), "T0007");
}

TEST(Diagnostics, BeyondTheLimitTheyAreOnlyCounted) {
    Diagnostics d;
    for (std::size_t i = 0; i < Diagnostics::max_kept + 5; ++i) d.report(one, {}, "x").help("y");
    EXPECT_EQ(d.all().size(), Diagnostics::max_kept);
    EXPECT_EQ(d.dropped(), 5u);
    EXPECT_EQ(d.errors(), Diagnostics::max_kept + 5);
    Diagnostics more;
    more.append(std::move(d));
    EXPECT_EQ(more.dropped(), 5u);
}

TEST(Names, EqualTextsHaveEqualIds) {
    Names names;
    NameId a = names.intern("a"), b = names.intern("b");
    EXPECT_NE(a, b);
    EXPECT_EQ(names.intern(std::string("a")), a);
    EXPECT_EQ(names.text(b), "b");
    EXPECT_FALSE(names.find("c"));
    for (int i = 0; i < 10000; ++i) names.intern(std::to_string(i));
    EXPECT_EQ(names.text(a), "a");
}

// The definition of the distance, executed literally.
std::size_t slow_distance(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return a.size() + b.size();
    std::size_t best = std::min(slow_distance(a.substr(1), b), slow_distance(a, b.substr(1))) + 1;
    best = std::min(best, slow_distance(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1));
    if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0])
        best = std::min(best, slow_distance(a.substr(2), b.substr(2)) + 1);
    return best;
}

TEST(Suggest, DistanceIsItsDefinition) {
    constexpr unsigned seed = 20;
    std::mt19937 random(seed);
    auto word = [&] {
        std::string w;
        for (std::size_t n = random() % 6; n > 0; --n) w += static_cast<char>('a' + random() % 3);
        return w;
    };
    for (int i = 0; i < 2000; ++i) {
        std::string a = word(), b = word();
        std::size_t limit = random() % 4;
        EXPECT_EQ(edit_distance(a, b, limit), std::min(slow_distance(a, b), limit + 1))
            << a << " " << b << " seed " << seed;
    }
}

TEST(Suggest, NearestIsNearAndNotTheWordItself) {
    EXPECT_EQ(nearest("vender", {"buyer", "vendor", "warehouse"}), "vendor");
    EXPECT_EQ(nearest("Vendor", {"buyer", "vendor"}), "vendor");
    EXPECT_EQ(nearest("xyz", {"buyer", "vendor"}), "");
    EXPECT_EQ(nearest("buyer", {"buyer"}), "");
    EXPECT_EQ(nearest("teh", {"the"}), "the");
}

TEST(Decimal, IsExact) {
    constexpr std::int64_t second = 1'000'000'000;
    EXPECT_EQ(scaled_decimal("9.2", second).value() - scaled_decimal("8.2", second).value(), second);
    EXPECT_EQ(scaled_decimal("2.8499999999999996", second), 2'850'000'000);  // to the nearest
    EXPECT_EQ(scaled_decimal("0.0000000004", second), 0);
    EXPECT_EQ(scaled_decimal("0.0000000005", second), 1);
    EXPECT_EQ(scaled_decimal("-0.0000000005", second), -1);
    EXPECT_EQ(scaled_decimal("1e3", second), 1000 * second);
    EXPECT_EQ(scaled_decimal("12.5E-1", second), 1'250'000'000);
    EXPECT_EQ(scaled_decimal("0.0e999999999999", second), 0);
    EXPECT_EQ(scaled_decimal("1e-999999999999", second), 0);
    EXPECT_EQ(scaled_decimal("9223372036.854775807", second), INT64_MAX);
    EXPECT_FALSE(scaled_decimal("9223372036.854775808", second));
    EXPECT_FALSE(scaled_decimal("1e300", second));
    for (const char* text : {"", "-", ".5", "1.", "1e", "1.5s", " 1", "+1", "0x1", "nan"})
        EXPECT_FALSE(scaled_decimal(text, second)) << text;
    EXPECT_EQ(decimal_prefix("12.5e"), 4u);
    EXPECT_EQ(decimal_prefix("1.ms"), 1u);
    EXPECT_EQ(decimal_prefix("x"), 0u);
}

// Every number of nanoseconds, written in seconds in several ways, is read as itself.
TEST(Decimal, EveryNanosecondIsReadAsItself) {
    std::mt19937_64 random(20261117);
    for (int i = 0; i < 20'000; ++i) {
        auto n = static_cast<std::int64_t>(random() >> (1 + random() % 63));
        bool negative = random() % 2 == 0;
        std::string sign = negative ? "-" : "", digits = fmt::format("{:010}", n);
        std::size_t point = digits.size() - 9;
        std::int64_t wanted = negative ? -n : n;
        EXPECT_EQ(scaled_decimal(sign + digits.substr(0, point) + "." + digits.substr(point), 1'000'000'000),
                  wanted);
        EXPECT_EQ(scaled_decimal(sign + digits + "e-9", 1'000'000'000), wanted);
        EXPECT_EQ(scaled_decimal(sign + "0.000" + digits + "E+" + std::to_string(point + 3), 1'000'000'000),
                  wanted)
            << digits;
    }
}

TEST(Limits, DurationsAndBytes) {
    using namespace std::chrono_literals;
    EXPECT_EQ(parse_duration("250ms"), 250ms);
    EXPECT_EQ(parse_duration("3s"), 3s);
    EXPECT_EQ(parse_duration("1.5m"), 90s);
    EXPECT_EQ(parse_duration("4.35s"), 4350ms);
    EXPECT_EQ(parse_duration("0.29ms"), 290us);
    EXPECT_EQ(parse_duration("0.1h"), 6min);
    EXPECT_EQ(parse_duration("2"), 2s);
    EXPECT_FALSE(parse_duration("3 s"));
    EXPECT_FALSE(parse_duration("-1s"));
    EXPECT_FALSE(parse_duration("nan"));
    EXPECT_FALSE(parse_duration("1e300h"));
    EXPECT_EQ(parse_bytes("64k"), 65536u);
    EXPECT_EQ(parse_bytes("2G"), 2147483648u);
    EXPECT_FALSE(parse_bytes("2T"));
    EXPECT_FALSE(Deadline().passed());
    EXPECT_TRUE(Deadline::after(0ns).passed());
    EXPECT_FALSE(Deadline::after(1h).passed());
}

TEST(Answer, ExitCodes) {
    EXPECT_EQ(exit_of(Answer::holds), Exit::holds);
    EXPECT_EQ(exit_of(Answer::conditional), Exit::fails);
    EXPECT_EQ(exit_of(Answer::undecided), Exit::undecided);
}

TEST(Hash, MixIsInjectiveOnSmallNumbersAndBytesDiffer) {
    std::vector<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < 10000; ++i) seen.push_back(mix(i));
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
    EXPECT_NE(hash_bytes("12345678"), hash_bytes(std::string_view("12345678\0", 9)));
    EXPECT_NE(hash_bytes(""), hash_bytes(std::string_view("\0", 1)));
}

class Files : public ::testing::Test {
protected:
    std::filesystem::path dir = std::filesystem::temp_directory_path() /
                                ("treaty-base-test-" + std::to_string(std::random_device()()));
    void SetUp() override { std::filesystem::create_directory(dir); }
    void TearDown() override { std::filesystem::remove_all(dir); }
};

TEST_F(Files, WriteThenRead) {
    std::string path = dir / "x";
    EXPECT_TRUE(write_file(path, "hello"));
    EXPECT_EQ(*read_file(path), "hello");
    EXPECT_TRUE(write_file(path, ""));
    EXPECT_EQ(*read_file(path), "");
    // Nothing is left beside it.
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir), std::filesystem::directory_iterator()),
              1);
}

TEST_F(Files, FaultsAreSaidInALine) {
    EXPECT_NE(read_file(dir / "absent").error().find("No such file"), std::string::npos);
    EXPECT_NE(read_file(dir).error().find("directory"), std::string::npos);
    std::string path = dir / "x";
    EXPECT_TRUE(write_file(path, "12345"));
    EXPECT_NE(read_file(path, 4).error().find("larger than 4 bytes"), std::string::npos);
    EXPECT_TRUE(read_file(path, 5));
    auto written = write_file(dir / "no" / "where", "x");
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().find("cannot write"), std::string::npos);
}

// Also seeds side by side and those that differ in high bits only.
TEST(Seeds, SeriesHaveNothingInCommon) {
    std::set<std::uint64_t> all;
    std::size_t made = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed)
        for (std::uint64_t start : {seed, seed << 32, ~seed})
            for (std::uint64_t number = 0; number < 300; ++number, ++made) all.insert(seed_of(start, number));
    EXPECT_EQ(all.size(), made);
}

}  // namespace
}  // namespace treaty::base
