// Many sessions with one kind of component: until enough have been run, the time is up, everything has been
// seen, or a failure was found. Failures with the same cause are one finding.
//
// A component that was killed by a signal which processes send one another (SIGKILL, SIGTERM, ...) may have
// caused that itself, or something else has: an operator, or the system when it is out of memory. The run is
// repeated. If the signal comes again, that is a failure; if not, something else has killed it, and the
// session is not judged.
//
// Sessions are numbered; each has its own seed, whichever tester runs it. With several testers as many
// sessions run at once, one thread each; their findings are combined in the order of the session numbers.
// session_result.h defines what a cause is.
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

namespace treaty::campaign {

struct Finding {
    drive::SessionResult outcome;  // of the first session that failed with this cause
    std::uint64_t session = 0;     // its number
    std::uint64_t count = 1;       // how many failed with it
    std::int64_t kept = 0;         // its number in the failure store; 0: not kept
    bool known_before = false;     // from an earlier run; then `session` means nothing
};

// Called once for each cause, as soon as it is found, one call at a time. Returns the number under which it
// is kept.
using KeepFinding = std::function<std::int64_t(const drive::Tester&, const drive::SessionResult&)>;

// One session, as a list of them shows it.
struct SessionRecord {
    std::uint64_t number = 0;
    drive::Verdict verdict = drive::Verdict::inconclusive;
    drive::Problem problem = drive::Problem::none;
    bool completed = false;
    std::size_t messages = 0;
    std::uint64_t sent_bytes = 0, received_bytes = 0;  // to the component, and from it
    double seconds = 0;                                // with starting the component
};

struct CampaignOptions {
    std::uint64_t seed = 0;
    std::uint64_t sessions = 100;
    base::Deadline deadline;
    bool keep_going = false;           // after a failure
    std::size_t most_findings = 100;   // the campaign ends then
    std::optional<unsigned> coverage;  // ends when this percentage of the steps was seen
    // Decides what is sent in the session of this number; none: the seed decides.
    std::function<std::unique_ptr<drive::Director>(std::uint64_t)> director;
    bool challenge = false;      // each session sends one message that is not allowed
    KeepFinding keep;            // none: findings are not kept
    std::vector<Finding> known;  // failures known before; the first one also ends the campaign
};

struct CampaignResult {
    // Each session is one of three: completed (see session_result.h), failed, or unfinished; of the
    // unfinished ones some could not be judged.
    std::uint64_t sessions = 0, completed = 0, fail = 0, unfinished = 0, inconclusive = 0;
    std::uint64_t messages = 0, ended = 0, tests_passed = 0;
    std::uint64_t nothing_sent = 0;  // passed, but nothing was sent, so they prove almost nothing
    std::string obstacle;            // why one is unfinished
    std::uint64_t solver_calls = 0;  // for the data of what was sent
    std::size_t possibilities = 0;
    std::map<std::string, std::uint64_t> challenges;  // what was sent that is not allowed, how often
    std::vector<Finding> findings;                 // those known before, then in order of their first session
    std::optional<drive::SessionResult> unjudged;  // one that could not be judged
    bool coverage_reached = false;
    bool time_up = false;  // before all sessions were run; the last one may be cut off
    roles::Coverage coverage;
    static constexpr std::size_t most_records = 1000;
    std::vector<SessionRecord> records;  // of the first sessions that ended, by their numbers
    std::vector<std::pair<std::uint64_t, std::size_t>>
        curve;  // (sessions run, steps seen), each time the second grew
};

// Called now and then with the result so far, one call at a time.
using CampaignProgress = std::function<void(const CampaignResult&)>;

// The testers have the same protocol and role, each with its own copy of the specification.
CampaignResult run_campaign(std::span<const std::unique_ptr<drive::Tester>> testers,
                            const CampaignOptions& options, const CampaignProgress& progress);

// With this confidence (0.95), at most this share of such sessions fails, if n in a row have passed. Sessions
// must be drawn from one distribution and independently of what was seen.
double failure_bound(std::uint64_t clean_sessions, double confidence);

}  // namespace treaty::campaign
