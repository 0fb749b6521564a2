// A compact set of keys of a known number of bits: bits that follow from a key's place are not stored.
//
// Keys must be spread evenly (Scrambler does it, and undoes it). A key is scaled to a bucket of 64 bytes; the
// bucket implies the key's high part, so a slot holds only the rest of it and how many buckets from home it
// is (0 to 6). Slots are whole bytes, as few as that needs, and get smaller as the table grows. Everything
// can be read back: nothing is lost. For one thread. Cost: (bits - log2(buckets) + 3) / 8 bytes a slot,
// rounded up; up to 90 % of the slots are used; while it grows there are two tables.
#pragma once

#include <cstdint>

#include "explore/memory.h"

namespace treaty::explore {

// An invertible function on numbers of some bits (1 to 64) that spreads them evenly.
class Scrambler {
public:
    explicit Scrambler(unsigned bits);
    std::uint64_t scramble(std::uint64_t key) const;
    std::uint64_t unscramble(std::uint64_t key) const;

private:
    unsigned half_;
    std::uint64_t mask_;
};

class KeySet {
public:
    static constexpr std::size_t nowhere = SIZE_MAX;
    enum class Added : std::uint8_t { no, yes, full };

    explicit KeySet(Budget& budget) : budget_(&budget) {}

    // Makes room for keys of so many bits (at most 64) and at least so many slots; keeps the keys it has,
    // whose bits must be the same. False: no memory, nothing has changed.
    bool resize(unsigned bits, std::uint64_t slots);

    void prefetch(std::uint64_t key) const { __builtin_prefetch(line(home(key)), 1); }
    Added add(std::uint64_t key);  // full: its buckets are, resize first
    std::size_t find(std::uint64_t key) const;
    std::uint64_t at(std::size_t position) const;
    bool taken(std::size_t position) const {
        return load(line(position / per_bucket_) + position % per_bucket_ * slot_bytes_) != 0;
    }

    std::uint64_t count() const { return count_; }
    std::uint64_t slots() const { return buckets_ * per_bucket_; }

private:
    static constexpr std::uint64_t most_distance = 6;

    std::uint64_t home(std::uint64_t key) const;
    std::uint64_t first_of(std::uint64_t bucket) const;  // the least key at home there
    std::uint8_t* line(std::uint64_t bucket) const { return pages_.as<std::uint8_t>() + bucket * 64; }
    std::uint64_t load(const std::uint8_t* slot) const;
    bool shape(unsigned bits, std::uint64_t slots);

    Budget* budget_;
    Pages pages_;
    unsigned bits_ = 0;
    unsigned slot_bytes_ = 0;
    std::uint64_t slot_mask_ = 0;
    std::uint64_t per_bucket_ = 0;
    std::uint64_t buckets_ = 0;
    std::uint64_t count_ = 0;
};

}  // namespace treaty::explore
