// Does passing the tests mean keeping to the protocol? (000, chapter 5: adherence.)
//
// Not always: where no other role could tell, a component may do its own events in another order, or not do
// the last of them. find_wrong_passer() looks for a component that passes whatever a tester that keeps to the
// protocol may do, with everything it sees compared with the protocol, and that nevertheless has a run which
// is none of the protocol's. It tries every mutant of the machine and every exchange of two events that
// follow each other. One that is found is proof; none found is not, so the answer is then undecided.
#pragma once

#include <optional>
#include <string>

#include "testgen/comply.h"
#include "testgen/test_suite.h"

namespace treaty::testgen {

struct WrongPasser {
    model::Machine component;
    std::string what;  // what it does wrong, in one line
    explore::Run run;  // with the other roles; its last event is the first that no run of the protocol has
};

struct Adherence {
    base::Answer answer = base::Answer::undecided;  // fails: with a wrong passer
    std::optional<WrongPasser> wrong;
    std::size_t tried = 0;
};

Adherence find_wrong_passer(const TestSuite& suite, const ComplianceOptions& options);

// A shortest run of the component with the other roles whose last event no run of the protocol has there, the
// component's own events included; nothing if there is none within the limit of configurations.
std::optional<explore::Run> leaves_protocol(const model::Machine& component, const TestSuite& suite,
                                            const model::Channels& channels, std::size_t limit = 200'000);

}  // namespace treaty::testgen
