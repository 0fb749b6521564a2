// How far long work is: what a sink of a Context receives. Plain numbers; report/ has the words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace treaty::api {

// A search of states: exploring, comparing.
struct SearchProgress {
    std::string_view doing;
    std::uint64_t states = 0;
    double states_per_second = 0;
    std::uint64_t waiting = 0;
    std::uint32_t depth = 0;
    std::size_t bytes = 0;
};

// Sessions with a component.
struct CampaignProgress {
    std::uint64_t session = 0, sessions = 0, messages = 0;
    std::size_t covered = 0, steps = 0;
    std::uint64_t failed = 0;
};

// One thing after another.
struct CountProgress {
    std::string_view doing;
    std::uint64_t done = 0, total = 0;  // total: 0 if it is not known
    std::string detail;                 // may be empty
};

// Recorded traffic being judged.
struct WatchProgress {
    std::uint64_t messages = 0;
    double messages_per_second = 0;
    std::uint64_t live = 0, ended = 0, failed = 0;  // sessions
    std::uint64_t garbled = 0;                      // records that could not be understood
    std::uint64_t unread = 0;                       // bytes
    bool last = false;                              // all sessions have ended
};

using Progress = std::variant<SearchProgress, CampaignProgress, CountProgress, WatchProgress>;
using ProgressSink = std::function<void(const Progress&)>;

}  // namespace treaty::api
