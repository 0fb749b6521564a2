#include "explore/tree_table.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace treaty::explore {
namespace {

constexpr std::uint64_t first_slots = 256;  // a part
constexpr std::uint32_t left_part(std::uint32_t count) {
    return (count + 1) / 2;
}
std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) {
    return std::uint64_t(a) << 32 | b;
}
std::uint64_t ones(std::uint32_t count) {
    return count >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << count) - 1;
}

}  // namespace

template <int W>
TreeTable<W>::TreeTable(Budget& budget, const std::array<std::uint32_t, W>& bits)
    : budget_(budget), bits_(bits), left_(budget), right_(budget), inner_(budget), scrambler_(8) {
    for (std::uint32_t b : bits) total_bits_ += b;
    direct_ = total_bits_ <= most_direct;
    if (direct_) key_bits_ = std::max(8u, total_bits_);
    scrambler_ = Scrambler(key_bits_);
}

template <int W>
std::unique_ptr<TreeTable<W>> TreeTable<W>::make(Budget& budget, const std::array<std::uint32_t, W>& bits) {
    std::unique_ptr<TreeTable> table(new TreeTable(budget, bits));
    if (!table->make_parts(table->parts_, first_slots)) return nullptr;
    return table;
}

template <int W>
bool TreeTable<W>::make_parts(std::vector<KeySet>& parts, std::uint64_t slots) const {
    for (std::size_t i = 0; i < part_count; ++i) {
        parts.emplace_back(budget_);
        if (!parts.back().resize(key_bits_ - part_bits, slots)) return false;
    }
    return true;
}

// Up to 64 bits of the state's string, whichever words they lie in.
template <int W>
std::uint64_t TreeTable<W>::read(const State<W>& state, std::uint32_t first, std::uint32_t count) const {
    std::uint64_t value = 0;
    std::uint32_t start = 0, have = 0;
    for (std::size_t w = 0; w < W && have < count; start += bits_[w++]) {
        if (first >= start + bits_[w] || bits_[w] == 0) continue;
        std::uint32_t from = first + have - start, here = std::min(bits_[w] - from, count - have);
        value |= (state[w] >> from & ones(here)) << have;
        have += here;
    }
    return value;
}

template <int W>
void TreeTable<W>::write(State<W>& state, std::uint32_t first, std::uint32_t count,
                         std::uint64_t value) const {
    std::uint32_t start = 0, done = 0;
    for (std::size_t w = 0; w < W && done < count; start += bits_[w++]) {
        if (first >= start + bits_[w] || bits_[w] == 0) continue;
        std::uint32_t from = first + done - start, here = std::min(bits_[w] - from, count - done);
        state[w] |= (value >> done & ones(here)) << from;
        done += here;
    }
}

template <int W>
template <class Number>
std::uint64_t TreeTable<W>::fold(const State<W>& state, Number&& number) const {
    if (direct_) return read(state, 0, total_bits_);
    // What represents a subtree: its bits, or the pair of its children's numbers.
    auto value = [&](auto& self, std::uint32_t first, std::uint32_t count) -> std::uint64_t {
        if (count <= 64) return read(state, first, count);
        std::uint32_t left = left_part(count);
        std::uint32_t a = number(2, self(self, first, left));
        return pair_of(a, number(2, self(self, first + left, count - left)));
    };
    std::uint32_t left = left_part(total_bits_);
    std::uint32_t a = number(0, value(value, 0, left));
    return pair_of(a, number(1, value(value, left, total_bits_ - left)));
}

template <int W>
void TreeTable<W>::unfold(State<W>& state, std::uint64_t value, std::uint32_t first,
                          std::uint32_t count) const {
    if (count <= 64) return write(state, first, count, value);
    std::uint32_t left = left_part(count);
    unfold(state, inner_.word(static_cast<std::uint32_t>(value >> 32)), first, left);
    unfold(state, inner_.word(static_cast<std::uint32_t>(value)), first + left, count - left);
}

template <int W>
std::uint64_t TreeTable<W>::key_of(std::uint64_t root) const {
    return scrambler_.scramble(direct_ ? root : (root >> 32) << right_bits_ | (root & 0xffffffffu));
}

template <int W>
std::uint64_t TreeTable<W>::root_at(std::size_t part, std::size_t position) const {
    std::uint64_t key = std::uint64_t(part) << (key_bits_ - part_bits) | parts_[part].at(position);
    key = scrambler_.unscramble(key);
    return direct_ ? key : (key >> right_bits_) << 32 | (key & ones(right_bits_));
}

template <int W>
bool TreeTable<W>::needs_growth(std::size_t successors) const {
    if (failed_) return true;
    std::uint64_t count = successors, slots = 0;
    for (const KeySet& part : parts_) {
        count += part.count();
        slots += part.slots();
    }
    return count * 100 > slots * 88;
}

