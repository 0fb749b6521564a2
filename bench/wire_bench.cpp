// How fast messages are made, read and written, next to what the machine can do at best. Each pair alternates
// in one run, so the ratio holds on a busy machine.
//
//   wire_bench [seconds each [bytes: only frames of this size]]
//
// Lines are compared with simdjson parsing JSON documents of the same length; WebSocket frames with a plain
// loop that copies and unmasks the same bytes; both directions.
#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "formats/import.h"
#include "lang/read.h"
#include "solve/generate.h"
#include "wire/codec.h"
#include "wire/shapes.h"

namespace {

using namespace treaty;
using Clock = std::chrono::steady_clock;

struct World {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    model::Specification s;
    std::vector<wire::MessageShape> shapes;
    explicit World(std::string text)
        : s(std::move(*lang::read(sources, sources.add("bench.treaty", std::move(text)), diagnostics))) {
        shapes = wire::message_shapes(s);
    }
    wire::MessageIndex message(std::string_view name) const { return s.alphabet->find_message(name).index; }
};

// The best rate of each, a second, over alternating rounds.
std::vector<double> rates(double seconds, const std::vector<std::function<std::size_t()>>& works) {
    std::vector<double> best(works.size(), 0);
    auto end = Clock::now() + std::chrono::duration<double>(seconds * static_cast<double>(works.size()));
    while (Clock::now() < end)
        for (std::size_t i = 0; i < works.size(); ++i) {
            auto begin = Clock::now();
            std::size_t n = works[i]();
            double took = std::chrono::duration<double>(Clock::now() - begin).count();
            best[i] = std::max(best[i], static_cast<double>(n) / took);
        }
    return best;
}

volatile std::uint64_t sink;

void lines(double seconds) {
    World w(
        "message log(time: int, host: string, text: string)\n"
        "wire L over lines \"\\n\" { log(time, host, text) = time:/[0-9]+/ \" \" host:/[a-z0-9.]+/ \" \" "
        "text:/[^\\n]*/\n }\n");
    wire::Codec codec(*w.s.pool, w.s.wires[0], w.shapes);
    constexpr std::size_t count = 2000, length = 150;
    std::string text;
    std::vector<simdjson::padded_string> documents;
    std::vector<std::vector<expr::Value>> values;
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < count; ++i) {
        std::string words;
        for (std::size_t k = 0; k < 12; ++k)
            words += fmt::format("{}word{}", k > 0 ? " " : "", random() % 1000);
        std::string json = fmt::format(R"({{"time":{},"host":"host{}.example.org","text":"{}"}})",
                                       1700000000 + i, i % 50, words);
        json.resize(std::max(json.size(), length), ' ');
        std::string tail =
            words +
            std::string(
                json.size() - fmt::format("{} host{}.example.org {}\n", 1700000000 + i, i % 50, words).size(),
                '.');
        text += fmt::format("{} host{}.example.org {}\n", 1700000000 + i, i % 50, tail);
        values.push_back(
            {static_cast<std::int64_t>(1700000000 + i), fmt::format("host{}.example.org", i % 50), tail});
        documents.emplace_back(json);
    }
    simdjson::ondemand::parser parser;
    auto simd = [&] {
        std::uint64_t sum = 0;
        for (auto& d : documents) {
            auto document = parser.iterate(d);
            sum += static_cast<std::uint64_t>(document["time"].get_int64().value());
            sum += document["host"].get_string().value().size();
            sum += document["text"].get_string().value().size();
        }
        sink = sum;
        return count;
    };
    auto ours = [&] {
        wire::Decoder decoder(codec);
        wire::Decoded message;
        std::uint64_t sum = 0;
        decoder.feed(text);
        while (decoder.next(message) == wire::DecodeStatus::message)
            sum += static_cast<std::uint64_t>(message.fields[0].number) + message.fields[1].text.size() +
                   message.fields[2].text.size();
        sink = sum;
        return count;
    };
    wire::Encoder encoder(codec);
    std::string out;
    auto write = [&] {
        out.clear();
        for (const auto& v : values) encoder.encode(0, v, out);
        sink = out.size();
        return count;
    };
    auto r = rates(seconds, {simd, ours, write});
    fmt::print(
        "lines of {} bytes: simdjson {:.2f} M/s, decode {:.2f} M/s (ratio {:.2f}, wanted 0.5), encode {:.2f} "
        "M/s (ratio {:.2f}, wanted 0.5)\n",
        text.size() / count, r[0] / 1e6, r[1] / 1e6, r[1] / r[0], r[2] / 1e6, r[2] / r[0]);
}

