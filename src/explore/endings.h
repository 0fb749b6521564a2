// What can still happen from each configuration of a searched space: which machines move, which messages are
// received, which groups end. From it: stuck roles and orphans of groups that go on for ever.
//
// One depth-first pass over a finished search, with the strongly connected components in the order in which
// they are completed, so the future of a component is its own steps and the futures of those it leads to.
// Cost: four bytes a table position, a few words a component, the depth-first stack, and as many successors
// as the search had. Also finds the components without a way out in which the space never takes a step that
// is possible: a reduced space ignores it there, and expanding one of their states in full makes up for it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explore/memory.h"
#include "explore/search_limits.h"
#include "explore/system_space.h"
#include "explore/table.h"

namespace treaty::explore {

namespace flag {
inline constexpr std::uint32_t stuck = 32;
inline constexpr std::uint32_t endless_orphan = 64;
}  // namespace flag

// Numbers of the things that can happen: a bit each, in words.
class FutureBits {
public:
    explicit FutureBits(const SystemProgram& program);

    std::size_t words() const { return words_; }
    // Sets what a move does, and where a group has ended.
    void add_move(std::uint64_t* mask, MoveEdges taken) const;
    void add_end(std::uint64_t* mask, std::size_t group) const { set(mask, first_group_ + group); }
    std::size_t group_of(MoveEdges taken) const {
        return machine_groups_[program_.edges[taken.edge].machine];
    }
    bool moves(const std::uint64_t* mask, std::size_t machine) const { return has(mask, machine); }
    // flag::stuck and flag::endless_orphan, of a configuration with this future.
    std::uint32_t judge(const std::uint64_t* state, const std::uint64_t* mask) const;
    // Can any configuration with this future be judged badly?
    bool suspicious(const std::uint64_t* mask) const;
    bool is_stuck(const std::uint64_t* state, const std::uint64_t* mask, std::size_t machine) const;
    bool is_orphaned(const std::uint64_t* state, const std::uint64_t* mask, std::size_t channel) const;
    // The message that is_orphaned() is about: the oldest of a queue, in a bag the first that is never
    // received.
    Parcel orphan(const std::uint64_t* state, const std::uint64_t* mask, std::size_t channel) const;

private:
    static void set(std::uint64_t* mask, std::size_t bit) {
        mask[bit / 64] |= std::uint64_t(1) << (bit % 64);
    }
    static bool has(const std::uint64_t* mask, std::size_t bit) { return mask[bit / 64] >> (bit % 64) & 1; }

    const SystemProgram& program_;
    std::vector<std::size_t> machine_groups_;
    std::vector<std::size_t> channel_groups_;
    std::vector<std::size_t> channel_bits_;  // its first bit; bags have one for each symbol
    std::size_t first_group_ = 0;
    std::size_t words_ = 0;
};

template <int W>
class Endings {
public:
    // space: what was searched into the table, completely; `system` is the whole of it (the same, or what the
    // space is a reduction of).
    Endings(const StepSpace<W>& space, const SystemSpace<W>& system, const Table<W>& table, Budget& budget);

    // none: done. Else the limit that ended it; nothing below is valid then.
    base::StopReason run(const Limits& limits);

    // All flags that judge() gives to any state.
    std::uint32_t flags() const { return flags_; }
    // For each of them: the successors to take from the initial state to one that has it.
    const std::vector<std::uint32_t>& path_to_stuck() const { return stuck_path_; }
    const std::vector<std::uint32_t>& path_to_orphan() const { return orphan_path_; }
    // One state of each component where a possible step is never taken.
    const std::vector<State<W>>& ignoring() const { return ignoring_; }

    const FutureBits& bits() const { return bits_; }
    const std::uint64_t* future(const State<W>& state) const;  // of a state in the table
    std::uint32_t judge(const State<W>& state) const { return bits_.judge(state.data(), future(state)); }

private:
    struct Frame {
        std::size_t position;
        std::size_t first;  // its successors in successors_
        std::size_t next;   // the one that is being looked at
        bool root;
        bool exits;  // leads to another component
    };

    bool push(std::size_t position);
    void look_at_successor(Frame& frame);
    void pop();
    void complete(const Frame& frame);
    void inspect(std::size_t position, const std::uint64_t* mask, bool bottom, bool& ignored);
    std::vector<std::uint32_t> path() const;
    std::uint64_t* mask_of_frame(std::size_t frame) { return frame_masks_.data() + frame * bits_.words(); }
    const std::uint64_t* mask_of_component(std::uint32_t index) const {
        return component_masks_.data() + std::size_t(last_index - index) * bits_.words();
    }

    // Components are numbered downwards from here, so they are above the indices of states on the stack.
    static constexpr std::uint32_t last_index = UINT32_MAX - 1;

    const StepSpace<W>& space_;
    const SystemSpace<W>& system_;
    const Table<W>& table_;
    Budget& budget_;
    FutureBits bits_;
    Batch<W> batch_;
    Pages pages_;
    std::uint32_t* index_ = nullptr;  // by position; 0: not seen
    std::uint32_t next_index_ = 1;
    std::uint32_t component_ = last_index;
    std::vector<Frame> frames_;
    std::vector<std::uint64_t> frame_masks_;
    std::vector<std::uint64_t> component_masks_;
    std::vector<std::size_t> successors_;
    std::vector<std::size_t> waiting_;  // states whose component is not complete
    std::uint32_t flags_ = 0;
    std::vector<std::uint32_t> stuck_path_, orphan_path_;
    std::vector<State<W>> ignoring_;
};

#define TREATY_WIDTH(W) extern template class Endings<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
