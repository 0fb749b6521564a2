#include "explore/key_set.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace treaty::explore {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t factor = 0xd6e8feb86659fd93ull;

// The factor's inverse modulo 2^64, by Newton's iteration: each round doubles the right bits.
constexpr std::uint64_t inverse_factor() {
    std::uint64_t x = factor;
    for (int i = 0; i < 6; ++i) x *= 2 - factor * x;
    return x;
}
static_assert(factor * inverse_factor() == 1);

}  // namespace

Scrambler::Scrambler(unsigned bits)
    : half_((bits + 1) / 2), mask_(bits == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << bits) - 1) {}

// Shifting by at least half of the bits is its own inverse, and so is all of it run backwards.
std::uint64_t Scrambler::scramble(std::uint64_t key) const {
    key ^= key >> half_;
    key = key * factor & mask_;
    key ^= key >> half_;
    key = key * factor & mask_;
    key ^= key >> half_;
    return key;
}

std::uint64_t Scrambler::unscramble(std::uint64_t key) const {
    constexpr std::uint64_t inverse = inverse_factor();
    key ^= key >> half_;
    key = key * inverse & mask_;
    key ^= key >> half_;
    key = key * inverse & mask_;
    key ^= key >> half_;
    return key;
}

std::uint64_t KeySet::home(std::uint64_t key) const {
    return static_cast<std::uint64_t>(Wide(key) * buckets_ >> bits_);
}

std::uint64_t KeySet::first_of(std::uint64_t bucket) const {
    return static_cast<std::uint64_t>(((Wide(bucket) << bits_) + buckets_ - 1) / buckets_);
}

bool KeySet::resize(unsigned bits, std::uint64_t slots) {
    // Uneven filling can use up a bucket and its neighbours even then; a little more room and it fits.
    for (;; slots += slots / 8 + 64) {
        KeySet larger(*budget_);
        if (!larger.shape(bits, slots)) return false;
        bool fits = true;
        for (std::size_t i = 0; fits && i < this->slots(); ++i)
            if (taken(i)) fits = larger.add(at(i)) != Added::full;
        if (!fits) continue;
        *this = std::move(larger);
        return true;
    }
}

std::uint64_t KeySet::load(const std::uint8_t* slot) const {
    std::uint64_t value;
    std::memcpy(&value, slot, 8);
    return value & slot_mask_;
}

bool KeySet::shape(unsigned bits, std::uint64_t slots) {
    bits_ = bits;
    // Fewer bytes a slot make more slots a bucket and so fewer buckets, whose places say less: take the least
    // number of bytes that is enough.
    for (slot_bytes_ = 1; slot_bytes_ <= 8; ++slot_bytes_) {
        per_bucket_ = 64 / slot_bytes_;
        buckets_ = std::max<std::uint64_t>(16, (slots + per_bucket_ - 1) / per_bucket_);
        std::uint64_t rest = static_cast<std::uint64_t>(((Wide(1) << bits) + buckets_ - 1) / buckets_);
        if (static_cast<unsigned>(std::bit_width(rest)) + 3 <= slot_bytes_ * 8) break;
    }
    TREATY_CHECK(slot_bytes_ <= 8);
    slot_mask_ = slot_bytes_ == 8 ? ~std::uint64_t(0) : (std::uint64_t(1) << (slot_bytes_ * 8)) - 1;
    pages_ = Pages::allocate(*budget_, buckets_ * 64 + 8);  // reading a slot may reach 7 bytes further
    return static_cast<bool>(pages_);
}

KeySet::Added KeySet::add(std::uint64_t key) {
    std::uint64_t bucket = home(key), rest = key - first_of(bucket);
    for (std::uint64_t distance = 0; distance <= most_distance; ++distance) {
        std::uint64_t wanted = rest << 3 | (distance + 1);
        std::uint8_t* slot = line(bucket);
        for (std::uint64_t i = 0; i < per_bucket_; ++i, slot += slot_bytes_) {
            std::uint64_t found = load(slot);
            if (found == wanted) return Added::no;
            if (found != 0) continue;
            std::memcpy(slot, &wanted, slot_bytes_);
            ++count_;
            return Added::yes;
        }
        if (++bucket == buckets_) bucket = 0;
    }
    return Added::full;
}

std::size_t KeySet::find(std::uint64_t key) const {
    std::uint64_t bucket = home(key), rest = key - first_of(bucket);
    for (std::uint64_t distance = 0; distance <= most_distance; ++distance) {
        std::uint64_t wanted = rest << 3 | (distance + 1);
        const std::uint8_t* slot = line(bucket);
        for (std::uint64_t i = 0; i < per_bucket_; ++i, slot += slot_bytes_) {
            std::uint64_t found = load(slot);
            if (found == wanted) return bucket * per_bucket_ + i;
            if (found == 0) return nowhere;
        }
        if (++bucket == buckets_) bucket = 0;
    }
    return nowhere;
}

std::uint64_t KeySet::at(std::size_t position) const {
    std::uint64_t bucket = position / per_bucket_;
    std::uint64_t value = load(line(bucket) + position % per_bucket_ * slot_bytes_);
    TREATY_CHECK(value != 0);
    std::uint64_t distance = (value & 7) - 1;
    std::uint64_t from = bucket >= distance ? bucket - distance : bucket + buckets_ - distance;
    return first_of(from) + (value >> 3);
}

}  // namespace treaty::explore
