// Watching as it happens: logs that are cut, grow, are killed over, and are hostile. Shipping services with
// random conversations, right and wrong ones; what comes out is compared with one undisturbed run.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include <fmt/format.h>

#include "watch/watcher.h"
#include "watch_setup.h"
#include "wire/codec.h"
#include "wire/shapes.h"

namespace treaty::watch {
namespace {

model::Specification example(const std::string& name) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    auto loaded = formats::load(std::string(TREATY_SOURCE_DIR) + "/examples/" + name, sources, diagnostics);
    return std::get<model::Specification>(std::move(loaded.model));
}

model::Specification shipping() {
    return example("shipping/shipping.treaty");
}

std::string event(std::string_view session, int number, double time, std::string_view from,
                  std::string_view to, bool sent, std::string_view message, std::string_view data) {
    return fmt::format(
        R"({{"time": {:.3f}, "role": "{}", "dir": "{}", "peer": "{}", "message": "{}", "data": {}, "session": "{}", "id": {}}})",
        time, sent ? from : to, sent ? "!" : "?", sent ? to : from, message, data, session, number);
}

// One conversation as all roles log it, in order; with some luck one thing in it is wrong.
std::vector<std::string> conversation(Random& random, const std::string& session) {
    int weight = 1 + static_cast<int>(below(random, 9));
    int price = weight >= 5 ? 2 : 3;
    std::size_t wrong = below(random, 8);
    int charged = wrong == 1 ? price + 1 : price;
    std::vector<std::array<std::string, 4>> messages = {
        {"c", "sq", "Request", fmt::format(R"({{"weight": {}}})", wrong == 2 ? 2000 : weight)},
        {"sq", "c", "Response", fmt::format(R"({{"price": {}, "fee": {}}})", charged, weight * charged)},
        {"c", "sq", "Confirm", R"({"card": "4711"})"},
        {"sq", "ad", "Commit", fmt::format(R"({{"card": "4711", "weight": {}}})", weight)},
        {"ad", "bc", "Withdraw",
         fmt::format(R"({{"card": "4711", "amount": {}}})", weight * (wrong == 3 ? 7 : price))}};
    if (wrong == 4) std::swap(messages[0], messages[1]);
    if (wrong == 5) messages.erase(messages.begin() + 3);
    if (wrong == 6) messages.resize(1 + below(random, 4));
    std::vector<std::string> lines;
    double time = static_cast<double>(below(random, 1000));
    int number = 0;
    for (const auto& [from, to, message, data] : messages)
        for (bool sent : {true, false}) {
            lines.push_back(event(session, number / 2, time, from, to, sent, message, data));
            time += 0.001 + static_cast<double>(below(random, 100)) / 100;
            ++number;
        }
    return lines;
}

// Many conversations at once, with lines that are not records and records that come twice.
std::string traffic(Random& random, std::size_t sessions) {
    std::vector<std::vector<std::string>> open;
    for (std::size_t i = 0; i < sessions; ++i) open.push_back(conversation(random, fmt::format("s{}", i)));
    std::vector<std::size_t> at(sessions);
    std::string text;
    for (std::size_t left = sessions; left > 0;) {
        std::size_t i = below(random, sessions);
        if (at[i] == open[i].size()) continue;
        text += open[i][at[i]] + "\n";
        if (below(random, 20) == 0) text += open[i][at[i]] + "\n";
        if (below(random, 20) == 0) text += "{\"no\": \"record\n";
        if (++at[i] == open[i].size()) --left;
    }
    return text;
}

struct Watched {
    const model::Specification& spec;
    MonitorOptions monitoring{};
    WatcherOptions watching{};
    const wire::Codec* codec = nullptr;
    SessionRule rule{};
    std::unique_ptr<Vocabulary> vocabulary{};
    std::unique_ptr<Monitor> monitor{};
    std::unique_ptr<Merge> merge{};
    std::unique_ptr<Watcher> watcher{};

