// Is every reachable configuration of a system safe? Explicit search, with shortest counterexamples.
//
// Definitions. Machines that never exchange a message, even indirectly, form separate groups, and every
// notion below is about one group: what goes wrong in one is not hidden by another that goes on for ever.
// A machine rests in a final state and in a state without edges. For a reachable configuration c and a group
// g:
//   - ended: no machine of g can step in c (nor, hence, ever again).
//   - deadlock: g has ended and some machine of g does not rest.
//   - orphan_message: a channel holds a message that no run from c receives, and either g has ended with all
//     machines at rest, or g cannot end any more. (In a bag this is asked for each message by itself, in a
//     queue for the oldest one. A group that can still end otherwise is judged where it has ended.)
//   - unspecified_reception (fifo, mailbox): a machine of g does not rest, its state has receive edges only,
//     and every channel they read holds a message whose oldest one none of them takes: it waits for ever.
//   - stuck_role: a machine of g does not rest, no run from c moves it, and g cannot end any more: the
//     others go on for ever without it.
//   - unbounded_channel (only without a bound): a loop that can be repeated for ever and leaves more messages
//     in a channel each time.
// A deadlock or an orphan where g has ended is exactly an unsafe configuration of Coto 2023, definition 3.1,
// except that a machine may rest in a final state; with `finals_rest` off it is that definition to the
// letter.
//
// What is exact. With a bound, in sync mode, and in bag mode: all of it. Without a bound, fifo and mailbox:
// an unbounded_channel that is reported is one; when the search ends, the reachable space is finite and all
// answers are exact; channels that grow without such a loop (the problem is undecidable) end at a limit as
// undecided.
//
// The answer is `holds`, `fails` with `unsafe` not empty, or `undecided` when a limit came first. Reading a
// System from several threads is safe, and so is calling explore() from several.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/answer.h"
#include "base/limits.h"
#include "explore/configuration.h"
#include "explore/search_limits.h"

namespace treaty::explore {

enum class UnsafeKind : std::uint8_t {
    deadlock,
    orphan_message,
    unspecified_reception,
    stuck_role,
    unbounded_channel,
};

std::string_view to_string(UnsafeKind kind);  // "deadlock", "orphan message", ...

struct Unsafe {
    UnsafeKind kind = UnsafeKind::deadlock;
    Run run;                 // from the initial configuration
    bool shortest = true;    // no shorter run shows a fault of this kind
    model::RoleId role;      // deadlock, unspecified, stuck: who waits; else the receiver of `channel`
    Channel channel;         // orphan, unbounded: which
    Parcel parcel;           // orphan: the message in it
    std::size_t repeat = 0;  // unbounded: run[repeat..] can be repeated for ever
    Configuration end;       // where the run leads
};

struct ExploreOptions {
    bool reduce = true;       // partial-order reduction and one search a group; counts are of what was stored
    bool finals_rest = true;  // a machine in a final state may stay there
    bool endless = true;      // look for stuck roles and orphans in groups that go on for ever, too
    bool compress = false;    // slower, a third of the memory
    unsigned jobs = 1;        // threads
    Limits limits;
    ProgressCallback progress;
};

struct ExploreReport {
    base::Answer answer = base::Answer::undecided;
    std::string reason;  // one sentence
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::size_t bytes = 0;       // at the peak
    std::uint32_t depth = 0;     // of the farthest configuration
    bool complete = false;       // every reachable configuration was visited or represented
    bool reduced = false;        // the counts are of a reduced space
    std::vector<Unsafe> unsafe;  // at most one per kind, in the order of UnsafeKind
    base::StopReason stopped = base::StopReason::none;
};

ExploreReport explore(const model::System& system, const ExploreOptions& options = {});

}  // namespace treaty::explore
