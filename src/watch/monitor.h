// Monitor: local and global conformance of recorded traffic, session by session (Nguyen 2013, section 4.1).
//
// Locally, each role's records in their order are followed on the role's net; a message that the role's part
// of the protocol does not have is filtered out (definition 9). A role fails at the first record its part
// does not allow, and stays failed in that session; one whose part is not over is incomplete: it may still be
// going on. Globally a session fails if a role fails, if a message is received that was not sent or with
// other data, or if the order of the interactions is not one of the protocol (whole_order.h). By causality
// alone the latter is never asked: for a protocol whose roles are always told which branch was taken, parts
// and channels that are right are exactly "some order that agrees with all logs is a run of the protocol";
// branches_told() says whether the protocol is one. Data is asked everywhere: the message's own condition,
// guards, predicates, values that must be equal, and that what is received is what was sent.
//
// A common clock that is seen not to be one (a log's time goes backwards, a message is received before it was
// sent) decides nothing: a session that only the order by the clock speaks against is then undecided, and
// what was told before it was seen is withdrawn.
//
// Traces are never enumerated: cost a record does not depend on the number of interleavings. Memory a
// session: its trackers, its open matches, what was sent and not yet received (`in_flight_limit` messages a
// channel), a short history. A session ends when it is told to, when nothing was heard of it for `expire_ns`,
// or when there are more than `session_limit`: the one that was silent for longest. Records that come
// afterwards are counted and not judged. Where messages between two roles are missing in what was recorded,
// nothing is said any more about these two in the sessions that are live. A record that came before, the same
// in everything with the same id and time, is counted and not judged again.
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
    bool stream = true;     // false: of what falls, only the ends of sessions are told
    bool data = true;       // false: the logs carry no data, conditions are choices
    bool complete = false;  // nothing is left out behind the last record: what is due there never came
    std::size_t in_flight_limit = 100'000;
    std::size_t history = 30;  // records of a session that are kept for its report, up to the first deviation
    std::size_t session_limit = 0;        // live ones; 0: any number
    std::int64_t expire_ns = 0;           // 0: never
    std::size_t ended_limit = 1'000'000;  // names of ended sessions that are remembered
    std::size_t long_histories = 10'000;  // sessions that keep one; the others keep a few records
    track::TrackOptions tracking;
};

// A record as histories keep it.
struct Seen {
    Side side = Side::sent;
    model::RoleId from, to;
    model::MessageId message;
    std::string name;  // of a message that the protocol does not have
    std::vector<expr::Value> values;
    Spot at;
};

struct Deviation {
    std::string session;
    model::RoleId role;  // none: no single role, the roles together
    Spot at;
    std::string event;                  // what came
    std::string reason;                 // why it is wrong
    std::vector<std::string> expected;  // what the role's part allows there
    std::vector<model::NodeId> nodes;   // the steps of the protocol those are
    bool by_clock = false;              // nothing but the order by the clock speaks against it
    bool missing = false;               // nothing wrong came: it is behind the last record
};

struct RoleState {
    bool failed = false;
    bool incomplete = false;
    bool lost = false;  // a limit was reached: nothing is known
    std::uint64_t messages = 0;
};

enum class Ending : std::uint8_t { told, expired, crowded };

struct SessionReport {
    std::string name;
    Ending ending = Ending::told;
    std::vector<RoleState> roles;  // as the protocol declares them
    bool failed = false;           // globally
    bool by_clock = false;         // and nothing but the order by the clock speaks against it
    bool incomplete = false;
    bool lost = false;
    std::vector<Deviation> deviations;  // in the order in which they were found: the first comes first
    std::vector<Seen> history;          // of a failed session: the last records up to its first deviation
    std::vector<VerdictCounts> local_properties;
    std::vector<Verdict> properties;
};

struct PropertyFall {
    std::string session;
    PropertyVerdict verdict;
};

// What was told before and does not count any more: what was found against a role in a session, since
// messages of it are missing; or, without a role, everything that rests on the clock alone.
struct Withdrawn {
    std::string session;
    model::RoleId role;
};