    base::Result<void> open(const std::vector<std::string>& logs) {
        const model::Protocol& protocol = *spec.main_protocol();
        watcher.reset();
        vocabulary = std::make_unique<Vocabulary>(spec, protocol);
        std::vector<std::unique_ptr<Source>> sources;
        for (const std::string& log : logs) {
            SourceOptions options;
            options.follow = watching.follow;
            options.codec = codec;
            auto source = open_source(log, *vocabulary, options);
            if (!source) return base::Fault{source.error()};
            sources.push_back(std::move(*source));
        }
        monitor = Monitor::make(spec, protocol, monitoring);
        merge = std::make_unique<Merge>(std::move(sources), monitoring.order != Order::causal, spec, rule);
        watcher = std::make_unique<Watcher>(spec, protocol, *monitor, *merge, logs, monitoring, watching);
        return watcher->begin();
    }
    void all() {
        while (watcher->step() == ReadResult::record) {
        }
    }
};

std::string summary(const Totals& t, const Monitor& m) {
    std::string text =
        fmt::format("{} {} {} {} {} {} {} {}\n", t.sessions, t.failed, t.incomplete, t.lost,
                    m.counts().records, m.counts().messages, m.counts().filtered, m.counts().duplicated);
    for (const RoleState& r : t.roles)
        text += fmt::format("{} {} {} {}\n", r.failed, r.incomplete, r.lost, r.messages);
    for (const VerdictCounts& c : t.properties)
        text += fmt::format("{} {} {}\n", c.pass, c.fail, c.inconclusive);
    for (const Deviation& d : t.deviations)
        text += fmt::format("{} {}:{} {} {}\n", d.session, d.at.source, d.at.line, d.event, d.reason);
    for (const Seen& s : t.history) text += fmt::format("{}:{} ", s.at.source, s.at.line);
    for (bool c : m.covered()) text += c ? '1' : '0';
    return text;
}

TEST(Streams, ALogCutAtAnyByteHasTheSameVerdictsUpToThere) {
    model::Specification spec = shipping();
    std::size_t streamed = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Folder folder;
        std::string text = traffic(random, 12);
        Watched run{spec};
        run.watching.verdicts = folder / "verdicts";
        write(folder / "log.jsonl", text);
        ASSERT_TRUE(run.open({folder / "log.jsonl"}));
        run.all();
        run.watcher.reset();
        std::string whole = read(folder / "verdicts");
        streamed += static_cast<std::size_t>(std::count(whole.begin(), whole.end(), '\n'));
        for (int again = 0; again < 40; ++again) {
            std::size_t cut = below(random, text.size() + 1);
            write(folder / "log.jsonl", text.substr(0, cut));
            ASSERT_TRUE(run.open({folder / "log.jsonl"}));
            run.all();
            run.watcher.reset();
            std::string part = read(folder / "verdicts");
            ASSERT_TRUE(whole.starts_with(part)) << "cut at " << cut << "\n" << part << "\nof\n" << whole;
        }
    }
    EXPECT_GT(streamed, 100u);
}

TEST(Streams, FollowingALogThatGrowsIsReadingIt) {
    model::Specification spec = shipping();
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Folder folder;
        std::string text = traffic(random, 12);
        Watched run{spec};
        run.watching.verdicts = folder / "verdicts";
        write(folder / "log.jsonl", text);
        ASSERT_TRUE(run.open({folder / "log.jsonl"}));
        run.all();
        std::string expected = summary(run.watcher->finish(), *run.monitor);
        std::string verdicts = read(folder / "verdicts");
        write(folder / "log.jsonl", "");
        run.watching.follow = true;
        ASSERT_TRUE(run.open({folder / "log.jsonl"}));
        for (std::size_t at = 0; at < text.size();) {
            std::size_t size = std::min(text.size() - at, 1 + below(random, 700));
            write(folder / "log.jsonl", std::string_view(text).substr(at, size), true);
            at += size;
            run.all();
        }
        run.merge->stop_following();
        run.all();
        EXPECT_EQ(summary(run.watcher->finish(), *run.monitor), expected);
        EXPECT_EQ(read(folder / "verdicts"), verdicts);
    }
}

