// One live session of a Monitor, and what is known of each kind of message. Inner parts of monitor.h.
#pragma once

#include <cstddef>

#include <absl/container/inlined_vector.h>

#include "watch/global_net.h"
#include "watch/monitor.h"
#include "watch/packed_records.h"

namespace treaty::watch {

// What was seen at one end only, with its correlation id: sent and not yet received, or received before the
// sending was seen.
struct Channel {
    model::RoleId from, to;
    std::uint32_t sent = 0, received = 0;  // how many of each
    PackedRecords open;
};

// One role's part in a session.
struct TrackedRole {
    track::Tracker tracker;
    RoleState state;
};

inline void near(const void* place) {
    __builtin_prefetch(place);
}

// When a role has sent or received last, by which log; only if the protocol has a `within`.
struct LastEvent {
    bool seen = false;
    std::uint32_t source = 0;
    std::optional<std::int64_t> time_ns;
};

// What most sessions need is in one block; there may be a million of them.
struct Monitor::Session {
    Session* older = nullptr;
    Session* newer = nullptr;
    std::uint64_t touched = 0;  // counts up over all sessions
    std::int64_t last_ns = 0;
    std::string name;
    std::uint64_t number = 0;
    std::uint32_t history_limit = 0;
    bool failed = false, clock_failed = false, whole_lost = false, changed = false;
    std::unique_ptr<WholeOrder> whole;
    absl::InlinedVector<TrackedRole, 2> parts;  // by position of the role
    absl::InlinedVector<Channel, 2> channels;
    PackedRecords history;  // the last ones; with the names of messages that the protocol does not have
    PropertyMonitor properties;
    std::vector<Deviation> deviations;
    std::vector<std::uint64_t> identities;  // hashes of the last records that have an id and a time, a ring
    std::size_t identities_next = 0;
    std::vector<LastEvent> last_events;  // by position of the role, if the protocol has a `within`

    // Asks for it to come near, in steps: itself; what it points to, once it is there; and what that points
    // to.
    void fetch() const {
        for (std::size_t at = 0; at < offsetof(Session, deviations); at += 64)
            near(reinterpret_cast<const char*>(this) + at);
    }
    void fetch_parts() const {
        near(older);
        near(newer);
        history.fetch();
        for (const Channel& channel : channels) channel.open.fetch();
        properties.fetch();
    }
};

struct Monitor::MessageKind {
    static constexpr std::uint32_t nowhere = ~0u;
    model::RoleId sender, receiver;
    Labels labels;
    std::uint32_t from = nowhere, to = nowhere;  // positions of the roles
    bool sender_has = false, receiver_has = false;
    bool timed = false;                                                // a step that sends it has a `within`
    std::uint32_t sent_arity = any_arity, received_arity = any_arity;  // values that an event must have
    const PropertySet::Beginning* begun_sent = nullptr;  // properties whose context begins with it
    const PropertySet::Beginning* begun_received = nullptr;
    bool covered_sent = false, covered_received = false;
};

}  // namespace treaty::watch
