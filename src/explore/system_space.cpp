// The fast path is branch-free for a machine state with one port: its successors are written two at a time
// whether they are wanted or not, and the end of the output moves by as many as there are.

#include "explore/system_space.h"

namespace treaty::explore {

template <int W>
SystemSpace<W>::SystemSpace(const SystemProgram& program)
    : program_(program), max_successors_(program.max_successors()) {
    for (const LocalState& local : program.locals) {
        const Port& port = program.ports[local.first_port];
        bool slow = local.port_count != 1 || port.ranges == no_edge;
        quick_.push_back({port.field.word, static_cast<std::uint16_t>(port.field.shift),
                          static_cast<std::uint16_t>(slow), static_cast<std::uint32_t>(port.field.mask),
                          slow ? 0 : port.ranges});
    }
    if constexpr (W <= 2)
        for (const Move& move : program.moves) {
            Flip flip{};
            flip.words[move.word_a] ^= move.flip_a;
            flip.words[move.word_b] ^= move.flip_b;
            flips_.push_back(flip);
        }
}

template <int W>
std::uint32_t SystemSpace<W>::ended(const State<W>& state, const ProgramGroup& group,
                                    std::uint32_t machine_flags) const {
    if (machine_flags & flag::restless) return flag::deadlock;
    std::uint64_t waiting = 0;
    for (std::size_t w = 0; w < group.channel_bits.size(); ++w) waiting |= state[w] & group.channel_bits[w];
    return waiting ? flag::orphan : 0;
}

template <int W>
inline std::size_t SystemSpace<W>::expand_one(const State<W>& state, State<W>* out,
                                              std::uint32_t& flags) const {
    State<W>* const begin = out;
    const Quick* const quick = quick_.data();
    const MoveRange* const ranges = program_.ranges.data();
    const ProgramMachine* const machines = program_.machines.data();
    std::uint32_t all_flags = 0;
    for (const ProgramGroup& group : program_.groups) {
        State<W>* const group_begin = out;
        std::uint32_t group_flags = 0;
        for (std::uint32_t m = group.first; m < group.first + group.count; ++m) {
            const ProgramMachine& machine = machines[m];
            const Quick& q = quick[machine.locals + read_field(state.data(), machine.field)];
            if (q.slow) [[unlikely]] {
                group_flags |=
                    for_each_move(state, m, [&](const State<W>& next, MoveEdges) { *out++ = next; });
                continue;
            }
            MoveRange range = ranges[q.ranges + ((state[q.word] >> q.shift) & q.mask)];
            group_flags |= range.flags;
            out[0] = moved(state, range.first);
            out[1] = moved(state, range.first + 1);
            for (std::uint32_t i = 2; i < range.count; ++i) out[i] = moved(state, range.first + i);
            out += range.count;
        }
        // A machine that could send if the guessed capacity were larger has not ended.
        if (out == group_begin && !(group_flags & flag::overflow))
            group_flags |= ended(state, group, group_flags);
        all_flags |= group_flags;
    }
    flags = all_flags & ~flag::restless;
    return static_cast<std::size_t>(out - begin);
}

template <int W>
std::size_t SystemSpace<W>::expand(std::span<const State<W>> states, Batch<W>& batch) const {
    std::size_t done = 0;
    while (done < states.size() && !batch.full()) {
        std::uint32_t flags = 0;
        std::size_t successors = expand_one(states[done], batch.room(), flags);
        batch.add(successors, flags);
        ++done;
    }
    return done;
}

template <int W>
std::vector<MoveEdges> SystemSpace<W>::moves(const State<W>& state) const {
    std::vector<MoveEdges> all;
    for (std::uint32_t m = 0; m < program_.machines.size(); ++m)
        for_each_move(state, m, [&](const State<W>&, MoveEdges taken) { all.push_back(taken); });
    return all;
}

#define TREATY_WIDTH(W) template class SystemSpace<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
