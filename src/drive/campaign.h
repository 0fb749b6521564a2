// Many sessions with one kind of component: until enough have been run, the time is over, everything has been
// seen, or a failure was found; failures with the same cause are one finding.
//
// A component that is ended by a signal which processes send one another (SIGKILL, SIGTERM, ...) may have
// been ended by itself or by somebody else, an operator or the system when it is out of memory. The run is
// tried again: if it ends so once more, that is a failure; if not, it was somebody else, and the session is
// not judged.
//
// Sessions are numbered; each has its seed, whoever runs it. With several testers as many sessions take place
// at once, a thread each; what they find is put together in the order of their numbers. What a cause is says
// outcome.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drive/tester.h"

namespace treaty::drive {

struct Finding {
    Outcome outcome;            // of the first session that failed so
    std::uint64_t session = 0;  // its number
    std::uint64_t count = 1;    // how many failed so
    std::int64_t kept = 0;      // its number where failures are kept; 0: nowhere
    bool known_before = false;  // it was there before the first session; then that has no number
};

// Called once for each cause, as soon as it is found, one call at a time; gives the number under which it is
// kept.
using KeepFinding = std::function<std::int64_t(const Tester&, const Outcome&)>;

struct CampaignOptions {
    std::uint64_t seed = 0;
    std::uint64_t sessions = 100;
    base::Deadline deadline;
    bool keep_going = false;           // after a failure
    std::size_t most_findings = 100;   // then it ends
    std::optional<unsigned> coverage;  // ends when so much of the steps has been seen, per cent
    // Who says what is sent in the session of this number; none: the seed does.
    std::function<std::unique_ptr<Director>(std::uint64_t)> director;
    bool challenge = false;      // each session sends one message that is not allowed
    KeepFinding keep;            // none: they are kept nowhere
    std::vector<Finding> known;  // failures that are there already; the first one ends it, too
};

struct CampaignResult {
    // Each session is one of three: completed (see outcome.h), failed, or unfinished; of the unfinished ones
    // some could not be judged.
    std::uint64_t sessions = 0, completed = 0, fail = 0, unfinished = 0, inconclusive = 0;
    std::uint64_t messages = 0, ended = 0, tests_passed = 0;
    std::uint64_t mute = 0;  // passed, but nothing was sent in them: they say next to nothing
    std::string obstacle;    // why one is unfinished
    std::size_t possibilities = 0;
    std::map<std::string, std::uint64_t> challenges;  // what was sent that is not allowed, how often
    std::vector<Finding> findings;  // those known before, then in order of their first session
    std::optional<Outcome> odd;     // one that could not be judged
    bool coverage_reached = false;
    bool time_up = false;  // before all sessions were run; the last one may be cut off
    Coverage coverage;
    std::vector<std::pair<std::uint64_t, std::size_t>>
        curve;  // sessions run, steps seen: whenever there were more
};

// Called now and then with what there is so far, one call at a time.
using CampaignProgress = std::function<void(const CampaignResult&)>;

// The testers are of the same protocol and role, each of a specification of its own.
CampaignResult run_campaign(std::span<const std::unique_ptr<Tester>> testers, const CampaignOptions& options,
                            const CampaignProgress& progress);

// With this confidence (0.95) the part of such sessions that fail is at most this, when n in a row did not.
// Sessions must be drawn alike and independently of what was seen.
double failure_bound(std::uint64_t clean_sessions, double confidence);

}  // namespace treaty::drive