void frames(double seconds, std::size_t size) {
    World w{std::string(formats::library_text("websocket.treaty"))};
    wire::Codec codec(*w.s.pool, *w.s.find_wire("Frames"), w.shapes);
    wire::MessageIndex frame = w.message("frame");
    constexpr std::size_t count = 500;
    wire::Encoder encoder(codec);
    std::string bytes;
    std::vector<std::vector<expr::Value>> values;
    std::mt19937_64 random(2);
    for (std::size_t i = 0; i < count; ++i) {
        std::string payload(size, '\0'), key(4, '\0');
        for (char& c : payload) c = static_cast<char>(random());
        for (char& c : key) c = static_cast<char>(random());
        values.push_back(
            {std::int64_t{1}, std::int64_t{2}, std::int64_t{1}, expr::Bytes{key}, expr::Bytes{payload}});
        encoder.encode(frame, values.back(), bytes);
    }
    std::size_t head = bytes.size() / count - size;
    std::string copy(size, '\0');
    auto plain = [&] {
        std::uint64_t sum = 0;
        const char* at = bytes.data();
        for (std::size_t i = 0; i < count; ++i) {
            const char* key = at + head - 4;
            at += head;
            for (std::size_t k = 0; k < size; ++k) copy[k] = static_cast<char>(at[k] ^ key[k & 3]);
            at += size;
            sum += static_cast<unsigned char>(copy[size / 2]);
        }
        sink = sum;
        return count;
    };
    wire::Decoder decoder(codec);
    auto ours = [&] {
        wire::Decoded message;
        std::uint64_t sum = 0;
        decoder.feed(bytes);
        while (decoder.next(message) == wire::DecodeStatus::message)
            sum += static_cast<unsigned char>(message.fields[4].text[size / 2]);
        sink = sum;
        return count;
    };
    std::string out;
    auto write = [&] {
        out.clear();
        for (const auto& v : values) encoder.encode(frame, v, out);
        sink = out.size();
        return count;
    };
    auto r = rates(seconds, {plain, ours, write});
    fmt::print(
        "frames of {} bytes: plain {:.2f} M/s, decode {:.2f} M/s (ratio {:.2f}, wanted 0.5), encode {:.2f} "
        "M/s (ratio {:.2f}, wanted 0.5)\n",
        size, r[0] / 1e6, r[1] / 1e6, r[1] / r[0], r[2] / 1e6, r[2] / r[0]);
}

void generation(double seconds) {
    World w(
        "message range(n: int) where n >= 10 and n < 5000\n"
        "message equal(a: int in 0..9, b: int) where b == a + 7\n"
        "message pattern(s: string) where s matches /[a-z]+@[a-z]+\\.(org|net)/\n"
        "message hard(a: int, b: int) where a * b == 1147 and a > 1 and a < b and b < 1000\n");
    solve::Generator generator(*w.s.pool);
    std::uint64_t seed = 0;
    double first = 0;
    for (const char* name : {"range", "equal", "pattern", "hard"}) {
        const model::Message& m = w.s.messages[w.message(name)];
        std::size_t batch = std::string_view(name) == "hard" ? 5 : 200;
        auto work = [&] {
            for (std::size_t i = 0; i < batch; ++i) {
                solve::Choices choices(++seed);
                sink =
                    static_cast<std::uint64_t>(generator.generate(m.variables, m.where, {}, choices).found);
            }
            return batch;
        };
        double rate = rates(seconds, {work})[0];
        if (first == 0) first = rate;
        solve::Choices choices(1);
        std::string how = generator.generate(m.variables, m.where, {}, choices).how[0];
        fmt::print("values, {:<8} {:>9.0f}/s (ratio to ranges {:.3f}), by {}\n", name, rate, rate / first,
                   how);
    }
}

}  // namespace

int main(int argc, char** argv) {
    double seconds = argc > 1 ? std::atof(argv[1]) : 1;
    if (argc > 2) {
        frames(seconds, std::strtoul(argv[2], nullptr, 10));
        return 0;
    }
    lines(seconds);
    for (std::size_t size : {125u, 1000u, 16000u}) frames(seconds, size);
    generation(seconds);
}
