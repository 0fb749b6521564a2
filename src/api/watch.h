// watch: does recorded traffic conform to a protocol, and do its properties hold of it?
//
// Logs are merged, sessions told apart, and each role and the whole judged (watch/monitor.h), from the first
// record to the end of the logs or, following them, until the context ends it. The verdict: fails with a
// deviation or a property that failed; undecided if nothing was judged, if a limit was reached, or if no
// session of complete logs reached an end of the protocol; else holds. What is being judged can be followed
// in four ways: verdicts as they fall, in a file; the progress of the context; counters in Prometheus format
// at an address; and a state file, from which a later watch goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/input/mappings.h"
#include "api/workspace.h"
#include "watch/properties.h"
#include "watch/whole_order.h"

namespace treaty::api {

struct WatchQuestion {
    std::string file;
    std::string protocol;           // empty: the last one of the file
    std::vector<std::string> logs;  // each FILE, or ROLE=FILE for the log of one role
    std::vector<std::string> map;   // ADDRESS=ROLE: which role an address in the logs belongs to
    std::vector<std::string>
        mappings;  // how logs of other forms are read: MAPPING, or LOG=MAPPING for one log
    watch::Order order = watch::Order::causal;
    std::string session = "session";    // what tells sessions apart: "session", "id" or "field:NAME"
    std::string wire;                   // that bytes are decoded by; empty: the last one of the file
    bool data = true;                   // false: only the messages are looked at
    bool complete = false;              // the logs hold whole sessions: what is due at the end never came
    bool follow = false;                // go on as the logs grow
    std::chrono::nanoseconds idle{};    // end following after so long without a record; 0: never
    std::chrono::nanoseconds expire{};  // end sessions that were silent for so long; 0: never
    std::uint64_t sessions = 0;         // open ones at most; 0: any number
    std::string verdicts;  // where each verdict goes as it falls; "-": standard output; empty: nowhere
    std::string state;     // file that keeps what was judged; empty: none
    std::string metrics;   // HOST:PORT to serve counters at; empty: nowhere
    // Called when the counters can be asked for; may be empty.
    std::function<void(std::uint16_t port)> serving;
};

struct WatchCounts {
    std::uint64_t records = 0;   // understood
    std::uint64_t messages = 0;  // of the protocol; one that both ends have recorded counts once
    std::uint64_t sessions = 0;
    std::uint64_t filtered = 0;     // records of messages that the protocol does not have
    std::uint64_t untimed = 0;      // messages with a `within`, without times that could be compared
    std::uint64_t garbled = 0;      // records that could not be understood
    std::uint64_t left_out = 0;     // records that a mapping skips
    std::uint64_t late = 0;         // with a time before that of the record before
    std::uint64_t jumps = 0;        // with a time far ahead
    std::uint64_t duplicated = 0;   // recorded twice
    std::uint64_t orphaned = 0;     // of sessions that had ended
    std::uint64_t sessionless = 0;  // records without the value that identifies their session
    std::uint64_t expired = 0, crowded_out = 0, restarted = 0;
    std::uint64_t unread = 0;  // bytes
};

// Of a role or of the whole, in all sessions together.
struct Conformance {
    bool failed = false;
    bool lost = false;        // a limit was reached, or nothing was judged: not known, unless it failed
    bool incomplete = false;  // in some session it has not reached an end
};

struct WatchedRole {
    std::string name;
    std::uint64_t messages = 0;
    Conformance conformance;
};

struct WatchedProperty {
    std::string name;
    watch::VerdictCounts counts;
};

struct WatchDeviation {
    std::string session;
    std::string role;  // empty: no single role, the roles together
    std::string log;
    std::uint64_t line = 0;
    std::string event;                  // what came
    std::string reason;                 // why it is wrong
    std::vector<std::string> expected;  // what the protocol allows there
    std::int64_t limit_ns = -1;         // late: the `within` of the step; -1: it is not late
    std::int64_t took_ns = -1;          // late: the time since the role's last record
};

// An interaction of the protocol that did not occur.
struct MissingInteraction {
    std::string interaction;  // "A -> B: m"
    std::uint32_t line = 0;
};

struct SkippedRecord {
    std::string log;
    std::uint64_t line = 0;
    std::string reason;
};

struct WatchAnswer : Answer {
    WatchCounts counts;
    bool with_data = true;
    bool judged = false;  // whether any record was held against the protocol or decided a property
    std::vector<WatchedRole> roles;
    Conformance whole;
    std::string assumption;  // what the verdict on the whole rests on
    std::vector<WatchedProperty> properties;
    std::size_t interactions = 0;  // of the protocol
    std::vector<MissingInteraction> missing;
    std::vector<WatchDeviation> deviations;  // the first ones, in the order in which they were found
    std::vector<SkippedRecord> skipped;      // if nothing was judged: one for each reason
    std::vector<UnknownKind> unknown;        // of logs with a mapping: what was not understood, by kind
};

WatchAnswer watch(const Workspace& workspace, const WatchQuestion& question, const Context& context);

}  // namespace treaty::api
