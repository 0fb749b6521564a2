// Plays every role but one and tests the program that plays that one.
//
// A Tester is made once for a protocol and a component; each session starts the component afresh (or connects to
// one that runs), opens a connection for each role it plays, and lets a conversation take its course: it sends only
// what every possible configuration of the component allows, takes what comes, and ends with a verdict. All is
// decided by the seed, except what the component does and when.
//
// How long silence may last is said by `within` on a step, else by the options. No session outlasts its limits, and
// nothing that it has started is left behind. Not safe for concurrent use.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/limits.h"
#include "drive/outcome.h"
#include "model/specification.h"

namespace treaty::drive {

struct TesterOptions {
    std::string command;                         // empty: it runs already
    std::map<model::RoleId, std::string> via;    // where each played role reaches it
    std::string wire;                            // which wire of the file; empty: the last; JSON if there is none
    std::chrono::milliseconds silence{2000};     // after that a message that is due is missing
    std::chrono::milliseconds startup{10'000};
    std::chrono::milliseconds quiet{30};         // how long to listen where silence is allowed
    std::size_t length = 20;                     // messages after which a session heads for its end
    bool keep = false;                           // one component for all sessions
    base::Deadline deadline;                     // of all sessions
};

// Which steps of the component's part have been seen, over all sessions.
struct Coverage {
    struct Step {
        model::NodeId node;
        bool to_component = false;
        std::uint64_t seen = 0;
    };
    std::vector<Step> steps;
    std::size_t covered() const;
};

class Tester {
public:
    // The specification must outlive it. Nothing, and the reason in `fault`, if the role's part has no meaning, or
    // an address is wrong.
    static std::unique_ptr<Tester> make(model::Specification& specification, const model::Protocol& protocol,
                                        model::RoleId cut, TesterOptions options, std::string& fault);
    ~Tester();

    Outcome run(std::uint64_t seed);
    // Sends the messages to the component as they are, each once as many of its answers have come as it had to wait
    // for; judges what comes like run().
    Outcome replay(std::span<const Exchange> exchanges);

    const Coverage& coverage() const;

    struct Impl;

private:
    explicit Tester(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace treaty::drive
