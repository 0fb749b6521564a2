// What the search engine searches: anything with an initial state and successors, packed into 64-bit words.
//
// A state is W words. The two highest bits of word 0 belong to the tables and must be 0 in every state that a
// Space gives. A Space is asked for the successors of many states at a time and writes them into a Batch, so
// a virtual call is paid once for hundreds of successors and nothing is allocated. Successors of one state
// come in a fixed order, the same at every call: runs are remembered as positions in it. expand() may be
// called by several threads at once. The engine knows nothing else of what it searches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treaty::explore {

template <int W>
using State = std::array<std::uint64_t, W>;

inline constexpr std::uint64_t table_bits = std::uint64_t(3) << 62;

// The widths that the engine is compiled for, in words.
#define TREATY_FOR_EACH_WIDTH(X) X(1) X(2) X(3) X(4) X(8) X(32)
inline constexpr std::size_t max_width = 32;

// Calls f.template operator()<W>() with the least width that holds `words`; false if none does.
template <class F>
bool with_width(std::size_t words, F&& f) {
#define TREATY_WIDTH(W) \
    if (words <= (W)) return f.template operator()<W>(), true;
    TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH
    return false;
}

// Successors of some states, one after the other. A batch is reused, so its buffers grow only at first.
template <int W>
class Batch {
public:
    static constexpr std::size_t wanted = W <= 4 ? 256 : 64;  // successors; enough to hide memory's latency
    static constexpr std::size_t slack = 2;  // a Space may write this far beyond what it keeps

    explicit Batch(std::size_t max_successors)
        : max_successors_(max_successors),
          states_(wanted + max_successors + slack),
          hashes_(states_.size()),
          fresh_(states_.size()) {}

    void clear() {
        firsts_.assign(1, 0);
        flags_.clear();
    }
    // For the Space: where the successors of the next state go, and that there are so many of them.
    State<W>* room() { return states_.data() + firsts_.back(); }
    void add(std::size_t successors, std::uint32_t flags) {
        firsts_.push_back(firsts_.back() + static_cast<std::uint32_t>(successors));
        flags_.push_back(flags);
    }
    void set_last_flags(std::uint32_t flags) { flags_.back() = flags; }
    bool full() const { return firsts_.back() >= wanted || flags_.size() >= wanted; }
    std::size_t max_successors() const { return max_successors_; }

    // For the engine: successors first(i) to first(i + 1) - 1 are those of the i-th state.
    std::size_t parents() const { return flags_.size(); }
    std::size_t size() const { return firsts_.back(); }
    std::uint32_t first(std::size_t parent) const { return firsts_[parent]; }
    std::uint32_t flags(std::size_t parent) const { return flags_[parent]; }
    State<W>* states() { return states_.data(); }
    std::uint64_t* hashes() { return hashes_.data(); }
    std::uint8_t* fresh() { return fresh_.data(); }  // set by the table: 1 if it was not known before

private:
    std::size_t max_successors_;
    std::vector<State<W>> states_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint8_t> fresh_;
    std::vector<std::uint32_t> firsts_{0};
    std::vector<std::uint32_t> flags_;
};

template <int W>
class Space {
public:
    virtual ~Space() = default;
    virtual State<W> initial() const = 0;
    // No state has more.
    virtual std::size_t max_successors() const = 0;
    // How many low bits of each word states use; the others are always 0. Tables that compress need it.
    virtual std::array<std::uint32_t, W> bits() const {
        std::array<std::uint32_t, W> all;
        all.fill(64);
        all[0] = 62;
        return all;
    }
    // Expands states from the front until the batch is full or none is left; returns how many. Flags that are
    // not 0 are shown to the search's observer, with the state.
    virtual std::size_t expand(std::span<const State<W>> states, Batch<W>& batch) const = 0;
};

}  // namespace treaty::explore
