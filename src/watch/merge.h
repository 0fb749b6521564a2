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
    Got next(Record& record, bool impatient = false);
    void stop_following();

    std::uint64_t garbled() const { return garbled_; }
    std::uint64_t late() const { return late_; }  // records whose time went backwards
    std::uint64_t sessionless() const { return sessionless_; }
    const std::vector<Fault>& faults() const { return faults_; }  // the first few
    bool clock_missing() const { return clock_missing_; }         // by clock: a record had no time
    std::uint64_t unread() const;                                 // bytes that are available and not yet read
    std::uint64_t restarts() const;
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
    bool ready(const Record& record) const;
    std::size_t choose(bool impatient) const;
    static std::uint64_t key(const Record& record);

    std::vector<Head> heads_;
    bool by_clock_;
    const model::Specification& specification_;
    SessionRule rule_;
    absl::flat_hash_map<std::uint64_t, std::int64_t> on_the_way_;  // by session, channel, message, id
    std::uint64_t garbled_ = 0, late_ = 0, sessionless_ = 0;
    bool clock_missing_ = false;
    std::vector<Fault> faults_;
    std::string fault_;  // of the record being read
};

}  // namespace treaty::watch
