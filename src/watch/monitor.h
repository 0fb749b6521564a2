// Monitor: local and global conformance of recorded traffic, session by session (Nguyen 2013, section 4.1).
//
// Locally, each role's records are followed in their order on the role's net. A message that is not in the
// role's part of the protocol is ignored (definition 9). A role fails at the first record that its part does
// not allow, and stays failed in that session; a role whose part is not over is incomplete: it may still be
// running. Globally a session fails if a role fails, if a message is received that was not sent or has other
// data, or if the order of the interactions is not one of the protocol (whole_order.h). Without a clock the
// order is not checked: if every role always learns which branch was taken, correct parts and channels mean
// exactly that some order that agrees with all logs is a run of the protocol. branches_told() returns whether
// the protocol is of that kind. Data is checked everywhere: the condition of the message's declaration,
// guards, predicates, values that must be equal, and that a message is received with the data it was sent
// with.
//
// A common clock that turns out not to be one (the time of a log goes backwards, a message is received before
// it was sent) decides nothing: a session that violates only the order by the clock is then undecided, and
// earlier notices about it are withdrawn.
//
// A sender that takes longer than the `within` of its step is late. The time counts from the sender's own
// last record in the session, which is of the same clock if it is in the same log, or if there is a common
// clock; where that cannot be compared, the message is counted as untimed. A late message is a deviation by
// the clock.
//
// Traces are never enumerated: the cost per record does not depend on the number of interleavings. Memory per
// session: its trackers, its open matches, what was sent and not yet received (at most `in_flight_limit`
// messages per channel), and a short history. A session ends when the caller ends it, when no record of it
// came for `expire_ns`, or when there are more than `session_limit`: then the one that was silent for
// longest. Later records of it are counted and not judged. If messages between two roles are missing from the
// log, these two roles are no longer judged in the live sessions. Bytes that match no message are a violation
// of the role that sent them. A duplicate record, equal in everything
// including id and time, is counted and not judged again.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "model/net.h"
#include "model/specification.h"
#include "track/tracker.h"
#include "watch/packed_records.h"
#include "watch/properties.h"
#include "watch/record.h"
#include "watch/whole_order.h"

namespace treaty::watch {

struct MonitorOptions {
    Order order = Order::causal;
    bool stream = true;     // false: only the ends of sessions are reported as notices
    bool data = true;       // false: the logs carry no data, conditions are choices
    bool complete = false;  // the logs hold whole sessions: what is still expected at the end is missing
    std::size_t in_flight_limit = 100'000;
    std::size_t history = 30;       // records kept per session for its report, up to the first deviation
    std::size_t session_limit = 0;  // open ones; 0: any number
    std::int64_t expire_ns = 0;     // 0: never
    std::size_t ended_limit = 1'000'000;  // names of ended sessions that are remembered
    std::size_t long_histories = 10'000;  // sessions with a full history; the others keep a few records
    track::TrackOptions tracking;
    const base::SourceMap* sources = nullptr;  // of the specification; null: reasons have no lines
};

// A record as histories keep it.
struct Seen {
    Side side = Side::sent;
    model::RoleId from, to;
    model::MessageId message;
    std::string name;  // of a message that the protocol does not have
    std::vector<expr::Value> values;
    LogPosition at;
};

struct Deviation {
    std::string session;
    model::RoleId role;  // none: the roles together, not a single one
    LogPosition at;
    std::string event;                  // what came
    std::string reason;                 // why it is wrong
    std::vector<std::string> expected;  // what the role's part allows there
    std::vector<model::NodeId> nodes;   // the steps of the protocol those are
    bool by_clock = false;              // it violates only the order by the clock
    bool missing = false;               // an expected message is missing after the last record
    std::int64_t limit_ns = -1;         // late: the `within` of its step; -1: it is not late
    std::int64_t took_ns = -1;          // late: the time since the role's last record
};

struct RoleState {
    bool failed = false;
    bool incomplete = false;
    bool lost = false;  // a limit was reached: nothing is known
    bool late = false;  // it took longer than a `within` allows, by the clock
    std::uint64_t messages = 0;
};

enum class Ending : std::uint8_t { told, expired, crowded };

struct SessionReport {
    std::string name;
    Ending ending = Ending::told;
    std::vector<RoleState> roles;  // as the protocol declares them
    bool failed = false;           // globally
    bool by_clock = false;         // and it violates only the order by the clock
    bool incomplete = false;
    bool lost = false;
    std::vector<Deviation> deviations;  // in the order in which they were found: the first comes first
    std::vector<Seen> history;          // of a failed session: the last records up to its first deviation
    std::vector<VerdictCounts> local_properties;
    std::vector<Verdict> properties;
};

struct PropertyNotice {
    std::string session;
    PropertyVerdict verdict;
};

// Earlier notices that no longer count: those about a role in a session, since messages of it are missing;
// or, without a role, all that depend on the clock alone.
struct Withdrawal {
    std::string session;
    model::RoleId role;
};

// What the monitor reports while records pass.
using Notice = std::variant<Deviation, PropertyNotice, SessionReport, Withdrawal>;

struct MonitorCounts {
    std::uint64_t records = 0;
    std::uint64_t messages = 0;    // of the protocol; one that both ends have recorded counts once
    std::uint64_t filtered = 0;    // records of messages that the protocol does not have
    std::uint64_t untimed = 0;     // messages with a `within` and without times that could be compared
    std::uint64_t duplicated = 0;  // duplicate records
    std::uint64_t orphaned = 0;    // records of sessions that had ended
    std::uint64_t expired = 0, crowded = 0;
    std::uint64_t holes = 0;
};

class Monitor {
public:
    // Null if the protocol has no net (compile_net.h).
    static std::unique_ptr<Monitor> make(const model::Specification& specification,
                                         const model::Protocol& protocol, const MonitorOptions& options);
    ~Monitor();