// The log is moved away and a new one begun, sometimes in the middle of a line, sometimes with more written
// to the old one after it was moved; or it is cut short. What is read is all that was written.
TEST(Streams, ALogThatIsRotatedIsReadOn) {
    model::Specification spec = shipping();
    std::size_t rotated = 0, cut = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Folder folder;
        std::size_t before = rotated;
        std::string text = traffic(random, 12), log = folder / "log.jsonl";
        Watched run{spec};
        run.watching.verdicts = folder / "verdicts";
        write(log, text);
        ASSERT_TRUE(run.open({log}));
        run.all();
        Totals expected = run.watcher->finish();
        write(log, "");
        run.watching.follow = true;
        ASSERT_TRUE(run.open({log}));
        for (std::size_t at = 0; at < text.size();) {
            std::size_t size = std::min(text.size() - at, 1 + below(random, 900));
            std::string_view piece = std::string_view(text).substr(at, size);
            at += size;
            write(log, piece, true);
            if (below(random, 2) == 0) run.all();
            // Only at the end of a line, or what was one line would be two.
            if (piece.back() != '\n' || below(random, 2) == 0) {
                std::size_t rest = text.find('\n', at) + 1 - at;
                if (piece.back() == '\n' || below(random, 2) == 0) continue;
                write(log, std::string_view(text).substr(at, rest - 1),
                      true);  // its line break is never written
                at += rest;
                ++cut;
            }
            std::string old = fmt::format("{}.{}", log, rotated++);
            std::filesystem::rename(log, old);
            write(log, "");
            std::size_t late = text.find('\n', at);
            if (read(old).back() == '\n' && late != std::string::npos && below(random, 2) == 0) {
                write(old, std::string_view(text).substr(at, late + 1 - at), true);
                at = late + 1;
            }
            run.all();
        }
        run.merge->stop_following();
        run.all();
        const Totals& found = run.watcher->finish();
        EXPECT_EQ(found.sessions, expected.sessions);
        EXPECT_EQ(found.failed, expected.failed);
        EXPECT_EQ(found.incomplete, expected.incomplete);
        EXPECT_EQ(run.merge->restarts(), rotated - before);
    }
    EXPECT_GT(rotated, 20u);
    EXPECT_GT(cut, 3u);
}

// The process "dies" after a random number of records: nothing is written any more, and a new one goes on.
TEST(Streams, KilledAndRestartedGivesWhatOneRunGives) {
    model::Specification spec = shipping();
    std::size_t deaths = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Folder folder;
        Watched run{spec};
        run.monitoring.order = static_cast<Order>(seed % 6);
        if (seed % 4 == 1) run.monitoring.session_limit = 5;
        if (seed % 4 == 2) run.monitoring.expire_ns = 20'000'000'000;
        std::vector<std::string> logs;
        for (std::size_t i = 0; i < 1 + seed % 3; ++i) {
            logs.push_back(folder / fmt::format("log{}.jsonl", i));
            write(logs.back(), traffic(random, 8));
        }
        run.watching.verdicts = folder / "verdicts";
        ASSERT_TRUE(run.open(logs));
        run.all();
        std::string expected = summary(run.watcher->finish(), *run.monitor);
        std::string verdicts = read(folder / "verdicts");
        std::filesystem::remove(folder / "verdicts");
        run.watching.state = folder / "state";
        run.watching.identity = "this";
        run.watching.commit_every = 1 + below(random, 9);
        for (bool over = false; !over;) {
            ASSERT_TRUE(run.open(logs));
            std::size_t lives = below(random, 40);
            ReadResult got = ReadResult::record;
            for (std::size_t i = 0; i < lives && got == ReadResult::record; ++i) got = run.watcher->step();
            over = got == ReadResult::end;
            if (!over) ++deaths;
        }
        EXPECT_EQ(summary(run.watcher->finish(), *run.monitor), expected);
        EXPECT_EQ(read(folder / "verdicts"), verdicts);
    }
    EXPECT_GT(deaths, 40u);
}

