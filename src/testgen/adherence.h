// Does passing the tests mean keeping to the protocol? (Coto 2023, chapter 5: adherence.)
//
// Not always: where no other role could tell, a component may do its own events in another order. A protocol
// is adherent for a role if in every component that passes all its tests every run that ends successfully is
// a run of the protocol, the component's own events included: one that the protocol's machines have over the
// same channels.
//
// This is decided, not tried: passing.h gives the most general component that passes, and every run of every
// other one is a run of it. If one of its runs leaves the protocol, a component with this run is made from
// it: as small as keeping to the projection elsewhere allows, and passing, which a test shows with comply().
// Loops are unrolled, so where there are some `holds` is about the rounds that are tested; the caller says
// so.
#pragma once

#include <optional>
#include <string>

#include "testgen/comply.h"
#include "testgen/test_suite.h"

namespace treaty::testgen {

// A shortest run of a component with a test that leaves the protocol.
struct Departure {
    explore::Run run;    // its last event is the first that no run of the protocol has there
    bool early = false;  // instead, every event is, but the component stops where it has to go on
    std::string what;    // "A sends z to C where the protocol has A get y from B"
};

struct WrongPasser {
    model::Machine component;
    TestCase test;  // with which the run is
    Departure departure;
};

struct Adherence {
    base::Answer answer = base::Answer::undecided;
    std::optional<WrongPasser> wrong;  // exactly if it fails
    std::size_t knowledge = 0, configurations = 0;
    std::string reason;  // undecided: why
};

// global: whether the tests are judged by what all roles saw together, else each by itself.
Adherence adherence(const TestSuite& suite, const ComplianceOptions& options, bool global = true);

// Nothing if there is none within the limit of configurations.
std::optional<Departure> leaves_protocol(const model::Machine& component,
                                         const std::vector<TestMachine>& test, const TestSuite& suite,
                                         const model::Channels& channels, std::size_t limit = 200'000);

}  // namespace treaty::testgen
