// A flat open-addressing table of packed states, stored as they are.
//
// Slots are grouped into buckets of a cache line (8 states of one word, 4 of two; wider ones are alone); a
// state is in the first free slot from its hash's bucket on, so most probes touch one line. A bucket's place
// is its hash scaled to the table's size, so growing reads and writes memory in order: into a new mapping, a
// sixteenth at a time, while the old one is given back, so there are never two copies of more than that (a
// thread). Between 57 % and 80 % full once it is large. Cost: 8 W bytes a slot. Several threads may insert at
// once: a slot is claimed by exchanging its word 0, whose highest bit means "taken" and the next one "being
// written".
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "explore/line_match.h"
#include "explore/memory.h"
#include "explore/table.h"

namespace treaty::explore {

template <int W>
class StateTable final : public Table<W> {
public:
    // Null if not even the smallest table fits the budget.
    static std::unique_ptr<StateTable> make(Budget& budget, unsigned threads);

    bool concurrent() const override { return true; }
    bool needs_growth(std::size_t successors) const override;
    void begin_growth() override;
    void grow() override;
    bool end_growth() override;
    void insert(Batch<W>& batch, unsigned thread) override;
    std::size_t find(const State<W>& state) const override;
    State<W> at(std::size_t position) const override;
    std::size_t positions() const override { return slots_.size(); }

private:
    static constexpr std::size_t part_count = 16;  // what one thread grows at a time
    static constexpr std::uint64_t bucket = line_slots<W>;
    struct Slots {
        State<W>* first = nullptr;
        std::uint64_t buckets = 0;
        std::uint64_t size() const { return buckets * bucket; }
        State<W>* home(std::uint64_t hash) const { return first + ((hash >> 32) * buckets >> 32) * bucket; }
        State<W>* wrapped(State<W>* slot) const { return slot == first + size() ? first : slot; }
        // Where the key is, or the free slot where it belongs.
        State<W>* place(const State<W>& key, std::uint64_t hash) const;
        bool add(const State<W>& key, std::uint64_t hash) const;
        // The same for a key that is new, without leaving [begin, end); false if there is no room.
        bool add_within(const State<W>& key, std::uint64_t hash, State<W>* begin, State<W>* end) const;
        bool add_shared(const State<W>& key, std::uint64_t hash) const;
    };

    StateTable(Budget& budget, unsigned threads) : budget_(budget), counts_(threads) {}
    bool grow_part(std::size_t part);

    Budget& budget_;
    Slots slots_;
    Slots larger_slots_;  // where they are going while the table grows
    Pages pages_;
    Pages larger_;
    struct alignas(64) Count {
        std::atomic<std::uint64_t> added{0};  // written by its thread only
    };
    std::vector<Count> counts_;  // one per thread
    std::array<std::vector<State<W>>, part_count>
        moved_;  // states that leave their part when the table grows
    std::atomic<std::size_t> next_part_{0};
    std::atomic<bool> refused_{false};
};

// Spreads a state over 64 bits.
template <int W>
inline std::uint64_t hash_state(const State<W>& state);

#define TREATY_WIDTH(W) extern template class StateTable<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

template <int W>
inline std::uint64_t hash_state(const State<W>& state) {
    std::uint64_t h = state[0];
    if constexpr (W > 1)
        for (int i = 1; i < W; ++i) {
            h *= 0x9e3779b97f4a7c15ull;
            h ^= (h >> 29) ^ state[static_cast<std::size_t>(i)];
        }
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    h ^= h >> 32;
    return h;
}

}  // namespace treaty::explore