TEST(Streams, AStateOfSomethingElseIsRefused) {
    model::Specification spec = shipping();
    Folder folder;
    Random random(7);
    write(folder / "log.jsonl", traffic(random, 2));
    Watched run{spec};
    run.watching.state = folder / "state";
    run.watching.identity = "this";
    ASSERT_TRUE(run.open({folder / "log.jsonl"}));
    run.all();
    ASSERT_TRUE(run.watcher->commit());
    run.watching.identity = "that";
    EXPECT_FALSE(run.open({folder / "log.jsonl"}));
    run.watching.identity = "this";
    write(folder / "log.jsonl", "");
    EXPECT_FALSE(run.open({folder / "log.jsonl"}));
    write(folder / "state", "this is not a database, and long enough to be taken for one if nobody looks");
    EXPECT_FALSE(run.open({folder / "log.jsonl"}));
}

TEST(Streams, SessionsEndAndLateRecordsAreCounted) {
    model::Specification spec = shipping();
    Folder folder;
    std::string text;
    for (int i = 0; i < 50; ++i)
        text += event(fmt::format("s{}", i), 0, i, "c", "sq", true, "Request", R"({"weight": 3})") + "\n";
    text += event("s0", 1, 50, "c", "sq", true, "Cancel", "{}") + "\n";
    write(folder / "log.jsonl", text);
    Watched run{spec};
    run.monitoring.session_limit = 10;
    ASSERT_TRUE(run.open({folder / "log.jsonl"}));
    run.all();
    EXPECT_EQ(run.monitor->sessions(), 10u);
    EXPECT_EQ(run.monitor->counts().crowded, 40u);
    EXPECT_EQ(run.monitor->counts().orphaned, 1u);
    run.monitoring.session_limit = 0;
    run.monitoring.expire_ns = 5'000'000'000;
    ASSERT_TRUE(run.open({folder / "log.jsonl"}));
    run.all();
    EXPECT_EQ(run.monitor->counts().expired, 45u);
    EXPECT_EQ(run.watcher->finish().failed, 0u);
    EXPECT_EQ(run.watcher->totals().sessions, 50u);
}

TEST(Hostile, AClockThatJumps) {
    model::Specification spec = shipping();
    Folder folder;
    std::vector<double> times = {1, 2, 9e8, 3, 4, 5};
    std::vector<std::array<std::string, 4>> messages = {{"c", "sq", "Request", R"({"weight": 5})"},
                                                        {"sq", "c", "Response", R"({"price": 2, "fee": 10})"},
                                                        {"c", "sq", "Cancel", "{}"}};
    std::string text;
    for (std::size_t i = 0; i < 6; ++i) {
        const auto& [from, to, message, data] = messages[i / 2];
        text += event("s", static_cast<int>(i / 2), times[i], from, to, i % 2 == 0, message, data) + "\n";
    }
    write(folder / "log.jsonl", text);
    for (Order order : {Order::causal, Order::disjoint, Order::sending}) {
        Watched run{spec};
        run.monitoring.order = order;
        run.monitoring.expire_ns = 3'000'000'000;
        ASSERT_TRUE(run.open({folder / "log.jsonl"}));
        run.all();
        const Totals& totals = run.watcher->finish();
        EXPECT_EQ(totals.failed, 0u) << to_string(order);
        EXPECT_EQ(totals.sessions, 1u);
        EXPECT_EQ(run.watcher->clock().jumps(), 1u);
        EXPECT_EQ(run.merge->late(), 1u);
        EXPECT_TRUE(run.monitor->clock_broken());
    }
}

