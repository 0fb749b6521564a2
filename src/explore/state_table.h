// A flat open-addressing table of packed states, stored as they are.
//
// Slots are grouped into buckets of a cache line (8 states of one word, 4 of two; wider ones stand alone); a state
// lies in the first free slot from its hash's bucket on, so most probes touch one line. Sixteen parts, chosen by
// the highest bits of the hash, grow one after the other into a new mapping while the old one is given back, so
// there are never two copies of more than a sixteenth of the table (one a thread). A bucket's place is its hash
// scaled to the part's size, so growing reads and writes memory in order. Between 57 % and 80 % full once it is
// large. Cost: 8 W bytes a slot. Several threads may insert at once: a slot is claimed by exchanging its word 0,
// whose highest bit says "taken" and the next one "being written".
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

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
    std::size_t positions() const override { return bases_.back(); }

private:
    static constexpr std::size_t part_count = 16;
    static constexpr std::uint64_t bucket = W == 1 ? 8 : W == 2 ? 4 : 1;  // slots
    struct Part {
        State<W>* slots = nullptr;
        std::uint64_t buckets = 0;
        std::uint64_t size() const { return buckets * bucket; }
    };

    StateTable(Budget& budget, unsigned threads) : budget_(budget), counts_(threads) {}
    std::uint64_t count(std::size_t part) const;
    bool grow_part(std::size_t part);
    void set_bases();
    static State<W>* place(const Part& part, const State<W>& key, std::uint64_t hash);
    static bool add(const Part& part, const State<W>& key, std::uint64_t hash);
    static bool add_shared(const Part& part, const State<W>& key, std::uint64_t hash);

    Budget& budget_;
    std::array<Part, part_count> parts_;
    std::array<std::size_t, part_count + 1> bases_{};
    Pages pages_;              // where the parts lie
    Pages larger_;             // where they are going while the table grows
    std::uint64_t next_buckets_ = 0;
    struct alignas(64) Counts {
        std::array<std::atomic<std::uint64_t>, part_count> added{};  // written by its thread only
    };
    std::vector<Counts> counts_;  // one a thread
    std::atomic<std::size_t> next_part_{0};
    std::atomic<bool> refused_{false};
};

// Spreads a state over 64 bits.
template <int W>
inline std::uint64_t hash_state(const State<W>& state);

extern template class StateTable<1>;
extern template class StateTable<2>;
extern template class StateTable<3>;
extern template class StateTable<4>;
extern template class StateTable<8>;
extern template class StateTable<16>;
extern template class StateTable<64>;

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
