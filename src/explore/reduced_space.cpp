#include "explore/reduced_space.h"

#include <algorithm>

namespace treaty::explore {

using model::EventKind;

Reach::Reach(const SystemProgram& program) : program_(program) {
    bool sync = program.layout().channels().empty();
    std::size_t bits = sync ? program.layout().semantics().system().alphabet().label_count()
                            : program.layout().channels().size();
    words_ = (bits + 63) / 64;
    sends_.assign(program.locals.size() * words_, 0);
    reads_.assign(program.locals.size() * words_, 0);
    auto set = [&](std::vector<std::uint64_t>& table, std::uint32_t local, std::size_t bit) {
        table[local * words_ + bit / 64] |= std::uint64_t(1) << (bit % 64);
    };
    for (std::uint32_t local = 0; local < program.locals.size(); ++local)
        for (std::uint32_t e = program.edge_starts[local]; e < program.edge_starts[local + 1]; ++e) {
            const ProgramEdge& edge = program.edges[e];
            if (edge.kind == EventKind::send) set(sends_, local, channel(edge));
            if (edge.kind == EventKind::receive) set(reads_, local, channel(edge));
        }
    // Backwards along the edges until nothing changes; last states first, as most edges lead onwards.
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t local = static_cast<std::uint32_t>(program.locals.size()); local-- > 0;)
            for (std::uint32_t e = program.edge_starts[local]; e < program.edge_starts[local + 1]; ++e) {
                const ProgramEdge& edge = program.edges[e];
                std::uint32_t target = program.machines[edge.machine].locals + edge.step.target.index;
                for (auto* table : {&sends_, &reads_})
                    for (std::size_t w = 0; w < words_; ++w) {
                        std::uint64_t& mine = (*table)[local * words_ + w];
                        std::uint64_t all = mine | (*table)[target * words_ + w];
                        changed |= all != mine;
                        mine = all;
                    }
            }
    }
}

std::size_t Reach::channel(const ProgramEdge& edge) const {
    return edge.channel ? static_cast<std::size_t>(edge.channel - program_.layout().channels().data())
                        : edge.step.label.index;
}

bool Reach::may_answer(std::uint32_t local, const ProgramEdge& edge) const {
    const model::Alphabet& alphabet = program_.layout().semantics().system().alphabet();
    model::Event other = alphabet.event(edge.step.label);
    bool send = other.kind == EventKind::send;
    other.kind = send ? EventKind::receive : EventKind::send;
    auto label = alphabet.find_label(other);
    return label && has(send ? reads_ : sends_, local, label->index);
}

template <int W>
struct ReducedSpace<W>::Scratch {
    std::vector<State<W>> states;  // all successors
    std::vector<MoveEdges> taken;
    std::vector<std::uint32_t> firsts;  // of each machine, and the end
    std::vector<std::vector<std::uint32_t>> needs;
    std::vector<std::uint32_t> chosen, current;
    std::vector<std::uint8_t> in_current;
    std::uint32_t flags = 0;
};

template <int W>
ReducedSpace<W>::ReducedSpace(const SystemSpace<W>& system) : system_(system), reach_(system.program()) {}

// The machines that must be in the set if this one is.
template <int W>
void ReducedSpace<W>::add_needs(const State<W>& state, std::uint32_t machine,
                                std::vector<std::uint32_t>& needs) const {
    const SystemProgram& program = system_.program();
    auto local_of = [&](std::uint32_t m) {
        return program.machines[m].locals +
               static_cast<std::uint32_t>(read_field(state.data(), program.machines[m].field));
    };
    std::uint32_t local = local_of(machine);
    for (std::uint32_t e = program.edge_starts[local]; e < program.edge_starts[local + 1]; ++e) {
        const ProgramEdge& edge = program.edges[e];
        if (edge.kind == EventKind::silent) continue;
        if (!edge.channel) {
            if (edge.peer != no_edge && reach_.may_answer(local_of(edge.peer), edge))
                needs.push_back(edge.peer);
            continue;
        }
        const ChannelLayout& channel = *edge.channel;
        bool mailbox = !program.layout().semantics().channels()[channel.channel].from;
        if (edge.kind == EventKind::send) {
            bool full = channel.length(state.data()) >= channel.capacity;
            if (full && edge.peer != no_edge && reach_.may_read(local_of(edge.peer), edge))
                needs.push_back(edge.peer);
            for (std::uint32_t m = 0; mailbox && m < program.machines.size(); ++m)
                if (m != machine && reach_.may_send(local_of(m), edge)) needs.push_back(m);
            continue;
        }
        // A receive. A queue with something else at its head changes by this machine's own steps only.
        if (edge.symbol == ChannelCode::none || edge.peer == no_edge) continue;
        bool missing = channel.bag ? !std::ranges::count(channel.content(state.data()), edge.symbol)
                                   : channel.length(state.data()) == 0;
        if (missing && reach_.may_send(local_of(edge.peer), edge)) needs.push_back(edge.peer);
    }
}