// What depends on the clock is reported at once, marked, and withdrawn when the clock turns out to be wrong;
// also of sessions that have ended.
TEST(Hostile, WhatAClockSaidIsWithdrawnWhenItTurnsOutToBeNone) {
    model::Specification spec = specification("protocol Two(a, b, c, d) {\n a -> b: c1\n c -> d: c2\n}\n");
    Folder folder;
    std::string text;
    auto both = [&](const char* session, double time, const char* from, const char* to, const char* message) {
        text += event(session, 0, time, from, to, true, message, "{}") + "\n";
        text += event(session, 0, time + 0.1, from, to, false, message, "{}") + "\n";
    };
    both("wrong", 1, "c", "d", "c2");
    both("wrong", 2, "a", "b", "c1");
    both("later", 100, "a", "b", "c1");  // the first one has ended
    both("live", 101, "c", "d", "c2");
    std::string so_far = text;
    both("broken", 50, "a", "b", "c1");
    auto judge = [&](const std::string& log) {
        write(folder / "log.jsonl", log);
        Watched run{spec};
        run.monitoring.order = Order::sending;
        run.monitoring.expire_ns = 20'000'000'000;
        run.watching.verdicts = folder / "verdicts";
        EXPECT_TRUE(run.open({folder / "log.jsonl"}));
        run.all();
        return run.watcher->finish();
    };
    Totals before = judge(so_far);
    EXPECT_EQ(before.failed, 2u);
    EXPECT_FALSE(before.lost);
    EXPECT_EQ(read(folder / "verdicts").find("withdrawn"), std::string::npos);
    Totals after = judge(text);
    EXPECT_EQ(after.failed, 0u);
    EXPECT_TRUE(after.lost);
    EXPECT_TRUE(after.deviations.empty());
    EXPECT_TRUE(after.history.empty());
    std::string told = read(folder / "verdicts");
    std::size_t withdrawn = told.find(R"("of":"clock","verdict":"withdrawn")");
    ASSERT_NE(withdrawn, std::string::npos) << told;
    EXPECT_LT(told.find(R"("by":"clock")"), withdrawn);
    EXPECT_EQ(told.find(R"("by":"clock")", withdrawn), std::string::npos);
}

TEST(Hostile, ALineOfAHundredMegabytes) {
    model::Specification spec = shipping();
    Folder folder;
    std::string good = event("s", 0, 1, "c", "sq", true, "Request", R"({"weight": 3})") + "\n";
    write(folder / "log.jsonl", good);
    write(folder / "log.jsonl", "{\"message\": \"" + std::string(std::size_t{100} << 20, 'x') + "\"}\n",
          true);
    write(folder / "log.jsonl", good, true);
    Watched run{spec};
    ASSERT_TRUE(run.open({folder / "log.jsonl"}));
    run.all();
    EXPECT_EQ(run.watcher->records(), 2u);
    EXPECT_EQ(run.merge->garbled(), 1u);
    ASSERT_EQ(run.merge->faults().size(), 1u);
    EXPECT_EQ(run.merge->faults()[0].line, 2u);
    EXPECT_EQ(run.merge->faults()[0].reason, "the line is too long");
}

TEST(Hostile, AnXmlBomb) {
    model::Specification spec = shipping();
    Folder folder;
    std::string text = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n <!ENTITY lol \"lol\">\n";
    for (int i = 1; i < 30; ++i) {
        text += fmt::format(" <!ENTITY lol{} \"", i);
        for (int k = 0; k < 10; ++k) text += fmt::format("&lol{};", i == 1 ? "" : std::to_string(i - 1));
        text += "\">\n";
    }
    text += "]>\n<log>";
    text += R"(<message source="c" destination="sq" direction="sending" name="Request" session="&lol29;">)";
    text += "<weight>3</weight></message>";
    for (int i = 0; i < 20000; ++i) text += "<a>";
    write(folder / "log.xml", text);
    Watched run{spec};
    ASSERT_TRUE(run.open({folder / "log.xml"}));
    run.all();
    EXPECT_EQ(run.watcher->records(), 1u);
    EXPECT_EQ(run.merge->garbled(), 1u);  // the elements that are never closed
    EXPECT_EQ(run.watcher->finish().failed, 0u);
    EXPECT_EQ(run.watcher->totals().sessions, 1u);
}