    // Appends to `notices`, if given. `now_ns` is the time of the stream's clock; it never goes back.
    void feed(const Record& record, std::int64_t now_ns, std::vector<Notice>* notices);
    void feed(const Record& record) { feed(record, record.time_ns.value_or(0), nullptr); }
    // These records come next: prefetches the memory of their sessions.
    void prepare(std::span<const Record> records) const;
    // Time passes without records: sessions may expire.
    void pass_time(std::int64_t now_ns, std::vector<Notice>* notices);
    // Ends all sessions, in order of their first records.
    std::vector<SessionReport> finish(std::vector<Notice>* notices = nullptr);

    const MonitorCounts& counts() const { return counts_; }
    std::size_t sessions() const { return sessions_.size(); }
    const MonitorOptions& options() const { return options_; }
    // The number of live sessions that have already failed.
    std::size_t failing() const { return live_failed_ + (clock_broken_ ? 0 : live_failed_by_clock_); }
    bool clock_broken() const { return clock_broken_; }
    // Whether a step of the protocol has a `within`.
    bool timed() const { return timed_; }
    // Whether every role always learns which branch was taken.
    bool branches_told() const { return branches_told_; }
    // By node of the protocol: whether an interaction of it was seen and allowed.
    const std::vector<bool>& covered() const { return covered_; }

