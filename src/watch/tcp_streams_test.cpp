// Streams cut into segments that come in another order, twice, overlapping or never: each byte is given once,
// at its place, and what is missing is reported.
#include <gtest/gtest.h>

#include <map>

#include "base/seeded_random.h"
#include "choreo/testing/seeds.h"
#include "watch/tcp_streams.h"

namespace treaty::watch {
namespace {

using base::SeededRandom;

struct Collected : StreamSink {
    std::map<std::string, std::string> streams;  // by sender; a gap is '?' for each byte
    std::uint64_t gaps = 0, ends = 0, joins = 0;

    void bytes(std::uint64_t, const Segment& s, bool, std::string_view b) override { streams[s.from] += b; }
    void gap(std::uint64_t, const Segment& s, bool, std::uint64_t missing) override {
        streams[s.from] += std::string(missing, '?');
        ++gaps;
    }
    void closed(std::uint64_t, const Segment&, bool) override { ++ends; }
    void joined(std::uint64_t, const Segment&, bool) override { ++joins; }
};

struct Piece {
    std::size_t begin, end;
    bool dropped = false;
};

TEST(TcpStreams, EveryByteOnceOrSaidToBeMissing) {
    std::size_t gaps = 0, reordered = 0, repeated = 0;
    for (std::uint64_t seed = 1; seed <= choreo::testing::seeds(400); ++seed) {
        SCOPED_TRACE(seed);
        SeededRandom random(seed);
        std::string text;
        for (std::size_t n = 200 + random.below(2000); n > 0; --n)
            text += static_cast<char>('a' + random.below(26));
        // The sequence numbers wrap around somewhere in the middle.
        std::uint32_t first = 0u - random.below(static_cast<std::uint32_t>(text.size()));
        std::vector<Piece> pieces;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = std::min(text.size(), at + 1 + random.below(120));
            pieces.push_back({at, end, random.percent(seed % 2 == 0 ? 8 : 0)});
            at = end;
        }
        std::string expected = text;
        for (const Piece& p : pieces)
            if (p.dropped)
                std::fill(expected.begin() + static_cast<std::ptrdiff_t>(p.begin),
                          expected.begin() + static_cast<std::ptrdiff_t>(p.end), '?');
        std::vector<Piece> sent;
        for (const Piece& p : pieces) {
            if (p.dropped) continue;
            sent.push_back(p);
            if (random.percent(15)) sent.push_back(p);      // again
            if (random.percent(10) && p.end - p.begin > 2)  // again, cut in another way
                sent.push_back({p.begin + 1, p.end});
        }
        for (std::size_t i = 0; i + 1 < sent.size(); ++i)
            if (random.percent(25)) std::swap(sent[i], sent[i + 1 + random.below(3) % (sent.size() - i - 1)]);
        Collected sink;
        TcpStreams streams(sink);
        Segment open;
        open.from = "c:1";
        open.to = "s:2";
        open.syn = true;
        open.sequence = first - 1;
        streams.feed(open);
        for (const Piece& p : sent) {
            Segment s;
            s.from = "c:1";
            s.to = "s:2";
            s.ack = true;
            s.sequence = first + static_cast<std::uint32_t>(p.begin);
            s.payload = std::string_view(text).substr(p.begin, p.end - p.begin);
            streams.feed(s);
        }
        streams.finish();
        // Bytes that are missing at the very end are not known to be.
        while (!expected.empty() && expected.back() == '?') expected.pop_back();
        ASSERT_EQ(sink.streams["c:1"], expected);
        gaps += sink.gaps;
        reordered += streams.reordered();
        repeated += streams.repeated();
    }
    EXPECT_GT(gaps, 50u);
    EXPECT_GT(reordered, 500u);
    EXPECT_GT(repeated, 500u);
}

TEST(TcpStreams, AHoleIsGivenUpWhenTooMuchWaitsBehindIt) {
    Collected sink;
    TcpStreams streams(sink);
    std::string block(10'000, 'x');
    for (std::uint32_t i = 0; i < 60; ++i) {
        if (i == 1) continue;
        Segment s;
        s.from = "c:1";
        s.to = "s:2";
        s.ack = true;
        s.sequence = i * 10'000;
        s.payload = block;
        streams.feed(s);
    }
    EXPECT_EQ(sink.gaps, 1u);
    EXPECT_EQ(sink.joins, 1u);  // no first segment
    EXPECT_EQ(streams.missing(), 10'000u);
    EXPECT_EQ(sink.streams["c:1"].size(), 600'000u);
}

}  // namespace
}  // namespace treaty::watch
