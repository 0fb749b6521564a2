// Several logs as one stream, in an order that agrees with each of them.
//
// With a clock: by time. Without: a reception waits until its sending was given, as long as the sender's log
// can still have it; so what comes first in the stream is nothing that something later caused, and of the
// logs that can go on the one that has given least does. One record of each log is held, and counts of what
// was sent and not received. A log whose times go backwards is given as it is, and counted.
//
// When logs are followed, one that has nothing to give at the moment holds the others back where the order
// depends on it, until the caller is out of patience. Everything can be saved and loaded (for state files).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "watch/saved.h"
#include "watch/source.h"

namespace treaty::watch {

struct Fault {
    std::uint32_t source = 0;
    std::uint64_t line = 0;
    std::string reason;
};

class Merge {
public:
    Merge(std::vector<std::unique_ptr<Source>> sources, bool by_clock,
          const model::Specification& specification, SessionRule rule = {});

    // A record, `wait` or `end`. Impatient: without waiting for logs that have nothing to give.
    ReadResult next(Record& record, bool impatient = false);
    void stop_following();

    std::uint64_t garbled() const { return garbled_; }
    std::uint64_t late() const { return late_; }  // records whose time went backwards
    std::uint64_t sessionless() const { return sessionless_; }
    const std::vector<Fault>& faults() const { return faults_; }  // the first few
    bool clock_missing() const { return clock_missing_; }         // by clock: a record had no time
    std::uint64_t unread() const;                                 // bytes that are available and not yet read
    std::uint64_t restarts() const;
    std::uint64_t left_out() const;  // by mappings
    // Of the logs that are read by a mapping: records that were not understood, by kind.
    struct Unknown {
        std::uint32_t source = 0;
        UnknownRecords records;
    };
    std::vector<Unknown> unknown() const;
    std::size_t held() const { return on_the_way_.size(); }

    bool can_resume() const;
    std::string save() const;
    bool load(std::string_view bytes);

private:
    struct Head {
        std::unique_ptr<Source> source;
        Record record;
        bool there = false, ended = false, sessionless = false;
        std::uint64_t given = 0;
        std::int64_t before_ns = INT64_MIN;  // the time before the held record
        std::int64_t last_ns = INT64_MIN;
    };
    void pull(Head& head, Record& record);
    bool find_session(Record& record);
    bool ready(const Record& record) const;
    std::size_t choose(bool impatient) const;
    static std::uint64_t key(const Record& record);

    std::vector<Head> heads_;
    bool by_clock_;
    const model::Specification& specification_;
    SessionRule rule_;
    absl::flat_hash_map<std::uint64_t, std::int64_t> on_the_way_;  // by session, channel, message, id
    absl::flat_hash_map<std::string, std::string> last_session_;   // by connection, where a field tells it
    std::deque<std::string> connections_;                          // that are in it, the oldest first
    std::uint64_t garbled_ = 0, late_ = 0, sessionless_ = 0;
    bool clock_missing_ = false;
    std::vector<Fault> faults_;
    std::string fault_;  // of the record being read
};

}  // namespace treaty::watch
