// Configurations of a system and its steps, plainly: the meaning that the fast engine must agree with.
//
// A configuration is one local state a machine and the contents of every channel. A step is
//   - silent: one machine takes a silent edge;
//   - send (fifo, bag, mailbox): one machine takes a send edge and its message enters the channel, which must
//     hold fewer messages than the bound;
//   - receive: one machine takes a receive edge and its message leaves the channel: it must be the oldest one
//     (fifo: of the pair's channel; mailbox: of the receiver's only queue), or any one (bag);
//   - sync: two different machines take a send edge and a receive edge of one message together.
// A message to a role without a machine enters its channel and stays; from such a role nothing comes. Guards
// and data of edges are not looked at.
//
// Everything here allocates freely and is meant for counterexamples, tests and small systems; searching
// millions of configurations: system_space.h.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
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
    bool stable() const;  // every channel is empty
};

// The steps of one system. Keeps a reference to it.
class Semantics {
public:
    explicit Semantics(const model::System& system, bool finals_rest = true);

    const model::System& system() const { return system_; }
    // All channels that some edge uses, sorted; empty for sync.
    std::span<const Channel> channels() const { return channels_; }
    std::size_t channel_of(const model::Event& event) const;  // valid for events of the system's machines

    Configuration initial() const;
    // The events of every possible step, by machine and then by edge.
    std::vector<Run> steps(const Configuration& c) const;
    // The configuration after one step; none if it is not possible.
    std::optional<Configuration> after(const Configuration& c, std::span<const Step> step) const;
    // The configuration at the end of a run; none if it is not a run of the system.
    std::optional<Configuration> replay(std::span<const Step> run) const;

    // A machine rests where it may stay for ever: in a state without edges, and in a final one if
    // finals_rest.
    bool rests(std::size_t machine, model::StateId s) const;
    // Machines that send to a common role or to each other, even indirectly, are one group. The group of each
    // machine, and of each channel.
    std::span<const std::uint32_t> groups() const { return groups_; }
    std::span<const std::uint32_t> channel_groups() const { return channel_groups_; }
    std::uint32_t group_count() const { return group_count_; }

private:
    bool enabled(const Configuration& c, std::uint32_t machine, const model::Edge& edge) const;
    void find_groups();

    const model::System& system_;
    std::vector<Channel> channels_;
    std::vector<std::uint32_t> groups_;
    std::vector<std::uint32_t> channel_groups_;
    std::uint32_t group_count_ = 0;
    bool finals_rest_;
};

// "A B!m" and so on, separated by ", ".
std::string print(const model::Alphabet& alphabet, std::span<const Step> run);

}  // namespace treaty::explore
