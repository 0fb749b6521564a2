// A system compiled for searching: for each machine, state and channel content, the bits that each step
// flips.
//
// The steps of a machine in one state are split into ports: one for each field of the packed state that
// decides which of them are possible (a channel's content; in sync mode the partner's state; nothing, for
// silent steps). A port's table gives, for each value of that field, a range of moves; taking a move is an
// exclusive or of one or two words. Ports whose table would be too large, or whose channel is not coded, keep
// their edges and try them one by one. Everything is computed once; nothing here depends on the width of a
// state.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/system_layout.h"

namespace treaty::explore {

// What a packed configuration shows by itself. The names are those of safety.h; `overflow` means that a
// message could be sent but its channel's guessed capacity is used up.
namespace flag {
inline constexpr std::uint32_t deadlock = 1;
inline constexpr std::uint32_t orphan = 2;
inline constexpr std::uint32_t unspecified = 4;
inline constexpr std::uint32_t overflow = 8;
inline constexpr std::uint32_t restless = 16;  // inside this module: a machine does not rest
}  // namespace flag

inline constexpr std::uint32_t no_edge = UINT32_MAX;

// One edge of one machine.
struct ProgramEdge {
    Step step;
    std::uint32_t machine = 0;  // in the layout's list, not in the system
    model::EventKind kind = model::EventKind::silent;
    const ChannelLayout* channel = nullptr;    // null if silent or sync
    std::uint32_t symbol = ChannelCode::none;  // of the message in its channel
    std::uint32_t peer = no_edge;              // the other machine, in the layout's list
    model::LabelId answer;                     // of a send: the receive of its message
};

struct Move {
    std::uint64_t flip_a = 0, flip_b = 0;
    std::uint32_t word_a = 0, word_b = 0;
};
// Which edge a move takes, and which one of its partner in sync mode.
struct MoveEdges {
    std::uint32_t edge = no_edge;
    std::uint32_t partner = no_edge;
};

struct MoveRange {
    std::uint32_t first = 0;
    std::uint16_t count = 0;
    std::uint16_t flags = 0;
};

struct Port {
    Field field;
    std::uint32_t ranges = no_edge;  // of the field's value 0; none: try the edges
    std::uint32_t first_edge = 0;    // in edge_lists
    std::uint32_t edge_count = 0;
};

struct LocalState {
    std::uint32_t first_port = 0;
    std::uint32_t port_count = 0;
    bool rests = false;
    bool only_receives = false;  // and does not rest
};

struct ProgramMachine {
    Field field;
    std::uint32_t locals = 0;  // of its state 0
    std::uint32_t states = 0;
    std::uint32_t max_moves = 0;  // at one time
};

// Machines first to first + count - 1 are a group.
struct ProgramGroup {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::vector<std::uint64_t> channel_bits;  // a word each: where its channels lie
};

class SystemProgram {
public:
    // bounded: the layout's capacity is the real one of that channel (by position in Semantics::channels()),
    // so a message that does not fit is not sent; else it is an overflow.
    SystemProgram(const SystemLayout& layout, std::vector<bool> bounded);

    const SystemLayout& layout() const { return layout_; }
    std::size_t max_successors() const;
    // Takes an edge without a partner on the words of a state; false if it is not possible there.
    bool take(std::uint64_t* state, const ProgramEdge& edge) const;
    // Takes a send and a receive together.
    void take_both(std::uint64_t* state, const ProgramEdge& edge, const ProgramEdge& partner) const;
    // f(e) for each edge e with which the peer, in this state, answers the send.
    template <class F>
    void for_each_partner(const ProgramEdge& send, std::uint32_t peer_state, F&& f) const {
        std::uint32_t local = machines[send.peer].locals + peer_state;
        for (std::uint32_t e = edge_starts[local]; e < edge_starts[local + 1]; ++e)
            if (send.answer && edges[e].step.label == send.answer) f(e);
    }
    // The events of a move.
    Run events(MoveEdges taken) const {
        Run run{edges[taken.edge].step};
        if (taken.partner != no_edge) run.push_back(edges[taken.partner].step);
        return run;
    }
    // A send that only the guess prevents.
    bool overflows(const std::uint64_t* state, const ProgramEdge& edge) const;
    // Receives the head of a queue that holds something else than the edge wants.
    bool blocked(const std::uint64_t* state, const ProgramEdge& edge) const;

    std::vector<ProgramMachine> machines;  // group by group
    std::vector<ProgramGroup> groups;
    std::vector<LocalState> locals;
    std::vector<Port> ports;
    std::vector<MoveRange> ranges;
    std::vector<Move> moves;  // with two unused ones at the end, so that reading ahead is safe
    std::vector<MoveEdges> move_edges;
    std::vector<ProgramEdge> edges;
    std::vector<std::uint32_t> edge_starts;  // parallel to locals: its first edge; one more at the end
    std::vector<std::uint32_t> edge_lists;

private:
    void add_edges();
    void add_local(std::uint32_t machine, model::StateId s, std::uint32_t local);
    std::uint32_t add_port(std::uint32_t local, const Field& field, const std::vector<std::uint32_t>& list);
    MoveRange make_range(std::uint32_t local, const Field& field, std::uint64_t value,
                         const std::vector<std::uint32_t>& list);
    void add_move(const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after,
                  MoveEdges taken);

    const SystemLayout& layout_;
    std::vector<bool> bounded_;
    bool sync_;
};

}  // namespace treaty::explore
