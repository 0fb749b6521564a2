// Machines that run together over channels, as tests need it: a machine may act for several roles.
//
// The steps are those of explore/configuration.h (and a test compares the two), for machines that need not be
// local: a test made from the dual of a projection acts for every role but one. A configuration is one vector
// of numbers: the state of each machine, then for each channel its length and its messages, oldest first,
// sorted in a bag. Meant for the small products of tests, thousands of configurations; made for being asked
// often. Keeps references to the machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explore/configuration.h"
#include "model/machine.h"
#include "model/system.h"

namespace treaty::testgen {

using Position = std::vector<std::uint32_t>;

class Composition {
public:
    struct Move {
        std::uint32_t machine = 0;
        std::uint32_t edge = 0;                          // in out(state)
        std::uint32_t partner = none, partner_edge = 0;  // sync: who receives
    };
    static constexpr std::uint32_t none = UINT32_MAX;

    Composition(std::vector<const model::Machine*> machines, model::Channels channels);

    const std::vector<const model::Machine*>& machines() const { return machines_; }
    model::Channels channels() const { return channels_; }
    const std::vector<explore::Channel>& channel_list() const { return list_; }

    Position initial() const;
    // All moves that are possible, by machine and then by edge.
    void moves(const Position& at, std::vector<Move>& out) const;
    Position after(const Position& at, const Move& move) const;  // valid for moves of moves()
    // The events of a move: one, or the send and the receive of a sync step.
    explore::Run events(const Position& at, const Move& move) const;
    model::LabelId label(const Position& at, const Move& move) const;  // of its first event

    model::StateId state(const Position& at, std::size_t machine) const {
        return model::StateId(at[machine]);
    }
    bool rests(const Position& at, std::size_t machine) const;
    // By channel, whether it is empty. The messages of one, oldest first.
    bool empty(const Position& at, std::size_t channel) const;
    std::vector<explore::Parcel> contents(const Position& at, std::size_t channel) const;

private:
    struct CompiledEdge {
        model::EventKind kind;
        std::uint32_t channel = none;
        std::uint32_t symbol = none;  // of sender, receiver and message
        std::uint32_t target = 0;
    };
    struct CompiledMachine {
        std::vector<std::uint32_t> rows;
        std::vector<CompiledEdge> edges;
    };
    void compile();
    const CompiledEdge& edge(const Position& at, std::uint32_t machine, std::uint32_t i) const;
    std::size_t start_of(const Position& at, std::uint32_t channel) const;
    void sync_moves(const Position& at, std::uint32_t machine, std::uint32_t i, std::vector<Move>& out) const;
    bool possible(const Position& at, const CompiledEdge& edge) const;

    std::vector<const model::Machine*> machines_;
    model::Channels channels_;
    std::vector<CompiledMachine> compiled_;
    std::vector<explore::Channel> list_;
    std::vector<model::Event> symbols_;  // as sends
};

// By state: how many messages of the channel the machine can still receive, at most. For machines without
// cycles; of others, no more is counted than a way of as many edges as there are states.
std::vector<std::uint32_t> most_receives(const model::Machine& machine, const explore::Channel& channel);

}  // namespace treaty::testgen
