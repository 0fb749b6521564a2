// adherence: does passing the tests of a role mean keeping to the protocol?
//
// Where no other role could tell, a component may do its own events in another order and still pass. This is
// decided for all components at once (testgen/adherence.h). The verdict: fails with a component that passes
// and does not keep to the protocol, and a run that shows it; holds if there is none; undecided when a
// limit is reached, and where there are loops, since later rounds are not tested.
#pragma once

#include <optional>
#include <string>

#include "api/answer.h"
#include "api/context.h"
#include "api/suite/judging.h"
#include "api/suite/test_source.h"
#include "api/workspace.h"
#include "model/machine.h"
#include "model/system.h"

namespace treaty::api {

struct AdherenceQuestion {
    std::string file;
    std::string cut;  // the role that is tested
    TestOptions tests;
    JudgeOptions judge;
};

// A component that passes all tests and does not keep to the protocol.
struct WrongComponent {
    std::string what;  // "A sends z to C where the protocol has A get y from B"
    model::Machine component;
    Count test;                // the case that the run is with
    model::System with_roles;  // the component with the machines of that case
};

struct AdherenceAnswer : Answer {
    bool decided = false;  // the search was made: the sizes below count
    std::size_t knowledge = 0, configurations = 0;
    std::optional<WrongComponent> wrong;  // exactly if it fails
};

AdherenceAnswer adherence(const Workspace& workspace, const AdherenceQuestion& question,
                          const Context& context);

}  // namespace treaty::api
