#include "wire/corrupt.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/hex.h"
#include "base/wording.h"
#include "wire/engine.h"

namespace treaty::wire {
namespace {

struct DamageName {
    Damage damage;
    std::string_view word, text;
};

constexpr std::array names{
    DamageName{Damage::checksum, "checksum", "wrong checksum"},
    DamageName{Damage::length, "length", "wrong length"},
    DamageName{Damage::tag, "tag", "wrong tag"},
    DamageName{Damage::truncated, "truncated", "truncated"},
    DamageName{Damage::flipped, "flipped", "bit flipped"},
    DamageName{Damage::trailing, "trailing", "trailing bytes"},
    DamageName{Damage::joined, "joined", "two messages at once"},
    DamageName{Damage::split, "split", "in pieces"},
};

bool bit_at(std::string_view bytes, std::uint64_t bit) {
    return (static_cast<unsigned char>(bytes[bit / 8]) & 0x80 >> bit % 8) != 0;
}

void flip_bit(std::string& bytes, std::uint64_t bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 0x80 >> bit % 8);
}

// The numbers 0 to count - 1, or most_of_one_damage of them, evenly spaced, with the first and the last.
std::vector<std::uint64_t> spread(std::uint64_t count) {
    std::vector<std::uint64_t> result;
    std::uint64_t n = std::min<std::uint64_t>(count, most_of_one_damage);
    for (std::uint64_t k = 0; k < n; ++k) result.push_back(n == 1 ? 0 : k * (count - 1) / (n - 1));
    return result;
}

class Maker {
public:
    Maker(const Codec& codec, std::string_view bytes, std::string_view next)
        : codec_(codec), bytes_(bytes), next_(next) {}

    std::vector<Corruption> run() {
        Decoder decoder(codec_);
        decoder.explain(true);
        decoder.feed(bytes_);
        decoder.finish();
        Decoded message;
        if (decoder.next(message) != DecodeStatus::message) return {};
        pieces_ = std::move(message.pieces);
        if (decoder.next(message) != DecodeStatus::end) return {};
        for (const Piece& p : pieces_) damage(p);
        truncate();
        flip();
        trail();
        deliver();
        std::array<std::uint32_t, names.size()> counts{};
        for (Corruption& c : made_) c.number = counts[static_cast<std::size_t>(c.damage)]++;
        return std::move(made_);
    }

private:
    void damage(const Piece& p) {
        if (p.bit_end <= p.bit_begin || p.bit_end > bytes_.size() * 8) return;
        switch (p.role) {
            case PieceRole::checksum:
                if (p.coding == PieceCoding::bits || p.coding == PieceCoding::little_endian)
                    numbers(p, Damage::checksum);
                else if (p.coding == PieceCoding::other)
                    first_byte(p, Damage::checksum);
                break;
            case PieceRole::length: numbers(p, Damage::length); break;
            case PieceRole::tag:
                if (p.coding == PieceCoding::other)
                    first_byte(p, Damage::tag);
                else
                    numbers(p, Damage::tag);
                break;
            case PieceRole::data: break;
        }
    }

    // Other values of a number: its neighbours, the smallest and the largest, its bytes swapped.
    void numbers(const Piece& p, Damage damage) {
        std::int64_t n = 0;
        auto [end, error] = std::from_chars(p.value.data(), p.value.data() + p.value.size(), n);
        if (error != std::errc() || end != p.value.data() + p.value.size() || n < 0) return;
        std::uint64_t value = static_cast<std::uint64_t>(n), width = p.bit_end - p.bit_begin;
        bool fixed = p.coding == PieceCoding::bits || p.coding == PieceCoding::little_endian;
        std::uint64_t largest = !fixed ? 2'000'000'000 : width >= 64 ? ~0ull : (1ull << width) - 1;
        std::vector<std::uint64_t> others{value ^ 1, value + 1, value - 1, 0, largest};
        if (damage == Damage::length) others.erase(others.begin());
        if (damage == Damage::checksum && fixed && width % 16 == 0) others.push_back(swapped(value, width));
        std::vector<std::uint64_t> used{value};
        for (std::uint64_t other : others) {
            if (other > largest || std::find(used.begin(), used.end(), other) != used.end()) continue;
            used.push_back(other);
            Corruption c = begin(damage, p, p.bit_begin / 8);
            c.bytes = with_number(p, other);
            c.what = fmt::format("{} is {} instead of {}", name_of(p),
                                 number_text(p.role, fixed, width, static_cast<std::int64_t>(other)),
                                 number_text(p.role, fixed, width, static_cast<std::int64_t>(value)));
            c.keeps_frame = damage == Damage::checksum;
            made_.push_back(std::move(c));
        }
    }

    static std::uint64_t swapped(std::uint64_t value, std::uint64_t width) {
        std::uint64_t result = 0;
        for (std::uint64_t k = 0; k < width; k += 8) result = result << 8 | (value >> k & 0xff);
        return result;
    }