// A capture file: Ethernet, IPv4, TCP, as an observer on the wire would have written it.
class CaptureFile {
public:
    CaptureFile() {
        u32(0xa1b2c3d4u);
        u16(2);
        u16(4);
        u32(0);
        u32(0);
        u32(1 << 18);
        u32(1);  // Ethernet
    }
    void segment(std::uint16_t from, std::uint16_t to, std::uint32_t sequence, unsigned flags,
                 std::string_view payload) {
        std::string tcp = be16(from) + be16(to) + be32(sequence) + be32(0) + std::string(1, '\x50') +
                          std::string(1, static_cast<char>(flags)) + be16(1000) + be32(0);
        tcp += payload;
        std::string ip = std::string("\x45\0", 2) + be16(static_cast<std::uint16_t>(20 + tcp.size())) +
                         be32(0) + std::string("\x40\x06\0\0", 4) + std::string("\x7f\0\0\x01", 4) +
                         std::string("\x7f\0\0\x01", 4);
        std::string frame = std::string(12, '\0') + std::string("\x08\0", 2) + ip + tcp;
        u32(time_++);
        u32(0);
        u32(static_cast<std::uint32_t>(frame.size()));
        u32(static_cast<std::uint32_t>(frame.size()));
        bytes_ += frame;
    }
    const std::string& bytes() const { return bytes_; }

private:
    static std::string be16(std::uint16_t n) {
        return {static_cast<char>(n >> 8), static_cast<char>(n & 255)};
    }
    static std::string be32(std::uint32_t n) {
        return be16(static_cast<std::uint16_t>(n >> 16)) + be16(static_cast<std::uint16_t>(n & 0xffff));
    }
    void u16(std::uint16_t n) { bytes_.append(reinterpret_cast<const char*>(&n), 2); }
    void u32(std::uint32_t n) { bytes_.append(reinterpret_cast<const char*>(&n), 4); }

    std::string bytes_;
    std::uint32_t time_ = 1'700'000'000;
};

// The delivery over three connections, a JSON document a segment; `spoil` may change the segments.
struct Spoken {
    std::uint16_t from, to;
    std::uint32_t sequence;
    std::string payload;
};

