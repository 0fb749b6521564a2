// Testing to a verdict: the procedure of Cavalcanti 2017, figure 1, with the fault domain refined in place.
//
// Traces of specification and domain are visited shortest first. Each is tested for what the domain has and
// the specification has not. A pass excludes the forbidden event after the trace from the domain, an
// inconclusive verdict the trace itself. A trace whose tests are done is followed by its continuations, but
// only where tests can still be reached; when nothing is left the domain refines the specification, so the
// system under test does. The tests that are run are those of that paper, in its order, but nothing is ever
// computed again: a trace is one record that points at the pair of normal-form nodes it leads to, and traces
// are visited so that each shares most of its events with the one before. So beside what the system under
// test takes, a test costs the events that it does not share with the one before, however long its trace is
// and however many are excluded already.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/answer.h"
#include "complete/product.h"
#include "complete/sut.h"

namespace treaty::complete {

struct Ran {
    Test test;
    Verdicts verdicts;
};

struct OnlineProgress {
    std::uint64_t tests = 0;
    // States of the machine that represents what is left of the domain: the traces that were looked at and
    // not excluded, and the pairs after them.
    std::uint64_t domain = 0;
    std::uint64_t waiting = 0;  // traces left
    std::size_t length = 0;     // of the trace that is tested
};

struct OnlineOptions {
    std::uint64_t tests = UINT64_MAX;  // stop after so many
    explore::Limits limits;            // states: traces kept
    bool sharp = false;  // exclude the shortest prefix that was never done, instead of the whole trace
    std::function<void(const Ran&)> ran;
    std::function<void(const OnlineProgress&)> progress;
    std::uint64_t progress_every = 256;  // traces
};

struct OnlineReport {
    base::Answer answer = base::Answer::undecided;
    std::string reason;
    std::optional<Ran>
        last;  // if it fails: the test that did; after an environment error: the one it happened in
    WorldFault fault = WorldFault::none;
    std::uint64_t tests = 0;
    std::uint64_t traces = 0;   // visited
    std::uint64_t waiting = 0;  // traces left
    std::uint64_t excluded = 0;
    std::size_t length = 0;  // of the longest trace reached: all tests of shorter ones are done
    std::uint64_t domain_size = 0;
    std::string domain;  // what is left of it, as a process; short ones only
    // The first trace after which refusals were tested and it may run silently for ever, which no test sees.
    std::optional<std::vector<model::LabelId>> silent_after;
    base::StopReason stopped = base::StopReason::none;
};

OnlineReport test_online(const Product& product, const model::Alphabet& names, Sut& sut,
                         const OnlineOptions& options = {});

struct Plan {
    bool complete = true;  // all tests that there are
    std::vector<Test> tests;
    std::string why;  // it is not complete
};

// The tests without which some faulty process of the domain passes, shortest first: exactly those, for each
// has a process that fails it alone. At most `count`, with traces of at most `length` events, and until the
// deadline.
Plan plan(const Product& product, std::uint64_t count, std::size_t length,
          const base::Deadline& deadline = {});

}  // namespace treaty::complete
