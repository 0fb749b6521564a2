// Several logs as one stream, in an order that agrees with each of them.
//
// With a clock: by time. Without: a reception waits until its sending was given, as long as the sender's log
// can still have it; so what comes first in the stream is nothing that something later caused. One record of
// each log is held, and counts of what was sent. A log whose times go backwards is given as it is, and said.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "watch/source.h"

namespace treaty::watch {

struct Fault {
    std::uint32_t source = 0;
    std::uint64_t line = 0;
    std::string reason;
};

class Merge {
public:
    Merge(std::vector<std::unique_ptr<Source>> sources, bool by_clock);

    bool next(Record& record);
    std::uint64_t garbled() const { return garbled_; }
    std::uint64_t late() const { return late_; }                  // records whose time went backwards
    const std::vector<Fault>& faults() const { return faults_; }  // the first few
    bool clock_missing() const { return clock_missing_; }         // by clock: a record had no time

private:
    struct Head {
        std::unique_ptr<Source> source;
        Record record;
        bool there = false;
        std::int64_t last_ns = INT64_MIN;
    };
    void pull(Head& head);
    bool ready(const Record& record) const;
    std::size_t choose() const;
    std::string key(const Record& record) const;

    std::vector<Head> heads_;
    bool by_clock_;
    absl::flat_hash_map<std::string, std::int64_t> on_the_way_;  // by session, channel, message, id
    std::uint64_t garbled_ = 0, late_ = 0;
    bool clock_missing_ = false;
    std::vector<Fault> faults_;
};

}  // namespace treaty::watch
