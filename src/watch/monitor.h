// Monitor: local and global conformance of recorded traffic, session by session (001 section 4.1).
//
// Locally, each role's records in their order are followed on the role's net; a message that the role's part
// of the protocol does not have is filtered out (definition 9). A role fails at the first record its part
// does not allow, and stays failed in that session; one whose part is not over is incomplete: it may still be
// going on. Globally a session fails if a role fails, if a message is received that was not sent or with
// other data, or if the order of the interactions is not one of the protocol:
//
//   causal      by causality alone: each role's own order, and that receptions follow their sendings. For a
//               protocol whose roles are always told which branch was taken this is exactly "some order that
//               agrees with all logs is a run of the protocol".
//   sending     with a common clock: the order of the sendings is a run of the protocol
//   reception   the order of the receptions is
//   disjoint    an interaction lasts from its sending to its reception, and the protocol's order holds
//               between whole interactions
//
// Traces are never enumerated: cost a record does not depend on the number of interleavings. Memory a
// session: its trackers and what was sent and not yet received, at most `in_flight_limit` messages a channel.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "model/net.h"
#include "model/specification.h"
#include "track/tracker.h"
#include "watch/properties.h"
#include "watch/record.h"

namespace treaty::watch {

enum class Order : std::uint8_t { causal, sending, reception, disjoint };

struct MonitorOptions {
    Order order = Order::causal;
    bool data = true;  // false: the logs carry no data, conditions are choices
    std::size_t in_flight_limit = 100'000;
    std::size_t history = 30;  // records of a session that are kept for its report, up to the first deviation
    track::TrackOptions tracking;
};

struct Deviation {
    std::string session;
    model::RoleId role;  // none: no single role, the roles together
    std::uint32_t source = 0;
    std::uint64_t line = 0;
    std::string event;                  // what came
    std::string reason;                 // why it is wrong
    std::vector<std::string> expected;  // what the role's part allows there
    std::vector<model::NodeId> nodes;   // the steps of the protocol those are
};

struct RoleState {
    bool failed = false;
    bool incomplete = false;
    bool lost = false;  // a limit was reached: nothing is known
    std::uint64_t messages = 0;
};

struct SessionReport {
    std::string name;
    std::vector<RoleState> roles;  // as the protocol declares them
    bool failed = false;           // globally
    bool incomplete = false;
    bool lost = false;
    std::vector<Deviation> deviations;  // in the order in which they were found: the first comes first
    std::vector<Record> history;        // of a failed session: the last records up to its first deviation
    std::vector<VerdictCounts> local_properties;
    std::vector<Verdict> properties;
};

class Monitor {
public:
    // Null if the protocol has no net (compile_net.h).
    static std::unique_ptr<Monitor> make(const model::Specification& specification,
                                         const model::Protocol& protocol, const MonitorOptions& options);
    ~Monitor();

    // Verdicts of properties that fall are appended to `fallen`, if given.
    void feed(const Record& record, std::vector<PropertyVerdict>* fallen = nullptr);
    // Ends one session, or all that are left, in order of their first records.
    std::optional<SessionReport> finish(const std::string& session,
                                        std::vector<PropertyVerdict>* fallen = nullptr);
    std::vector<SessionReport> finish();

    std::uint64_t messages() const { return messages_; }
    std::uint64_t filtered() const { return filtered_; }
    std::size_t sessions() const { return sessions_.size(); }
    // By node of the protocol: whether an interaction of it was seen.
    const std::vector<bool>& covered() const { return covered_; }

private:
    struct Session;
    Monitor(const model::Specification& specification, const model::Protocol& protocol,
            const MonitorOptions& options);
    bool build();
    Session& session_of(const Record& record);
    void local_step(Session& session, const Record& record, model::RoleId role, bool sent);
    void match(Session& session, const Record& record, bool sent);
    void global_step(Session& session, const Record& record, bool sent);
    void deviate(Session& session, Deviation deviation, std::size_t role);
    void note_expected(track::Tracker& tracker, model::LabelId label, Deviation& deviation) const;
    void note_coverage(track::Tracker& tracker, model::LabelId label);
    SessionReport close(Session& session, std::vector<PropertyVerdict>* fallen);
    std::string print(const Record& record, bool sent) const;

    const model::Specification& specification_;
    const model::Protocol& protocol_;
    MonitorOptions options_;
    std::vector<model::Net> nets_;  // by role
    std::vector<std::shared_ptr<track::TrackedNet>> tracked_;
    std::vector<std::vector<bool>> known_;  // by role and label: whether its part has it
    std::optional<model::Net> global_net_;
    std::shared_ptr<track::TrackedNet> global_;
    absl::flat_hash_map<model::RoleId, std::size_t> positions_;
    absl::flat_hash_map<std::string, std::unique_ptr<Session>> sessions_;
    std::vector<bool> covered_;
    std::uint64_t messages_ = 0, filtered_ = 0, opened_ = 0;
};

}  // namespace treaty::watch