std::vector<Spoken> delivery(int order) {
    std::vector<Spoken> spoken;
    std::map<std::pair<int, int>, std::uint32_t> sequence;
    auto client = static_cast<std::uint16_t>(40'000 + 10 * order);
    auto say = [&](std::uint16_t from, std::uint16_t to, const char* message) {
        std::string text = fmt::format("{{\"message\": \"{}\", \"order\": {}}}\n", message, order);
        spoken.push_back({from, to, sequence[{from, to}] + 1, text});
        sequence[{from, to}] += static_cast<std::uint32_t>(text.size());
    };
    auto b = client, v = static_cast<std::uint16_t>(client + 1), s = static_cast<std::uint16_t>(client + 2);
    say(b, 8001, "Order");
    say(8001, b, "Confirm");
    say(b, 8001, "Payment");
    say(8001, b, "Invoice");
    say(v, 8002, "Shipment");
    say(v, 8002, "Postage");
    say(s, 8003, "Distribution");
    return spoken;
}

// Several deliveries as bytes, in pieces of any length; some bytes are not a message.
std::string pieces(Random& random) {
    std::vector<std::array<std::string, 4>> said;  // from, to, connection, bytes
    auto role = [](std::uint16_t port, std::uint16_t other) -> std::string {
        std::uint16_t service = std::min(port, other);
        bool client = port > other;
        return service == 8001   ? client ? "buyer" : "vendor"
               : service == 8002 ? client ? "vendor" : "shipper"
               : client          ? "shipper"
                                 : "buyer";
    };
    for (int order = 0; order < 4; ++order)
        for (Spoken& one : delivery(order)) {
            if (below(random, 12) == 0) one.payload = "no message\n" + one.payload;
            if (below(random, 12) == 0) one.payload += one.payload;
            said.push_back({role(one.from, one.to), role(one.to, one.from),
                            fmt::format("c{}", std::max(one.from, one.to)), one.payload});
        }
    std::string log;
    for (const auto& [from, to, connection, bytes] : said)
        for (std::size_t at = 0; at < bytes.size();) {
            std::size_t size = std::min(bytes.size() - at, 1 + below(random, 60));
            std::string hex;
            for (char c : bytes.substr(at, size)) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
            log +=
                fmt::format(R"({{"from": "{}", "to": "{}", "dir": "->", "connection": "{}", "raw": "{}"}})",
                            from, to, connection, hex) +
                "\n";
            at += size;
        }
    return log;
}

// What has come of a message when the process dies is not lost, and what was decoded is not given twice.
TEST(Streams, KilledBetweenThePiecesOfAMessage) {
    model::Specification spec = example("delivery/delivery.treaty");
    auto shapes = wire::message_shapes(spec);
    wire::Codec codec(*spec.pool, spec.wires.back(), shapes);
    std::size_t deaths = 0, messages = 0, undecodable = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Folder folder;
        std::vector<std::string> logs;
        for (std::size_t i = 0; i < 1 + seed % 2; ++i) {
            logs.push_back(folder / fmt::format("log{}.jsonl", i));
            write(logs.back(), pieces(random));
        }
        Watched run{spec};
        run.codec = &codec;
        run.rule = *SessionRule::parse("field:order");
        run.watching.verdicts = folder / "verdicts";
        ASSERT_TRUE(run.open(logs));
        run.all();
        std::string expected = summary(run.watcher->finish(), *run.monitor);
        std::string verdicts = read(folder / "verdicts");
        messages += run.watcher->records();
        for (std::size_t at = 0; (at = verdicts.find("match no message", at)) != std::string::npos; ++at)
            ++undecodable;
        run.watching.state = folder / "state";
        run.watching.identity = "this";
        run.watching.commit_every = 1;
        for (bool over = false; !over;) {
            ASSERT_TRUE(run.open(logs));
            ReadResult got = ReadResult::record;
            for (std::size_t i = below(random, 10); i > 0 && got == ReadResult::record; --i) {
                got = run.watcher->step();
                bool kept = below(random, 3) != 0 || run.watcher->commit();
                ASSERT_TRUE(kept);
            }
            over = got == ReadResult::end;
            deaths += !over;
        }
        EXPECT_EQ(summary(run.watcher->finish(), *run.monitor), expected);
        EXPECT_EQ(read(folder / "verdicts"), verdicts);
    }
    EXPECT_GT(deaths, 15u);
    EXPECT_GT(messages, 300u);
    EXPECT_GT(undecodable, 10u);
}

struct Judged {
    Totals totals;
    std::uint64_t garbled = 0;
    std::vector<Fault> faults;
};

Judged watch_capture(const model::Specification& spec, const std::string& bytes) {
    Folder folder;
    write(folder / "traffic.pcap", bytes);
    const model::Protocol& protocol = *spec.main_protocol();
    Vocabulary vocabulary(spec, protocol);
    auto role = [&](const char* name) { return spec.alphabet->find_role(name); };
    vocabulary.map_address("127.0.0.1:8001", role("vendor"));
    vocabulary.map_address("127.0.0.1:8002", role("shipper"));
    vocabulary.map_address("127.0.0.1:8003", role("buyer"));
    vocabulary.map_address("->127.0.0.1:8001", role("buyer"));
    vocabulary.map_address("->127.0.0.1:8002", role("vendor"));
    vocabulary.map_address("->127.0.0.1:8003", role("shipper"));
    auto shapes = wire::message_shapes(spec);
    wire::Codec codec(*spec.pool, spec.wires.back(), shapes);
    SourceOptions options;
    options.codec = &codec;
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(std::move(*open_source(folder / "traffic.pcap", vocabulary, options)));
    auto monitor = Monitor::make(spec, protocol, {});
    Merge merge(std::move(sources), false, spec, *SessionRule::parse("field:order"));
    Watcher watcher(spec, protocol, *monitor, merge, {"traffic.pcap"}, {}, {});
    while (watcher.step() == ReadResult::record) {
    }
    return {watcher.finish(), merge.garbled(), merge.faults()};
}