template <int W>
bool TreeTable<W>::end_growth() {
    for (KeySet& part : parts_)
        if (failed_ || !part.resize(key_bits_ - part_bits, part.slots() + part.slots() / 4)) return false;
    return true;
}

// Keys as wide as the numbers now need, and some more at once. All keys change places.
template <int W>
bool TreeTable<W>::widen() {
    auto bits_for = [](const WordDictionary& d) { return static_cast<unsigned>(std::bit_width(d.size())); };
    std::uint64_t slots = 0;
    for (const KeySet& part : parts_) slots = std::max(slots, part.slots());
    unsigned left = bits_for(left_) > left_bits_ ? std::min(32u, bits_for(left_) + 1) : left_bits_;
    unsigned right = bits_for(right_) > right_bits_ ? std::min(32u, bits_for(right_) + 1) : right_bits_;
    TreeTable<W> wider(budget_, bits_);
    wider.left_bits_ = left;
    wider.right_bits_ = right;
    wider.key_bits_ = left + right;
    wider.scrambler_ = Scrambler(left + right);
    if (!wider.make_parts(wider.parts_, slots)) return false;
    for (std::size_t p = 0; p < part_count; ++p)
        for (std::size_t i = 0; i < parts_[p].slots(); ++i) {
            if (parts_[p].taken(i)) wider.add(root_at(p, i));
            if (wider.failed_) return false;
        }
    left_bits_ = left;
    right_bits_ = right;
    key_bits_ = wider.key_bits_;
    scrambler_ = wider.scrambler_;
    parts_ = std::move(wider.parts_);
    return true;
}

template <int W>
bool TreeTable<W>::add(std::uint64_t root) {
    std::uint64_t key = key_of(root);
    KeySet& part = part_of(key);
    KeySet::Added added = part.add(rest_of(key));
    while (added == KeySet::Added::full && !failed_) {
        failed_ = !part.resize(key_bits_ - part_bits, part.slots() + part.slots() / 4);
        if (!failed_) added = part.add(rest_of(key));
    }
    return added == KeySet::Added::yes;
}

template <int W>
void TreeTable<W>::insert(Batch<W>& batch, unsigned) {
    State<W>* states = batch.states();
    std::uint64_t* roots = batch.hashes();
    std::size_t n = batch.size();
    WordDictionary* dictionaries[] = {&left_, &right_, &inner_};
    auto intern = [&](int which, std::uint64_t word) {
        std::uint32_t number = dictionaries[which]->intern(word);
        failed_ |= number == WordDictionary::none;
        return number;
    };
    auto fits = [&] { return left_.size() <= ones(left_bits_) && right_.size() <= ones(right_bits_); };
    for (std::size_t i = 0; i < n && !failed_; ++i) {
        roots[i] = fold(states[i], intern);
        if (!direct_ && !fits()) continue;  // the key is not known yet
        std::uint64_t key = key_of(roots[i]);
        part_of(key).prefetch(rest_of(key));
    }
    if (!failed_ && !direct_ && !fits() && !widen()) failed_ = true;
    for (std::size_t i = 0; i < n; ++i) batch.fresh()[i] = !failed_ && add(roots[i]);
}

template <int W>
std::size_t TreeTable<W>::find(const State<W>& state) const {
    const WordDictionary* dictionaries[] = {&left_, &right_, &inner_};
    bool known = true;
    auto number = [&](int which, std::uint64_t word) {
        std::uint32_t found = known ? dictionaries[which]->find(word) : WordDictionary::none;
        known = known && found != WordDictionary::none;
        return found;
    };
    std::uint64_t root = fold(state, number);
    if (!known) return Table<W>::nowhere;
    std::uint64_t key = key_of(root);
    std::size_t position = part_of(key).find(rest_of(key)), base = 0;
    if (position == KeySet::nowhere) return Table<W>::nowhere;
    for (const KeySet* part = parts_.data(); part != &part_of(key); ++part) base += part->slots();
    return base + position;
}

template <int W>
State<W> TreeTable<W>::at(std::size_t position) const {
    std::size_t part = 0;
    for (; position >= parts_[part].slots(); ++part) position -= parts_[part].slots();
    std::uint64_t root = root_at(part, position);
    State<W> state{};
    if (direct_) {
        write(state, 0, total_bits_, root);
    } else {
        std::uint32_t left = left_part(total_bits_);
        unfold(state, left_.word(static_cast<std::uint32_t>(root >> 32)), 0, left);
        unfold(state, right_.word(static_cast<std::uint32_t>(root)), left, total_bits_ - left);
    }
    return state;
}

template <int W>
std::size_t TreeTable<W>::positions() const {
    std::size_t all = 0;
    for (const KeySet& part : parts_) all += part.slots();
    return all;
}

#define TREATY_WIDTH(W) template class TreeTable<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