    std::string with_number(const Piece& p, std::uint64_t n) const {
        std::string result(bytes_);
        std::size_t at = p.bit_begin / 8, size = (p.bit_end - p.bit_begin) / 8;
        if (p.coding == PieceCoding::decimal) {
            std::size_t digits = 0;
            while (at + digits < result.size() && result[at + digits] >= '0' && result[at + digits] <= '9')
                ++digits;
            result.replace(at, digits, std::to_string(n));
        } else if (p.coding == PieceCoding::varint) {
            std::string digits;
            do {
                digits += static_cast<char>((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
                n >>= 7;
            } while (n > 0);
            result.replace(at, size, digits);
        } else if (p.coding == PieceCoding::little_endian) {
            for (std::size_t k = 0; k < size; ++k) result[at + k] = static_cast<char>(n >> 8 * k & 0xff);
        } else {
            std::uint64_t width = p.bit_end - p.bit_begin;
            for (std::uint64_t k = 0; k < width; ++k)
                if (bit_at(result, p.bit_begin + k) != ((n >> (width - 1 - k) & 1) != 0))
                    flip_bit(result, p.bit_begin + k);
        }
        return result;
    }

    void first_byte(const Piece& p, Damage damage) {
        Corruption c = begin(damage, p, p.bit_begin / 8);
        c.bytes[c.offset] = static_cast<char>(c.bytes[c.offset] ^ 1);
        c.what = fmt::format("{} begins with 0x{:02x} instead of 0x{:02x}", name_of(p),
                             static_cast<unsigned char>(c.bytes[c.offset]),
                             static_cast<unsigned char>(bytes_[c.offset]));
        c.keeps_frame = damage == Damage::checksum;
        made_.push_back(std::move(c));
    }

    void truncate() {
        if (bytes_.size() < 2) return;
        for (std::uint64_t k : spread(bytes_.size() - 1)) {
            Corruption c = begin(Damage::truncated, piece_at((k + 1) * 8), k + 1);
            c.bytes.resize(k + 1);
            c.what = fmt::format("{} of {}", k + 1, base::counted(bytes_.size(), "byte"));
            made_.push_back(std::move(c));
        }
    }

    void flip() {
        for (std::uint64_t bit : spread(bytes_.size() * 8)) {
            Piece p = piece_at(bit);
            Corruption c = begin(Damage::flipped, p, bit / 8);
            flip_bit(c.bytes, bit);
            c.what = fmt::format("bit {} of byte {}{}: 0x{:02x} instead of 0x{:02x}", 7 - bit % 8, c.offset,
                                 p.name.empty() ? "" : fmt::format(", in `{}`", p.name),
                                 static_cast<unsigned char>(c.bytes[c.offset]),
                                 static_cast<unsigned char>(bytes_[c.offset]));
            c.keeps_frame = p.role == PieceRole::data || p.role == PieceRole::checksum;
            made_.push_back(std::move(c));
        }
    }

    void trail() {
        for (std::string_view extra : {std::string_view("\0", 1), std::string_view("\xff", 1),
                                       std::string_view("\x55\xaa\x55\xaa", 4)}) {
            Corruption c = begin(Damage::trailing, {}, bytes_.size());
            c.bytes += extra;
            c.what = fmt::format("0x\"{}\" after the message", base::to_hex(extra));
            made_.push_back(std::move(c));
        }
    }

    // The bytes are right; how they come is not usual.
    void deliver() {
        if (!next_.empty()) {
            Corruption c = begin(Damage::joined, {}, bytes_.size());
            c.bytes += next_;
            c.what =
                fmt::format("another message of {} follows at once", base::counted(next_.size(), "byte"));
            c.keeps_frame = true;
            made_.push_back(std::move(c));
        }
        if (bytes_.size() < 2) return;
        Corruption halves = begin(Damage::split, {}, bytes_.size() / 2);
        halves.cuts = {bytes_.size() / 2};
        halves.what = fmt::format("in two pieces, cut after byte {}", bytes_.size() / 2);
        halves.keeps_frame = true;
        Corruption all = begin(Damage::split, {}, 1);
        for (std::uint64_t k : spread(bytes_.size() - 1)) all.cuts.push_back(k + 1);
        all.what = fmt::format("in {}", base::counted(all.cuts.size() + 1, "piece"));
        all.keeps_frame = true;
        made_.push_back(std::move(halves));
        if (all.cuts.size() > 1) made_.push_back(std::move(all));
    }

    Corruption begin(Damage damage, const Piece& p, std::uint64_t offset) const {
        Corruption c;
        c.damage = damage;
        c.field = p.name;
        c.offset = offset;
        c.bytes = bytes_;
        return c;
    }

    // The innermost part with this bit; one without a name if there is none.
    Piece piece_at(std::uint64_t bit) const {
        const Piece* best = nullptr;
        for (const Piece& p : pieces_)
            if (p.bit_begin <= bit && bit < p.bit_end && (!best || p.depth >= best->depth)) best = &p;
        return best ? *best : Piece();
    }

    static std::string name_of(const Piece& p) {
        if (!p.name.empty()) return fmt::format("`{}`", p.name);
        return p.coding == PieceCoding::other ? fmt::format("\"{}\"", p.value) : "a fixed number";
    }

    const Codec& codec_;
    std::string_view bytes_, next_;
    std::vector<Piece> pieces_;
    std::vector<Corruption> made_;
};

}  // namespace

std::string_view to_string(Damage damage) {
    return names[static_cast<std::size_t>(damage)].text;
}

std::string_view word_of(Damage damage) {
    return names[static_cast<std::size_t>(damage)].word;
}

std::optional<Damage> damage_of(std::string_view word) {
    for (const DamageName& one : names)
        if (one.word == word) return one.damage;
    return std::nullopt;
}

std::vector<Corruption> corruptions(const Codec& codec, std::string_view bytes, std::string_view next) {
    return Maker(codec, bytes, next).run();
}

bool Reading::is_valid() const {
    return !messages.empty() && messages.front().condition_holds;
}

Reading reading_of(const Codec& codec, std::string_view bytes, bool last) {
    Reading result;
    Decoder decoder(codec);
    decoder.feed(bytes);
    if (last) decoder.finish();
    Decoded message;
    DecodeStatus status;
    while ((status = decoder.next(message)) == DecodeStatus::message)
        result.messages.push_back({message.message, message.condition_holds});
    if (status == DecodeStatus::fault) result.fault = decoder.fault();
    result.more = status == DecodeStatus::more && !decoder.waiting().empty();
    return result;
}

}  // namespace treaty::wire
