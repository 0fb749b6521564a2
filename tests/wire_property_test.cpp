// Every wire of examples/, library/ and tests/wires/: what is encoded is decoded to the same values, whatever
// the cut into chunks; bytes that match no message get the same fault at the same place, whatever the cut;
// and bytes damaged on purpose are damaged as it is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>

#include "expr/print.h"
#include "formats/load.h"
#include "wire/codec.h"
#include "wire/corrupt.h"
#include "wire/sampler.h"
#include "wire/shapes.h"

namespace treaty {
namespace {

std::uint64_t seed() {
    const char* text = std::getenv("TREATY_SEED");
    return text ? std::strtoull(text, nullptr, 10) : 20240611;
}

std::vector<std::string> files() {
    std::vector<std::string> found;
    for (const char* folder : {"examples", "library", "tests/wires"}) {
        std::filesystem::path root = std::filesystem::path(TREATY_SOURCE_DIR) / folder;
        if (!std::filesystem::exists(root)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
            if (entry.path().extension() == ".treaty") found.push_back(entry.path().string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

struct Seen {
    std::uint32_t message = 0;
    std::uint64_t begin = 0, end = 0;
    std::vector<expr::Value> values;
    friend bool operator==(const Seen&, const Seen&) = default;
};

struct Outcome {
    std::vector<Seen> messages;
    bool whole = false;
    std::uint64_t offset = 0;
    std::string reason;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome decode(const wire::Codec& codec, std::string_view bytes, std::mt19937_64* random) {
    wire::Limits limits;
    limits.message_bytes = 1 << 20;
    wire::Decoder decoder(codec, limits);
    Outcome out;
    wire::Decoded message;
    auto drain = [&] {
        wire::DecodeStatus status;
        while ((status = decoder.next(message)) == wire::DecodeStatus::message)
            out.messages.push_back({message.message, message.begin, message.end, decoder.values(message)});
        return status;
    };
    wire::DecodeStatus status = wire::DecodeStatus::more;
    for (std::size_t at = 0; at < bytes.size() && status != wire::DecodeStatus::fault;) {
        std::size_t n =
            random ? 1 + (*random)() % std::min<std::size_t>(bytes.size() - at, (*random)() % 3 ? 4 : 200)
                   : bytes.size();
        // A copy that dies with the chunk: whatever the decoder keeps must be its own.
        std::string chunk(bytes.substr(at, n));
        decoder.feed(chunk);
        status = drain();
        at += n;
    }
    if (status != wire::DecodeStatus::fault) {
        decoder.finish();
        status = drain();
    }
    out.whole = status == wire::DecodeStatus::end;
    if (!out.whole) {
        out.offset = decoder.fault().offset;
        out.reason = decoder.fault().reason;
    }
    return out;
}

struct World {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    formats::Loaded loaded;
    explicit World(const std::string& path) : loaded(formats::load(path, sources, diagnostics)) {}
};

class Wires : public ::testing::TestWithParam<std::string> {};

// One random message of each kind that the wire carries, encoded.
struct Sample {
    std::uint32_t message;
    std::vector<expr::Value> values;
    std::string bytes;
};

std::vector<Sample> samples(const model::Specification& s, const wire::Codec& codec, std::uint64_t rounds) {
    std::vector<Sample> out;
    auto rules = wire::message_rules(s);
    for (std::uint32_t m = 0; m < rules.size(); ++m) {
        if (!codec.carries(m)) continue;
        wire::Sampler sampler(*s.pool, rules[m], &codec);
        std::uint64_t encoded = 0;
        for (std::uint64_t i = 0; i < rounds; ++i) {
            wire::Made made = sampler.valid(seed() + std::uint64_t{m} * 1000, i);
            EXPECT_EQ(made.found, solve::Found::yes)
                << s.alphabet->name(model::MessageId(m)) << ": " << made.reason;
            if (made.found != solve::Found::yes) break;
            if (!made.no_bytes.empty()) continue;
            ++encoded;
            out.push_back({m, std::move(made.values), std::move(made.bytes)});
        }
        EXPECT_GT(encoded, 0u) << s.alphabet->name(model::MessageId(m)) << " is never encoded, seed "
                               << seed();
    }
    return out;
}

TEST_P(Wires, EncodeThenDecodeIsTheIdentity) {
    World world(GetParam());
    ASSERT_TRUE(world.diagnostics.ok()) << world.diagnostics.all()[0].message;
    auto* s = std::get_if<model::Specification>(&world.loaded.model);
    ASSERT_NE(s, nullptr);
    for (const wire::Wire& w : s->wires) {
        auto shapes = wire::message_shapes(*s);
        wire::Codec codec(*s->pool, w, shapes);
        wire::Encoder encoder(codec);
        for (const Sample& sample : samples(*s, codec, 40)) {
            wire::Decoder decoder(codec);
            decoder.expect(std::array{sample.message});
            decoder.feed(sample.bytes);
            decoder.finish();
            wire::Decoded message;
            ASSERT_EQ(decoder.next(message), wire::DecodeStatus::message)
                << s->alphabet->name(model::MessageId(sample.message)) << " " << expr::quote(sample.bytes)
                << ": " << decoder.fault().reason;
            EXPECT_EQ(decoder.values(message), sample.values) << expr::quote(sample.bytes);
            std::string again;
            EXPECT_FALSE(encoder.encode(message.message, decoder.values(message), again));
            EXPECT_EQ(again, sample.bytes);
            EXPECT_EQ(decoder.next(message), wire::DecodeStatus::end) << expr::quote(sample.bytes);
        }
    }
}

TEST_P(Wires, TheCutIntoChunksDoesNotMatter) {
    World world(GetParam());
    auto* s = std::get_if<model::Specification>(&world.loaded.model);
    ASSERT_NE(s, nullptr);
    std::mt19937_64 random(seed());
    for (const wire::Wire& w : s->wires) {
        auto shapes = wire::message_shapes(*s);
        wire::Codec codec(*s->pool, w, shapes);
        std::vector<Sample> all = samples(*s, codec, 10);
        if (all.empty()) continue;
        for (int round = 0; round < 60; ++round) {
            std::string bytes;
            for (int k = 0; k < 8; ++k) bytes += all[random() % all.size()].bytes;
            // Half of them damaged.
            for (std::size_t k = 0; round % 2 == 1 && k < 1 + random() % 3 && !bytes.empty(); ++k) {
                std::size_t at = random() % bytes.size();
                if (random() % 3 == 0)
                    bytes.erase(at, random() % 5);
                else
                    bytes[at] = static_cast<char>(random());
            }
            Outcome whole = decode(codec, bytes, nullptr);
            for (int cut = 0; cut < 4; ++cut) {
                Outcome parts = decode(codec, bytes, &random);
                EXPECT_EQ(parts.messages.size(), whole.messages.size()) << expr::quote(bytes);
                EXPECT_EQ(parts.whole, whole.whole)
                    << parts.reason << " / " << whole.reason << " " << expr::quote(bytes);
                EXPECT_EQ(parts.offset, whole.offset)
                    << parts.reason << " / " << whole.reason << expr::quote(bytes);
                ASSERT_TRUE(parts == whole)
                    << "seed " << seed() << " " << parts.reason << " / " << whole.reason;
            }
        }
    }
}

TEST_P(Wires, NoiseIsRefusedNotBelieved) {
    World world(GetParam());
    auto* s = std::get_if<model::Specification>(&world.loaded.model);
    ASSERT_NE(s, nullptr);
    std::mt19937_64 random(seed());
    for (const wire::Wire& w : s->wires) {
        auto shapes = wire::message_shapes(*s);
        wire::Codec codec(*s->pool, w, shapes);
        wire::Encoder encoder(codec);
        for (int round = 0; round < 200; ++round) {
            std::string bytes(random() % 64, '\0');
            for (char& c : bytes) c = static_cast<char>(random());
            Outcome out = decode(codec, bytes, nullptr);
            EXPECT_LE(out.offset, bytes.size());
            // What was believed can be written again, and is then read as the same.
            for (const Seen& m : out.messages) {
                std::string again;
                if (encoder.encode(m.message, m.values, again)) continue;
                Outcome back = decode(codec, again, nullptr);
                ASSERT_EQ(back.messages.size(), 1u) << expr::quote(again);
                EXPECT_EQ(back.messages[0].values, m.values);
            }
        }
    }
}

// How many bits differ, where the sizes are equal.
std::size_t different_bits(std::string_view a, std::string_view b) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        n += static_cast<std::size_t>(std::popcount(static_cast<unsigned char>(a[i] ^ b[i])));
    return n;
}

// The damage is what its label says, and the reading of it is what decoding says, whatever the cut.
TEST_P(Wires, CorruptionsAreAsTheyAreLabelled) {
    World world(GetParam());
    auto* s = std::get_if<model::Specification>(&world.loaded.model);
    ASSERT_NE(s, nullptr);
    std::mt19937_64 random(seed());
    for (const wire::Wire& w : s->wires) {
        auto shapes = wire::message_shapes(*s);
        wire::Codec codec(*s->pool, w, shapes);
        for (const Sample& sample : samples(*s, codec, 4)) {
            const std::string& right = sample.bytes;
            // Without it, the bytes are also the beginning of a longer message.
            bool stands_alone = wire::reading_of(codec, right).is_valid();
            std::set<std::pair<wire::Damage, std::uint32_t>> numbers;
            for (const wire::Corruption& c : wire::corruptions(codec, right, right)) {
                std::string where = c.what + " of " + expr::quote(right);
                EXPECT_TRUE(numbers.emplace(c.damage, c.number).second) << where;
                EXPECT_LE(c.offset, right.size()) << where;
                EXPECT_FALSE(c.what.empty());
                bool same_size = c.bytes.size() == right.size();
                switch (c.damage) {
                    case wire::Damage::truncated:
                        EXPECT_TRUE(right.starts_with(c.bytes) && c.bytes.size() < right.size()) << where;
                        EXPECT_EQ(c.bytes.size(), c.offset) << where;
                        break;
                    case wire::Damage::flipped:
                        ASSERT_TRUE(same_size) << where;
                        EXPECT_EQ(different_bits(c.bytes, right), 1u) << where;
                        EXPECT_NE(c.bytes[c.offset], right[c.offset]) << where;
                        break;
                    case wire::Damage::trailing:
                    case wire::Damage::joined:
                        EXPECT_TRUE(c.bytes.starts_with(right) && c.bytes.size() > right.size()) << where;
                        break;
                    case wire::Damage::split:
                        EXPECT_EQ(c.bytes, right);
                        EXPECT_TRUE(std::is_sorted(c.cuts.begin(), c.cuts.end()));
                        EXPECT_LT(c.cuts.back(), right.size());
                        break;
                    default:
                        EXPECT_NE(c.bytes, right) << where;
                        EXPECT_EQ(c.bytes.substr(0, c.offset), right.substr(0, c.offset)) << where;
                        // What does not say how much follows does not move it.
                        EXPECT_TRUE(same_size || c.damage != wire::Damage::checksum) << where;
                }
                // Computed fields are checked, so bytes with another checksum are no message.
                wire::Reading reading = wire::reading_of(codec, c.bytes);
                EXPECT_FALSE(reading.is_valid() && c.damage == wire::Damage::checksum) << where;
                EXPECT_TRUE(reading.is_valid() == stands_alone || c.damage != wire::Damage::split) << where;
                Outcome parts = decode(codec, c.bytes, &random);
                EXPECT_EQ(parts.messages.size(), wire::reading_of(codec, c.bytes, true).messages.size())
                    << where;
                EXPECT_TRUE(!reading.fault || parts.offset == reading.fault->offset) << where;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Files, Wires, ::testing::ValuesIn(files()), [](const auto& file) {
    std::string name;
    for (char c : std::filesystem::path(file.param).stem().string())
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name + "_" + std::to_string(file.index);
});

}  // namespace
}  // namespace treaty
