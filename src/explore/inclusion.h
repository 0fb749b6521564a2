// Does every run of a system spell a word of a given language? With a shortest run that does not.
//
// The language is prefix-closed and given by an Acceptor, a deterministic automaton that may be built while
// it is asked, or by a deterministic Machine without silent steps (its words are the labels along its paths;
// finals do not count). A run's word is its events without silent ones. In sync mode an event is the
// interaction if the language speaks of interactions, else the send followed by the receive. This is the
// first half of "the system realizes the protocol" (Coto 2023, definition 3.3); the other half is explore()
// (safety.h).
//
// Exact whenever the reachable space is finite. If it is not, a counterexample that is reported is one;
// without one the answer is undecided and the reason names the channel that grows, or the limit. The same
// where the acceptor cannot tell (Acceptor::unknown) before a refusal was found.
#pragma once

#include <cstdint>
#include <string>

#include "base/answer.h"
#include "base/limits.h"
#include "explore/configuration.h"
#include "explore/search_limits.h"

namespace treaty::explore {

class Acceptor {
public:
    static constexpr std::uint32_t refused = UINT32_MAX;
    static constexpr std::uint32_t unknown = UINT32_MAX - 1;

    virtual ~Acceptor() = default;
    virtual std::uint32_t initial() = 0;
    // The state after one more label; refused if no word goes on like this; unknown if a limit of the
    // acceptor's own was reached. The same question always has the same answer: runs are found by asking
    // again, so code that runs out of room must still answer what it has answered before.
    virtual std::uint32_t next(std::uint32_t state, model::LabelId label) = 0;
    virtual std::string why_unknown() const { return "the language could not be followed any further"; }
    virtual bool speaks_of_interactions() const = 0;
    virtual bool concurrent() const { return false; }  // next() from several threads
};

struct InclusionOptions {
    bool compress = false;
    unsigned jobs = 1;
    Limits limits;
    ProgressCallback progress;
};

struct InclusionReport {
    base::Answer answer = base::Answer::undecided;
    std::string reason;
    Run run;  // if it fails: a shortest run whose last step is refused
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    std::size_t bytes = 0;
    base::StopReason stopped = base::StopReason::none;
};

InclusionReport included(const model::System& system, Acceptor& language,
                         const InclusionOptions& options = {});
// The machine must share the system's alphabet; one that does not, or is not deterministic, is undecided.
InclusionReport included(const model::System& system, const model::Machine& language,
                         const InclusionOptions& options = {});

}  // namespace treaty::explore