    // For state files. changed() returns the sessions fed since the last call, if keep_changes() was called
    // first; save_session() returns nothing for one that has ended. The common part is everything except the
    // sessions.
    void stream(bool all) { options_.stream = all; }
    void keep_changes() { keeps_changes_ = keeps_order_ = true; }
    std::vector<std::string> changed();
    std::optional<std::string> save_session(const std::string& name) const;
    std::string save_common() const;
    // The common part first, then all sessions.
    bool load(std::string_view common, std::vector<std::string> sessions);

private:
    struct Session;
    struct MessageKind;  // a message between two roles
    // Sessions by name; the hash of the name is kept, so that a lookup reads only the session it looks for.
    struct Wanted {
        std::uint64_t hash;
        std::string_view name;
    };
    struct Entry {
        std::uint64_t hash;
        std::unique_ptr<Session> session;
    };
    // Any entry with this hash, without reading its session.
    struct Likely {
        std::uint64_t hash;
    };
    struct EntryHash {
        using is_transparent = void;
        std::size_t operator()(const Likely& w) const { return w.hash; }
        std::size_t operator()(const Wanted& w) const { return w.hash; }
        std::size_t operator()(const Entry& e) const { return e.hash; }
    };
    struct EntryEqual {
        using is_transparent = void;
        bool operator()(const Entry& a, const Entry& b) const;
        bool operator()(const Entry& a, const Wanted& b) const;
        bool operator()(const Entry& a, const Likely& b) const { return a.hash == b.hash; }
    };
    static Wanted wanted(std::string_view name);
    Session* find(std::string_view name) const;
    std::vector<Session*> by_opening() const;
    Monitor(const model::Specification& specification, const model::Protocol& protocol,
            const MonitorOptions& options);
    bool build();
    MessageKind& kind_of(const Record& record);
    Session* session_of(const Record& record, std::int64_t now_ns, std::vector<Notice>* notices);
    Session& open_session(const std::string& name);
    void touch(Session& session, std::int64_t now_ns);
    Session* load_session(std::string_view bytes);
    bool load_common(std::string_view bytes);
    void unlink(Session& session);
    void lose(const Record& hole, std::vector<Notice>* notices);
    void undecodable(Session& session, const Record& record, std::vector<Notice>* notices);
    void lose_rest(Session& session, const Record& record);
    void break_clock(std::vector<Notice>* notices);
    bool seen_before(Session& session, const Record& record) const;
    std::string_view misfit(const Record& record);
    void take(Session& session, MessageKind& kind, const Record& record, bool sent, std::string_view misfit,
              std::vector<Notice>* notices);
    void local_step(Session& session, MessageKind& kind, const Record& record, bool sent,
                    std::string_view misfit, std::vector<Notice>* notices);
    bool match(Session& session, const Record& record, bool sent, std::vector<Notice>* notices);
    struct Limit {
        std::int64_t ns = -1;  // none
        model::NodeId node;
    };
    Limit limit_of(track::Tracker& tracker, model::LabelId label) const;
    void time(Session& session, std::size_t role, const Record& record, bool sent, Limit limit,
              std::vector<Notice>* notices);
    void global_step(Session& session, MessageKind& kind, const Record& record, bool sent,
                     std::vector<Notice>* notices);
    void count_failed(const Session& session, int by);
    void deviate(Session& session, Deviation deviation, std::size_t role, std::vector<Notice>* notices);
    void note_expected(track::Tracker& tracker, model::LabelId label, std::span<const expr::Value> values,
                       Deviation& deviation) const;
    std::string why_not_declared(const Record& record) const;
    std::string why_not_with(track::Tracker& tracker, model::LabelId label,
                             std::span<const expr::Value> values) const;
    static std::vector<model::NodeId> nodes_here(track::Tracker& tracker, model::LabelId label);
    void blame_silent(Session& session, std::vector<Notice>* notices);
    SessionReport close(Session& session, Ending ending, std::vector<Notice>* notices);
    void end(Session& session, Ending ending, std::vector<Notice>* notices);
    std::string print(const Record& record, bool sent) const;

    const model::Specification& specification_;
    const model::Protocol& protocol_;
    MonitorOptions options_;
    std::vector<model::Net> nets_;                     // by position of the role
    std::vector<std::vector<std::uint32_t>> arities_;  // of its events, by label (global_net.h)
    std::vector<std::shared_ptr<track::TrackedNet>> tracked_;
    std::unique_ptr<WholeNet> whole_;
    std::vector<std::uint32_t> positions_;  // by role; `nowhere` for roles of other protocols
    std::unique_ptr<PropertySet> properties_;
    std::vector<std::vector<std::unique_ptr<MessageKind>>> kinds_;  // by message, from 1; few each
    absl::flat_hash_set<Entry, EntryHash, EntryEqual> sessions_;
    // By the time of their last record, if that order is needed: it costs an access to two other sessions.
    Session* oldest_ = nullptr;
    Session* newest_ = nullptr;
    Session* last_ = nullptr;  // whose record came last
    bool keeps_order_ = false, keeps_changes_ = false;
    absl::flat_hash_set<std::uint64_t> ended_;  // hashes of names
    std::deque<std::uint64_t> ended_order_;
    std::vector<std::string> gone_;          // ended since changed() was called
    std::vector<std::int64_t> last_ns_;      // by role: the latest time of its own records
    std::vector<PropertyVerdict> verdicts_;  // of the record being fed
    PackedRecords::Packer packer_;
    std::string_view packed_;   // the record being fed
    expr::Environment fields_;  // of the message being asked for its condition
    std::vector<bool> covered_;
    MonitorCounts counts_;
    std::uint64_t opened_ = 0, touches_ = 0;
    std::size_t live_failed_ = 0, live_failed_by_clock_ = 0;
    bool clock_broken_ = false, branches_told_ = true;
    bool timed_ = false;              // a step of the protocol has a `within`
    bool reported_by_clock_ = false;  // a notice that depends on it
};

}  // namespace treaty::watch
