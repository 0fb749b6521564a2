// A system with fewer interleavings: in each configuration only the steps of some machines, chosen so that no
// deadlock and no other unsafe configuration is lost.
//
// The steps of a set P of machines are enough in a configuration if whatever the other machines do first, in
// any order, neither prevents nor changes nor allows a step of P (P is persistent; the steps of P are a
// stubborn set). P is closed under: a machine that waits for a message needs the machine that may send it;
// one that waits for room needs the reader; one that sends to a mailbox needs every other that may send to
// it, now or later; in sync mode, one that offers a message needs the partner that may take it. Among the
// sets of all machines that can step, the one with the fewest steps is taken.
//
// What holds of it: every run of the system is, up to the order of independent steps, a part of one of these,
// provided that no step is put off for ever. Steps that are put off around a loop are found after the search
// (endings.h) and repaired by expanding a state of the loop in full (expand_fully). Then deadlocks and
// everything that stays true once it is true are reached if and only if the system reaches them.
// Runs need not be the shortest ones. Flags are those of the whole system's steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "explore/system_space.h"

namespace treaty::explore {

// What each machine may still do from each of its states, ignoring all others; computed once.
class Reach {
public:
    explicit Reach(const SystemProgram& program);
    // Can the machine, from this state, come to send to (read from) the channel of the edge?
    bool may_send(std::uint32_t local, const ProgramEdge& edge) const {
        return has(sends_, local, channel(edge));
    }
    bool may_read(std::uint32_t local, const ProgramEdge& edge) const {
        return has(reads_, local, channel(edge));
    }
    // Sync: can it come to offer the other half of the edge?
    bool may_answer(std::uint32_t local, const ProgramEdge& edge) const;

private:
    std::size_t channel(const ProgramEdge& edge) const;
    bool has(const std::vector<std::uint64_t>& table, std::uint32_t local, std::size_t bit) const {
        return table[local * words_ + bit / 64] >> (bit % 64) & 1;
    }

    const SystemProgram& program_;
    std::size_t words_ = 1;
    std::vector<std::uint64_t> sends_;  // bits of channels, or in sync mode of labels
    std::vector<std::uint64_t> reads_;
};

template <int W>
class ReducedSpace final : public StepSpace<W> {
public:
    explicit ReducedSpace(const SystemSpace<W>& system);

    State<W> initial() const override { return system_.initial(); }
    std::size_t max_successors() const override { return system_.max_successors(); }
    std::array<std::uint32_t, W> bits() const override { return system_.bits(); }
    std::size_t expand(std::span<const State<W>> states, Batch<W>& batch) const override;

    // From now on all steps of this state count. Not during a search.
    void expand_fully(const State<W>& state) { full_.insert(state); }
    std::vector<MoveEdges> moves(const State<W>& state) const override;

private:
    struct Scratch;
    void choose(const State<W>& state, Scratch& scratch) const;
    void add_needs(const State<W>& state, std::uint32_t machine, std::vector<std::uint32_t>& needs) const;

    const SystemSpace<W>& system_;
    Reach reach_;
    absl::flat_hash_set<State<W>> full_;
};

#define TREATY_WIDTH(W) extern template class ReducedSpace<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