template <int W>
void ReducedSpace<W>::choose(const State<W>& state, Scratch& s) const {
    const SystemProgram& program = system_.program();
    auto machines = static_cast<std::uint32_t>(program.machines.size());
    s.states.clear();
    s.taken.clear();
    s.firsts.assign(1, 0);
    s.flags = 0;
    s.needs.resize(machines);
    for (const ProgramGroup& group : program.groups) {
        std::size_t before = s.states.size();
        std::uint32_t flags = 0;
        for (std::uint32_t m = group.first; m < group.first + group.count; ++m) {
            flags |= system_.for_each_move(state, m, [&](const State<W>& next, MoveEdges taken) {
                s.states.push_back(next);
                s.taken.push_back(taken);
            });
            s.firsts.push_back(static_cast<std::uint32_t>(s.states.size()));
            s.needs[m].clear();
            add_needs(state, m, s.needs[m]);
        }
        if (s.states.size() == before && !(flags & flag::overflow))
            flags |= system_.ended(state, group, flags);
        s.flags |= flags & ~flag::restless;
    }
    s.chosen.clear();
    for (std::uint32_t m = 0; m < machines; ++m) s.chosen.push_back(m);
    if (full_.contains(state)) return;
    std::size_t best = s.states.size();
    for (std::uint32_t seed = machines; seed-- > 0;) {
        // A sync step belongs to both machines; the sender lists it.
        if (s.firsts[seed] == s.firsts[seed + 1]) continue;
        s.current.assign(1, seed);
        s.in_current.assign(machines, 0);
        s.in_current[seed] = 1;
        std::size_t steps = 0;
        for (std::size_t i = 0; i < s.current.size() && steps < best; ++i) {
            steps += s.firsts[s.current[i] + 1] - s.firsts[s.current[i]];
            for (std::uint32_t m : s.needs[s.current[i]])
                if (!s.in_current[m]) {
                    s.in_current[m] = 1;
                    s.current.push_back(m);
                }
        }
        if (steps >= best) continue;
        best = steps;
        s.chosen = s.current;
    }
    std::sort(s.chosen.begin(), s.chosen.end());
}

template <int W>
std::size_t ReducedSpace<W>::expand(std::span<const State<W>> states, Batch<W>& batch) const {
    Scratch scratch;
    std::size_t done = 0;
    for (; done < states.size() && !batch.full(); ++done) {
        choose(states[done], scratch);
        State<W>* out = batch.room();
        std::size_t count = 0;
        for (std::uint32_t m : scratch.chosen)
            for (std::uint32_t i = scratch.firsts[m]; i < scratch.firsts[m + 1]; ++i)
                out[count++] = scratch.states[i];
        batch.add(count, scratch.flags);
    }
    return done;
}

template <int W>
std::vector<MoveEdges> ReducedSpace<W>::moves(const State<W>& state) const {
    Scratch scratch;
    choose(state, scratch);
    std::vector<MoveEdges> all;
    for (std::uint32_t m : scratch.chosen)
        for (std::uint32_t i = scratch.firsts[m]; i < scratch.firsts[m + 1]; ++i)
            all.push_back(scratch.taken[i]);
    return all;
}

#define TREATY_WIDTH(W) template class ReducedSpace<W>;
TREATY_FOR_EACH_WIDTH(TREATY_WIDTH)
#undef TREATY_WIDTH

}  // namespace treaty::explore
