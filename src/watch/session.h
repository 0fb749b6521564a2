// One live session of a Monitor, and what is known of each kind of message. Inner parts of monitor.h.
#pragma once

#include <deque>

#include "watch/monitor.h"

namespace treaty::watch {

struct InFlight {
    std::string correlation;
    model::MessageId message;
    std::vector<expr::Value> values;
    std::optional<std::int64_t> time_ns;
    Spot at;
};

struct Channel {
    model::RoleId from, to;
    std::vector<InFlight> sent;      // and not yet received
    std::vector<InFlight> received;  // before the sending was seen
};

struct Monitor::Session {
    std::string name;
    std::uint64_t number = 0;
    std::int64_t last_ns = 0;
    std::uint64_t touched = 0;  // counts up over all sessions
    Session* older = nullptr;
    Session* newer = nullptr;
    std::vector<track::Tracker> local;
    std::vector<RoleState> states;
    std::unique_ptr<WholeOrder> whole;
    bool failed = false, clock_failed = false, whole_lost = false, changed = false;
    std::vector<Channel> channels;
    std::vector<Deviation> deviations;
    std::vector<Seen> history;  // a ring once it is full
    std::size_t history_next = 0, history_limit = 0;
    std::vector<std::uint64_t> identities;  // hashes of the last records that have an id and a time, a ring
    std::size_t identities_next = 0;
    PropertyMonitor properties;
};

struct Monitor::Kind {
    static constexpr std::uint32_t nowhere = ~0u;
    Labels labels;
    std::uint32_t from = nowhere, to = nowhere;  // positions of the roles
    bool sender_has = false, receiver_has = false;
    bool covered_sent = false, covered_received = false;
};

}  // namespace treaty::watch
