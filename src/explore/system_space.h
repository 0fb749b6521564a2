// The transition system of a System (sync, fifo, bag or mailbox), for the search engine.
//
// States are the reachable configurations, packed (system_layout.h); successors are its steps, machine by
// machine in the layout's order. Exactly the steps of configuration.h, except that a message which does not
// fit a guessed capacity is not sent and the state is flagged flag::overflow: a search without that flag saw
// the system as it is. Flags are the properties that a configuration shows by itself (system_program.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explore/space.h"
#include "explore/system_program.h"

namespace treaty::explore {

// A space whose successors are steps of a system.
template <int W>
class StepSpace : public Space<W> {
public:
    // The edges of each successor, in the order of expand().
    virtual std::vector<MoveEdges> moves(const State<W>& state) const = 0;
};

template <int W>
class SystemSpace final : public StepSpace<W> {
public:
    explicit SystemSpace(const SystemProgram& program);

    State<W> initial() const override { return {}; }
    std::size_t max_successors() const override { return max_successors_; }
    std::array<std::uint32_t, W> bits() const override {
        std::array<std::uint32_t, W> used{};
        for (std::size_t w = 0; w < program_.layout().words(); ++w) used[w] = program_.layout().bits(w);
        return used;
    }
    std::size_t expand(std::span<const State<W>> states, Batch<W>& batch) const override;

    const SystemProgram& program() const { return program_; }
    // The moves of one machine: sink(next state, MoveEdges) for each, in the order of expand(). Returns its
    // flags: restless, unspecified, overflow.
    template <class Sink>
    std::uint32_t for_each_move(const State<W>& state, std::uint32_t machine, Sink&& sink) const;
    // The flags of a group that cannot step, whatever the capacities: deadlock, orphan or 0.
    std::uint32_t ended(const State<W>& state, const ProgramGroup& group, std::uint32_t machine_flags) const;
    std::vector<MoveEdges> moves(const State<W>& state) const override;

private:
    // A machine's state with a single port that has a table: all that the fast path needs.
    struct Quick {
        std::uint32_t word;
        std::uint16_t shift;
        std::uint16_t slow;  // 1: more than one port, or one without a table
        std::uint32_t mask;
        std::uint32_t ranges;
    };
    struct Flip {
        State<W <= 2 ? W : 1> words;
    };

    std::size_t expand_one(const State<W>& state, State<W>* out, std::uint32_t& flags) const;
    State<W> moved(const State<W>& state, std::uint32_t move) const;

    const SystemProgram& program_;
    std::size_t max_successors_;
    std::vector<Quick> quick_;  // parallel to the program's locals
    std::vector<Flip> flips_;   // parallel to its moves, if W <= 2
};

template <int W>
inline State<W> SystemSpace<W>::moved(const State<W>& state, std::uint32_t move) const {
    State<W> next = state;
    if constexpr (W <= 2) {
        for (std::size_t i = 0; i < W; ++i) next[i] ^= flips_[move].words[i];
    } else {
        const Move& m = program_.moves[move];
        next[m.word_a] ^= m.flip_a;
        next[m.word_b] ^= m.flip_b;
    }
    return next;
}

template <int W>
template <class Sink>
std::uint32_t SystemSpace<W>::for_each_move(const State<W>& state, std::uint32_t machine, Sink&& sink) const {
    const ProgramMachine& m = program_.machines[machine];
    const LocalState& local = program_.locals[m.locals + read_field(state.data(), m.field)];
    std::uint32_t flags = local.rests ? 0 : flag::restless;
    bool blocked = local.only_receives;
    for (std::uint32_t p = local.first_port; p < local.first_port + local.port_count; ++p) {
        const Port& port = program_.ports[p];
        if (port.ranges != no_edge) {
            const MoveRange& range = program_.ranges[port.ranges + read_field(state.data(), port.field)];
            for (std::uint32_t i = range.first; i < range.first + range.count; ++i)
                sink(moved(state, i), program_.move_edges[i]);
            flags |= range.flags & flag::overflow;
            blocked = blocked && (range.flags & flag::unspecified);
            continue;
        }
        for (std::uint32_t i = port.first_edge; i < port.first_edge + port.edge_count; ++i) {
            std::uint32_t e = program_.edge_lists[i];
            const ProgramEdge& edge = program_.edges[e];
            State<W> next = state;
            if (edge.channel || edge.kind == model::EventKind::silent) {
                if (program_.take(next.data(), edge)) sink(next, MoveEdges{e, no_edge});
                if (program_.overflows(state.data(), edge)) flags |= flag::overflow;
                blocked = blocked && program_.blocked(state.data(), edge);
                continue;
            }
            auto peer_state = static_cast<std::uint32_t>(read_field(state.data(), port.field));
            program_.for_each_partner(edge, peer_state, [&](std::uint32_t f) {
                next = state;
                program_.take_both(next.data(), edge, program_.edges[f]);
                sink(next, MoveEdges{e, f});
            });
            blocked = false;
        }
    }
    return blocked ? flags | flag::unspecified : flags;
}

#define TREATY_WIDTH(W) extern template class SystemSpace<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
