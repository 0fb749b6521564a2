// A table of packed states that stores repeated parts once: losslessly, in a few bytes per state.
//
// A state is seen as one string of the bits it uses. If they are few (48), the string itself is the key that
// is stored. Else it is cut in halves, each is numbered (halves longer than a word are cut again, and pairs
// of numbers are numbered), and the two numbers are the key. Systems are made of parts that take few values
// each, so numbers are small; when one needs more bits than before, all keys are made wider. Keys lie in
// sixteen KeySets, which grow one after the other. For one thread. Cost: two to five bytes per state; slower
// than StateTable by the look-ups on the way.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "explore/key_set.h"
#include "explore/memory.h"
#include "explore/table.h"
#include "explore/word_dictionary.h"

namespace treaty::explore {

template <int W>
class TreeTable final : public Table<W> {
public:
    // bits: as Space::bits() says. Null if the budget does not allow it.
    static std::unique_ptr<TreeTable> make(Budget& budget, const std::array<std::uint32_t, W>& bits);

    bool concurrent() const override { return false; }
    bool needs_growth(std::size_t successors) const override;
    void begin_growth() override {}
    void grow() override {}
    bool end_growth() override;
    void insert(Batch<W>& batch, unsigned thread) override;
    std::size_t find(const State<W>& state) const override;
    State<W> at(std::size_t position) const override;
    std::size_t positions() const override;

private:
    static constexpr std::size_t part_count = 16;
    static constexpr unsigned part_bits = 4;
    static constexpr std::uint32_t most_direct = 48;

    TreeTable(Budget& budget, const std::array<std::uint32_t, W>& bits);

    std::uint64_t read(const State<W>& state, std::uint32_t first, std::uint32_t count) const;
    void write(State<W>& state, std::uint32_t first, std::uint32_t count, std::uint64_t value) const;
    // The root's two numbers, in one word; number(dictionary, word) gives them.
    template <class Number>
    std::uint64_t fold(const State<W>& state, Number&& number) const;
    void unfold(State<W>& state, std::uint64_t value, std::uint32_t first, std::uint32_t count) const;

    std::uint64_t key_of(std::uint64_t root) const;
    KeySet& part_of(std::uint64_t key) { return parts_[key >> (key_bits_ - part_bits)]; }
    const KeySet& part_of(std::uint64_t key) const { return parts_[key >> (key_bits_ - part_bits)]; }
    std::uint64_t rest_of(std::uint64_t key) const {
        return key & ((std::uint64_t(1) << (key_bits_ - part_bits)) - 1);
    }
    std::uint64_t root_at(std::size_t part, std::size_t position) const;
    bool widen();
    bool make_parts(std::vector<KeySet>& parts, std::uint64_t slots) const;
    bool add(std::uint64_t root);

    Budget& budget_;
    std::array<std::uint32_t, W> bits_;
    std::uint32_t total_bits_ = 0;
    bool direct_ = false;
    WordDictionary left_, right_;  // the root's children
    WordDictionary inner_;         // all other nodes, and the words of trees that have them
    unsigned left_bits_ = 4;
    unsigned right_bits_ = 4;
    unsigned key_bits_ = 8;
    Scrambler scrambler_;
    std::vector<KeySet> parts_;
    bool failed_ = false;  // out of memory
};

#define TREATY_WIDTH(W) extern template class TreeTable<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
