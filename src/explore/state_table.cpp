#include "explore/state_table.h"

#include <bit>

#include "base/check.h"

namespace treaty::explore {
namespace {

constexpr std::uint64_t taken = std::uint64_t(1) << 63;
constexpr std::uint64_t writing = std::uint64_t(1) << 62;
constexpr std::uint64_t first_size = 16384;          // slots
constexpr std::size_t large = std::size_t(4) << 20;  // bytes; below, growing doubles

// A state as stored in its slot.
template <int W>
State<W> as_stored(const State<W>& state) {
    State<W> stored = state;
    stored[0] |= taken;
    return stored;
}

template <int W>
std::uint64_t hash_stored(State<W> stored) {
    stored[0] &= ~table_bits;
    return hash_state<W>(stored);
}

template <int W>
bool same_rest(const State<W>& a, const State<W>& b) {
    std::uint64_t difference = 0;
    for (std::size_t i = 1; i < W; ++i) difference |= a[i] ^ b[i];
    return difference == 0;
}

}  // namespace

template <int W>
std::unique_ptr<StateTable<W>> StateTable<W>::make(Budget& budget, unsigned threads) {
    std::unique_ptr<StateTable> table(new StateTable(budget, threads));
    std::uint64_t size = W <= 8 ? first_size : first_size / 8;
    table->pages_ = Pages::allocate(budget, size * sizeof(State<W>));
    if (!table->pages_) return nullptr;
    table->slots_ = {table->pages_.template as<State<W>>(), size / bucket};
    return table;
}

template <int W>
bool StateTable<W>::needs_growth(std::size_t successors) const {
    std::uint64_t known = successors * counts_.size();
    for (const Count& c : counts_) known += c.added.load(std::memory_order_relaxed);
    return known * 5 > slots_.size() * 4;
}

template <int W>
void StateTable<W>::begin_growth() {
    next_part_ = 0;
    refused_ = false;
    bool small = slots_.size() * sizeof(State<W>) < large;
    // A multiple of the number of parts, so that they are equal.
    std::uint64_t buckets = small ? slots_.buckets * 2 : slots_.buckets + slots_.buckets * 2 / 5;
    buckets = (buckets + part_count - 1) / part_count * part_count;
    larger_ = Pages::reserve(budget_, buckets * bucket * sizeof(State<W>));
    larger_slots_ = {larger_.template as<State<W>>(), buckets};
    if (!larger_) refused_ = true;
}

template <int W>
void StateTable<W>::grow() {
    for (std::size_t i; !refused_ && (i = next_part_.fetch_add(1)) < part_count;)
        if (!grow_part(i)) refused_ = true;
}

template <int W>
bool StateTable<W>::grow_part(std::size_t number) {
    std::size_t wanted = larger_slots_.size() / part_count * sizeof(State<W>);
    if (!larger_.commit(wanted)) return false;
    larger_.touch(number * wanted, wanted);
    // A part of the old table goes to the same part of the new one, so threads do not meet; the few states
    // that lie or would lie beyond their part, because it was full, are added at the end.
    std::uint64_t size = slots_.size() / part_count, larger_size = larger_slots_.size() / part_count;
    State<W>* begin = larger_slots_.first + number * larger_size;
    for (std::uint64_t i = number * size; i < (number + 1) * size; ++i) {
        const State<W>& stored = slots_.first[i];
        if (stored[0] == 0) continue;
        if (!larger_slots_.add_within(stored, hash_stored<W>(stored), begin, begin + larger_size))
            moved_[number].push_back(stored);
    }
    pages_.discard(number * size * sizeof(State<W>), size * sizeof(State<W>));
    return true;
}

template <int W>
bool StateTable<W>::end_growth() {
    // If the budget was spent in between, the states are in two tables: this one is of no more use.
    if (refused_) return false;
    for (std::vector<State<W>>& moved : moved_) {
        for (const State<W>& stored : moved) larger_slots_.add(stored, hash_stored<W>(stored));
        moved.clear();
    }
    pages_ = std::move(larger_);
    slots_ = larger_slots_;
    return true;
}

template <int W>
inline State<W>* StateTable<W>::Slots::place(const State<W>& key, std::uint64_t hash) const {
    for (State<W>* line = home(hash);;) {
        LineMatch match = match_line<W>(line, key);
        if (match.same) return line + std::countr_zero(match.same);
        if (match.used < bucket) return line + match.used;
        line += bucket;
        if (line == first + size()) line = first;
    }
}

template <int W>
inline bool StateTable<W>::Slots::add(const State<W>& key, std::uint64_t hash) const {
    State<W>* slot = place(key, hash);
    if ((*slot)[0] != 0) return false;
    *slot = key;
    return true;
}

template <int W>
inline bool StateTable<W>::Slots::add_within(const State<W>& key, std::uint64_t hash, State<W>* begin,
                                             State<W>* end) const {
    State<W>* slot = home(hash);
    if (slot < begin) return false;
    while (slot < end && (*slot)[0] != 0) ++slot;
    if (slot >= end) return false;
    *slot = key;
    return true;
}

template <int W>
inline bool StateTable<W>::Slots::add_shared(const State<W>& key, std::uint64_t hash) const {
    // Most states are known and in their first line: one look at it, without asking the other cores for it.
    State<W>* slot = home(hash);
    LineMatch match = match_line<W>(slot, key);
    if (match.same) return false;
    if constexpr (W == 1)
        slot = wrapped(slot + match.used);  // a wider one may be half written, so is looked at again
    std::uint64_t claim = W == 1 ? key[0] : key[0] | writing;
    for (;;) {
        std::atomic_ref<std::uint64_t> word((*slot)[0]);
        std::uint64_t seen = word.load(std::memory_order_acquire);
        if (seen == 0 && word.compare_exchange_strong(seen, claim, std::memory_order_acq_rel)) {
            for (std::size_t i = 1; i < W; ++i) (*slot)[i] = key[i];
            if (W > 1) word.store(key[0], std::memory_order_release);
            return true;
        }
        while (seen == (key[0] | writing)) seen = word.load(std::memory_order_acquire);
        if (seen == key[0] && same_rest<W>(*slot, key)) return false;
        slot = wrapped(slot + 1);
    }
}

template <int W>
void StateTable<W>::insert(Batch<W>& batch, unsigned thread) {
    State<W>* states = batch.states();
    std::uint64_t* hashes = batch.hashes();
    std::uint8_t* fresh = batch.fresh();
    std::size_t n = batch.size();
    const Slots slots = slots_;
    const bool shared = counts_.size() > 1;
    // Asking for a line to write it would take it from the other cores, though most states are known already.
    for (std::size_t i = 0; i < n; ++i) {
        hashes[i] = hash_state<W>(states[i]);
        if (shared)
            __builtin_prefetch(slots.home(hashes[i]), 0);
        else
            __builtin_prefetch(slots.home(hashes[i]), 1);
    }
    std::uint64_t added = 0;
    if (shared) {
        for (std::size_t i = 0; i < n; ++i)
            added += fresh[i] = slots.add_shared(as_stored<W>(states[i]), hashes[i]);
    } else {
        for (std::size_t i = 0; i < n; ++i) added += fresh[i] = slots.add(as_stored<W>(states[i]), hashes[i]);
    }
    auto& count = counts_[thread].added;
    count.store(count.load(std::memory_order_relaxed) + added, std::memory_order_relaxed);
}

template <int W>
std::size_t StateTable<W>::find(const State<W>& state) const {
    const State<W>* slot = slots_.place(as_stored<W>(state), hash_state<W>(state));
    return (*slot)[0] == 0 ? Table<W>::nowhere : static_cast<std::size_t>(slot - slots_.first);
}

template <int W>
State<W> StateTable<W>::at(std::size_t position) const {
    State<W> state = slots_.first[position];
    TREATY_CHECK(state[0] != 0);
    state[0] &= ~table_bits;
    return state;
}

#define TREATY_WIDTH(W) template class StateTable<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
