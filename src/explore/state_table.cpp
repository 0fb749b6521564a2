#include "explore/state_table.h"

#include <bit>

#include "base/check.h"

namespace treaty::explore {
namespace {

constexpr std::uint64_t taken = std::uint64_t(1) << 63;
constexpr std::uint64_t writing = std::uint64_t(1) << 62;
constexpr std::uint64_t first_size = 1024;             // slots a part
constexpr std::size_t large = std::size_t(4) << 20;    // bytes; below, growing doubles

// The part is the hash's highest four bits; the bucket in it is the next 32, scaled.
std::size_t part_of(std::uint64_t hash) { return hash >> 60; }
std::uint64_t home_of(std::uint64_t hash, std::uint64_t buckets) { return ((hash << 4) >> 32) * buckets >> 32; }

// A state as it lies in its slot.
template <int W>
State<W> as_stored(const State<W>& state) {
    State<W> stored = state;
    stored[0] |= taken;
    return stored;
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
    table->pages_ = Pages::allocate(budget, part_count * first_size * sizeof(State<W>));
    if (!table->pages_) return nullptr;
    for (std::size_t i = 0; i < part_count; ++i)
        table->parts_[i] = {table->pages_.template as<State<W>>() + i * first_size, first_size / bucket};
    table->set_bases();
    return table;
}

template <int W>
void StateTable<W>::set_bases() {
    for (std::size_t i = 0; i < part_count; ++i) bases_[i + 1] = bases_[i] + parts_[i].size();
}

template <int W>
std::uint64_t StateTable<W>::count(std::size_t part) const {
    std::uint64_t sum = 0;
    for (const Counts& c : counts_) sum += c.added[part].load(std::memory_order_relaxed);
    return sum;
}

template <int W>
bool StateTable<W>::needs_growth(std::size_t successors) const {
    // A part may get more than its share of a batch, so small parts keep room for a whole one.
    std::uint64_t coming = successors * counts_.size();
    for (std::size_t i = 0; i < part_count; ++i)
        if ((count(i) + coming) * 5 > parts_[i].size() * 4) return true;
    return false;
}

template <int W>
void StateTable<W>::begin_growth() {
    next_part_ = 0;
    refused_ = false;
    std::uint64_t buckets = parts_[0].buckets;
    bool small = buckets * bucket * part_count * sizeof(State<W>) < large;
    next_buckets_ = small ? buckets * 2 : buckets + buckets * 2 / 5;
    larger_ = Pages::reserve(budget_, next_buckets_ * bucket * part_count * sizeof(State<W>));
    if (!larger_) refused_ = true;
}

template <int W>
void StateTable<W>::grow() {
    for (std::size_t i; !refused_ && (i = next_part_.fetch_add(1)) < part_count;)
        if (!grow_part(i)) refused_ = true;
}

template <int W>
bool StateTable<W>::grow_part(std::size_t number) {
    Part& part = parts_[number];
    std::size_t bytes = next_buckets_ * bucket * sizeof(State<W>);
    if (!larger_.commit(bytes)) return false;
    Part next{larger_.template as<State<W>>() + number * next_buckets_ * bucket, next_buckets_};
    for (std::uint64_t i = 0; i < part.size(); ++i) {
        const State<W>& stored = part.slots[i];
        if (stored[0] == 0) continue;
        State<W> state = stored;
        state[0] &= ~table_bits;
        *place(next, stored, hash_state<W>(state)) = stored;
    }
    pages_.discard(number * part.size() * sizeof(State<W>), part.size() * sizeof(State<W>));
    part = next;
    return true;
}

template <int W>
bool StateTable<W>::end_growth() {
    // If the budget was spent on the way some parts are still where they were: the table can be read, not grown.
    if (refused_) return false;
    pages_ = std::move(larger_);
    set_bases();
    return true;
}

// Where the key is, or the free slot where it belongs.
template <int W>
inline State<W>* StateTable<W>::place(const Part& part, const State<W>& key, std::uint64_t hash) {
    std::uint64_t home = home_of(hash, part.buckets);
    for (;; home = home + 1 == part.buckets ? 0 : home + 1) {
        State<W>* line = part.slots + home * bucket;
        // All slots of the line at once: compilers make this a few vector instructions.
        std::uint32_t same = 0, used = 0;
        for (std::uint32_t i = 0; i < bucket; ++i) {
            bool equal = line[i][0] == key[0];
            if constexpr (W == 2) equal = equal & (line[i][1] == key[1]);
            if constexpr (W > 2) equal = equal && same_rest<W>(line[i], key);
            same |= static_cast<std::uint32_t>(equal) << i;
            used += line[i][0] != 0;
        }
        if (same) return line + std::countr_zero(same);
        if (used < bucket) return line + used;
    }
}

template <int W>
inline bool StateTable<W>::add(const Part& part, const State<W>& key, std::uint64_t hash) {
    State<W>* slot = place(part, key, hash);
    bool fresh = (*slot)[0] == 0;
    *slot = key;
    return fresh;
}

template <int W>
inline bool StateTable<W>::add_shared(const Part& part, const State<W>& key, std::uint64_t hash) {
    std::uint64_t at = home_of(hash, part.buckets) * bucket;
    std::uint64_t claim = W == 1 ? key[0] : key[0] | writing;
    for (;; at = at + 1 == part.size() ? 0 : at + 1) {
        State<W>& slot = part.slots[at];
        std::atomic_ref<std::uint64_t> word(slot[0]);
        std::uint64_t seen = word.load(std::memory_order_acquire);
        if (seen == 0 && word.compare_exchange_strong(seen, claim, std::memory_order_acq_rel)) {
            for (std::size_t i = 1; i < W; ++i) slot[i] = key[i];
            if (W > 1) word.store(key[0], std::memory_order_release);
            return true;
        }
        while (seen == (key[0] | writing)) seen = word.load(std::memory_order_acquire);
        if (seen == key[0] && same_rest<W>(slot, key)) return false;
    }
}

template <int W>
void StateTable<W>::insert(Batch<W>& batch, unsigned thread) {
    State<W>* states = batch.states();
    std::uint64_t* hashes = batch.hashes();
    std::uint8_t* fresh = batch.fresh();
    std::size_t n = batch.size();
    for (std::size_t i = 0; i < n; ++i) {
        hashes[i] = hash_state<W>(states[i]);
        const Part& part = parts_[part_of(hashes[i])];
        __builtin_prefetch(part.slots + home_of(hashes[i], part.buckets) * bucket, 1);
    }
    Counts& counts = counts_[thread];
    bool shared = counts_.size() > 1;
    for (std::size_t i = 0; i < n; ++i) {
        State<W> key = as_stored<W>(states[i]);
        const Part& part = parts_[part_of(hashes[i])];
        fresh[i] = shared ? add_shared(part, key, hashes[i]) : add(part, key, hashes[i]);
        auto& added = counts.added[part_of(hashes[i])];
        added.store(added.load(std::memory_order_relaxed) + fresh[i], std::memory_order_relaxed);
    }
}

template <int W>
std::size_t StateTable<W>::find(const State<W>& state) const {
    std::uint64_t hash = hash_state<W>(state);
    const Part& part = parts_[part_of(hash)];
    const State<W>* slot = place(part, as_stored<W>(state), hash);
    if ((*slot)[0] == 0) return Table<W>::nowhere;
    return bases_[part_of(hash)] + static_cast<std::size_t>(slot - part.slots);
}

template <int W>
State<W> StateTable<W>::at(std::size_t position) const {
    std::size_t part = position / parts_[0].size();
    State<W> state = parts_[part].slots[position - bases_[part]];
    TREATY_CHECK(state[0] != 0);
    state[0] &= ~table_bits;
    return state;
}

template class StateTable<1>;
template class StateTable<2>;
template class StateTable<3>;
template class StateTable<4>;
template class StateTable<8>;
template class StateTable<16>;
template class StateTable<64>;

}  // namespace treaty::explore
