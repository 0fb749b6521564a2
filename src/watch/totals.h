// What all sessions come to: role by role, property by property, and how much was garbled, late or lost.
#pragma once

#include <vector>

#include "watch/monitor.h"
#include "watch/saved.h"

namespace treaty::watch {

struct Totals {
    static constexpr std::size_t deviations_kept = 100;

    std::vector<RoleState> roles;
    std::uint64_t sessions = 0, failed = 0, incomplete = 0;
    bool lost = false;
    std::vector<VerdictCounts> properties;
    std::vector<Deviation> deviations;
    std::vector<Seen> history;   // of the first session that failed
    bool all_in_one = false;     // a session has records of all roles
    std::uint64_t by_clock = 0;  // of those that failed: nothing but the clock speaks against them
    bool history_by_clock = false;

    void resize(std::size_t role_count, std::size_t property_count);
    void add(const SessionReport& report);
    // The clock was none: what only it spoke against is not decided.
    void withdraw_clock();

    void save(Saver& saver) const;
    bool load(Loader& loader, const model::Specification& specification, std::size_t nodes);
};

// Shared with the monitor's own saving.
void save(Saver& saver, const Deviation& deviation);
Deviation load_deviation(Loader& loader, std::size_t roles, std::size_t nodes);
void save(Saver& saver, const Seen& seen);
Seen load_seen(Loader& loader, const model::Alphabet& alphabet);

}  // namespace treaty::watch