// What is decided while records pass.
using Fallen = std::variant<Deviation, PropertyFall, SessionReport, Withdrawn>;

struct MonitorCounts {
    std::uint64_t messages = 0, filtered = 0;
    std::uint64_t duplicated = 0;  // records that came before
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

    // What falls is appended to `fallen`, if given. `now_ns` is what the stream's clock says; it never goes
    // back.
    void feed(const Record& record, std::int64_t now_ns, std::vector<Fallen>* fallen);
    void feed(const Record& record) { feed(record, record.time_ns.value_or(0), nullptr); }
    // These records come next: what is kept of their sessions is fetched from memory, for all of them
    // together.
    void prepare(std::span<const Record> records) const;
    // Time passes without records: sessions may expire.
    void pass_time(std::int64_t now_ns, std::vector<Fallen>* fallen);
    // Ends all sessions, in order of their first records.
    std::vector<SessionReport> finish(std::vector<Fallen>* fallen = nullptr);

    const MonitorCounts& counts() const { return counts_; }
    std::size_t sessions() const { return sessions_.size(); }
    const MonitorOptions& options() const { return options_; }
    // Of the live sessions, those that have failed already.
    std::size_t failing() const { return live_failed_ + (clock_broken_ ? 0 : live_failed_by_clock_); }
    bool clock_broken() const { return clock_broken_; }
    // Whether every role is always told which branch was taken.
    bool branches_told() const { return branches_told_; }
    // By node of the protocol: whether an interaction of it was seen and allowed.
    const std::vector<bool>& covered() const { return covered_; }

    // For state files. changed() are the sessions fed since the last call, if keep_changes() was called
    // first; save_session() gives nothing for one that has ended. The common part is everything but the
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
    struct Kind;  // of message between two roles
    // Sessions by name; the name's hash is kept, so that only what is looked for is fetched from memory.
    struct Wanted {
        std::uint64_t hash;
        std::string_view name;
    };
    struct Entry {
        std::uint64_t hash;
        std::unique_ptr<Session> session;
    };
    // Whatever has the hash, without a look at it.
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
    Kind& kind_of(const Record& record);
    Session* session_of(const Record& record, std::int64_t now_ns, std::vector<Fallen>* fallen);
    Session& open_session(const std::string& name);
    void touch(Session& session, std::int64_t now_ns);
    Session* load_session(std::string_view bytes);
    bool load_common(std::string_view bytes);
    void unlink(Session& session);
    void lose(const Record& hole, std::vector<Fallen>* fallen);
    void break_clock(std::vector<Fallen>* fallen);
    bool seen_before(Session& session, const Record& record) const;
    std::string_view misfit(const Record& record);
    void take(Session& session, Kind& kind, const Record& record, bool sent, std::string_view misfit,
              std::vector<Fallen>* fallen);
    void local_step(Session& session, Kind& kind, const Record& record, bool sent, std::string_view misfit,
                    std::vector<Fallen>* fallen);
    void match(Session& session, const Record& record, bool sent, std::vector<Fallen>* fallen);
    void global_step(Session& session, Kind& kind, const Record& record, bool sent,
                     std::vector<Fallen>* fallen);
    void count_failed(const Session& session, int by);
    void deviate(Session& session, Deviation deviation, std::size_t role, std::vector<Fallen>* fallen);
    void note_expected(track::Tracker& tracker, model::LabelId label, Deviation& deviation) const;
    std::vector<model::NodeId> candidates(track::Tracker& tracker, model::LabelId label) const;
    void blame_silent(Session& session, std::vector<Fallen>* fallen);
    SessionReport close(Session& session, Ending ending, std::vector<Fallen>* fallen);
    void end(Session& session, Ending ending, std::vector<Fallen>* fallen);
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
    std::vector<std::vector<std::unique_ptr<Kind>>> kinds_;  // by message, from 1; few each
    absl::flat_hash_set<Entry, EntryHash, EntryEqual> sessions_;
    // By when they were last heard of, if anything asks for that order: it costs a look at two others.
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
    bool told_by_clock_ = false;  // something that rests on it
};

}  // namespace treaty::watch
