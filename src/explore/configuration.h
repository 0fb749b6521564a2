// The plain stepping of machines over channels: what the packed engine (system_program.h) must agree with.
//
// A configuration is one local state per machine and the contents of every channel. A step is
//   - silent: one machine takes a silent edge;
//   - send (fifo, bag, mailbox): one machine takes a send edge and its message enters the channel, which must
//     hold fewer messages than the bound;
//   - receive: one machine takes a receive edge and its message leaves the channel: it must be the oldest one
//     (fifo: of the pair's channel; mailbox: of the receiver's only queue), or any one (bag);
//   - sync: two different machines take a send edge and a receive edge of one message together.
// A message to a role without a machine enters its channel and stays; from such a role nothing comes. Guards
// and data of edges are not looked at.
//
// Whatever steps machines uses this (counterexamples, walks, the products of tests, derived machines), except
// searches of millions of configurations, which use the packed engine; a test compares the two in all modes.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/system.h"

namespace treaty::explore {

// One event of a run: which machine (its position in the system) does what, and where that leaves it.
// A step of a sync system is two events, the send and then the receive.
struct Step {
    model::LabelId label;
    std::uint32_t machine = 0;
    model::StateId target;
    friend auto operator<=>(const Step&, const Step&) = default;
};
using Run = std::vector<Step>;

struct Parcel {
    model::RoleId from;
    model::MessageId message;
    friend auto operator<=>(const Parcel&, const Parcel&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Parcel& parcel) {
        return H::combine(std::move(h), parcel.from, parcel.message);
    }
};

// Where messages wait: the channel of an ordered pair of roles; of a mailbox only the receiver counts.
struct Channel {
    model::RoleId from;  // none: a mailbox
    model::RoleId to;
    friend auto operator<=>(const Channel&, const Channel&) = default;
};

struct Configuration {
    std::vector<model::StateId> states;         // one per machine
    std::vector<std::vector<Parcel>> contents;  // one per channel, oldest first; sorted in bags
    friend auto operator<=>(const Configuration&, const Configuration&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Configuration& c) {
        return H::combine(std::move(h), c.states, c.contents);
    }
    bool stable() const;  // every channel is empty
};

// The steps of machines over one alphabet. A machine may act for several roles, as a test does that is made
// from the dual of a projection. Keeps references to the machines.
class Stepping {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    // One possible step of a configuration.
    struct Move {
        std::uint32_t machine = 0;
        std::uint32_t edge = 0;                          // in out(state)
        std::uint32_t partner = none, partner_edge = 0;  // sync: the machine that receives
    };

    Stepping(std::vector<const model::Machine*> machines, model::Channels channels, bool finals_rest = true);

    const std::vector<const model::Machine*>& machines() const { return machines_; }
    model::Mode mode() const { return mode_; }
    // All channels that some edge uses, sorted; empty for sync.
    std::span<const Channel> channels() const { return channels_; }
    // Valid for the events of the machines that are not silent, unless in sync mode.
    std::size_t channel_of(const model::Event& event) const { return position_of({event.from, event.to}); }

    Configuration initial() const;
    // Every possible step, by machine and then by edge.
    void moves(const Configuration& c, std::vector<Move>& out) const;
    Configuration after(const Configuration& c, const Move& move) const;  // valid for moves of moves(c)
    // The events of a move: one, or the send and the receive of a sync step.
    Run events(const Configuration& c, const Move& move) const;
    model::LabelId label(const Configuration& c, const Move& move) const;  // of its first event

    // The same by events: those of every possible step.
    std::vector<Run> steps(const Configuration& c) const;
    // The configuration after one step; none if it is not possible.
    std::optional<Configuration> after(const Configuration& c, std::span<const Step> step) const;
    // The configuration at the end of a run; none if it is not a run of the machines.
    std::optional<Configuration> replay(std::span<const Step> run) const;

    // A machine rests where it may stay for ever: in a state without edges, and in a final one if
    // finals_rest.
    bool rests(std::size_t machine, model::StateId s) const;
    bool all_rest(const Configuration& c) const;

private:
    // What steps need to know of a label.
    struct LabelEvent {
        model::EventKind kind = model::EventKind::silent;
        std::uint32_t channel = none;  // none of silent labels, and in sync mode
        Channel parties;
        Parcel parcel;
    };
    const LabelEvent& event(const model::Edge& edge) const { return events_[edge.label.index]; }
    const model::Edge& edge(const Configuration& c, std::uint32_t machine, std::uint32_t i) const {
        return machines_[machine]->out(c.states[machine])[i];
    }
    std::size_t position_of(Channel parties) const;
    bool enabled(const Configuration& c, const LabelEvent& event) const;
    void sync_moves(const Configuration& c, std::uint32_t machine, std::uint32_t i,
                    std::vector<Move>& out) const;

    std::vector<const model::Machine*> machines_;
    model::Mode mode_;
    std::optional<std::uint32_t> bound_;
    bool finals_rest_;
    std::vector<Channel> channels_;
    std::vector<LabelEvent> events_;  // by label
};

// The steps of a system. Keeps a reference to it.
class Semantics : public Stepping {
public:
    explicit Semantics(const model::System& system, bool finals_rest = true);

    const model::System& system() const { return system_; }
    // Machines that send to a common role or to each other, even indirectly, are one group. The group of each
    // machine, and of each channel.
    std::span<const std::uint32_t> groups() const { return groups_; }
    std::span<const std::uint32_t> channel_groups() const { return channel_groups_; }
    std::uint32_t group_count() const { return group_count_; }

private:
    void find_groups();

    const model::System& system_;
    std::vector<std::uint32_t> groups_;
    std::vector<std::uint32_t> channel_groups_;
    std::uint32_t group_count_ = 0;
};

// "A B!m" and so on, separated by ", ".
std::string print(const model::Alphabet& alphabet, std::span<const Step> run);

}  // namespace treaty::explore