TEST(Capture, ReorderedAndRepeatedSegmentsChangeNothing) {
    model::Specification spec = example("delivery/delivery.treaty");
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        CaptureFile file;
        for (int order = 1; order <= 5; ++order) {
            std::vector<Spoken> spoken = delivery(order);
            for (auto [from, to] : {std::pair{0, 8001}, {1, 8002}, {2, 8003}})
                file.segment(static_cast<std::uint16_t>(40'000 + 10 * order + from),
                             static_cast<std::uint16_t>(to), 0, 2, "");
            file.segment(8001, static_cast<std::uint16_t>(40'000 + 10 * order), 0, 18, "");
            for (const Spoken& s : spoken) {
                // Cut in two that come the wrong way round, and once more.
                std::size_t cut = below(random, s.payload.size());
                auto second = s.sequence + static_cast<std::uint32_t>(cut);
                if (below(random, 2) == 0)
                    file.segment(s.from, s.to, second, 16, std::string_view(s.payload).substr(cut));
                file.segment(s.from, s.to, s.sequence, 16, std::string_view(s.payload).substr(0, cut));
                file.segment(s.from, s.to, second, 16, std::string_view(s.payload).substr(cut));
                if (below(random, 3) == 0) file.segment(s.from, s.to, s.sequence, 16, s.payload);
            }
        }
        Judged judged = watch_capture(spec, file.bytes());
        EXPECT_EQ(judged.garbled, 0u);
        EXPECT_EQ(judged.totals.sessions, 5u);
        EXPECT_EQ(judged.totals.failed, 0u);
        EXPECT_EQ(judged.totals.incomplete, 0u);
    }
}

TEST(Capture, AMissingSegmentIsSaidAndTheRestIsRead) {
    model::Specification spec = example("delivery/delivery.treaty");
    CaptureFile file;
    for (int order = 1; order <= 2; ++order) {
        std::vector<Spoken> spoken = delivery(order);
        file.segment(spoken[4].from, spoken[4].to, 0, 2, "");
        for (std::size_t i = 0; i < spoken.size(); ++i)
            if (order == 2 || i != 4)  // the shipment of the first one
                file.segment(spoken[i].from, spoken[i].to, spoken[i].sequence, 16, spoken[i].payload);
    }
    Judged judged = watch_capture(spec, file.bytes());
    EXPECT_EQ(judged.totals.sessions, 2u);
    // The shipper delivers what it was never seen to get: not its fault, and not known to be one.
    EXPECT_EQ(judged.garbled, 1u);
    ASSERT_EQ(judged.faults.size(), 1u);
    EXPECT_NE(judged.faults[0].reason.find("bytes of the connection are missing"), std::string::npos);
    EXPECT_TRUE(judged.totals.lost);
}

TEST(Capture, AFileThatIsCutOrNoneIsSurvived) {
    model::Specification spec = example("delivery/delivery.treaty");
    CaptureFile file;
    for (const Spoken& s : delivery(1)) file.segment(s.from, s.to, s.sequence, 16, s.payload);
    Random random(3);
    for (int again = 0; again < 50; ++again) {
        std::string bytes = file.bytes().substr(0, 24 + below(random, file.bytes().size() - 24));
        if (again % 2 == 0)
            for (int k = 0; k < 5; ++k)
                bytes[24 + below(random, bytes.size() - 24 + 1) % (bytes.size() - 23)] ^= 'x';
        watch_capture(spec, bytes);
    }
}

}  // namespace
}  // namespace treaty::watch
