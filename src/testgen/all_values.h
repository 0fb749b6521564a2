// Whether a component passes with all values of all messages: a proof, or values with which it may not.
//
// The component runs with the other roles, all choices open, and all machines keep their data: values are
// expressions over symbols (symbolic_step.h), what a run asks of them is its condition, and the solver says
// which runs there are. Beside it the role's own projection does the same events. The component passes if the
// projection can do each of its events with the same data, whatever the values, and wherever the run may end
// all others have ended, the projection may, and nothing is left in a channel. Then every run of the
// component with the others is one of the protocol's machines, so no observer refuses it, and it ends well:
// comply() holds for any choice of values.
//
// This is enough, not necessary: a component that does the same in another order is not proved. So
// `passes` is a proof, and `fails` only a suspicion, with the values of the messages in a few runs that went
// wrong: a caller that wants a verdict runs the component with these. Where several edges of the projection
// fit an event, the first one that does is taken.
//
// Machines must have no cycles. Over fifo channels without a bound, steps of different machines that cannot
// disturb each other are not tried in every order. Work is bounded: by configurations, by the time and by
// what the solver may take for a question; beyond it, and for expressions that symbolic_step.h does not
// support, the answer is unknown, with the reason. Adds to the pool: not safe for concurrent use.
//
// symbolic/conformance.h cannot serve here: it compares two graphs by themselves, and demands that each does
// what the other does. A component passes already if the others never come to where it differs, and that
// depends on what they send and on the channels, which symbolic/product.h does not have. Channels here hold
// expressions, and a step is possible under a condition instead of simply possible, so the stepping is not
// that of explore/configuration.h either; for values that are all tried the two are compared by a test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "model/system.h"
#include "solve/solver.h"
#include "testgen/concrete.h"
#include "testgen/symbolic_step.h"

namespace treaty::testgen {

enum class ForAllValues : std::uint8_t { passes, fails, unknown };

struct AllValuesAnswer {
    ForAllValues answer = ForAllValues::unknown;
    std::vector<std::vector<FieldValue>> suspects;  // fails: of each run that went wrong, a few of them
    std::string reason;                             // unknown: why
    std::size_t configurations = 0;
};

struct AllValuesOptions {
    model::Channels channels;
    bool observe_final = false;  // where a run ends the component must be able to end, too
    bool every_order = false;    // try all orders of steps nevertheless (for tests)
    std::size_t configurations = 3000;
    base::Deadline deadline;
};

class AllValues {
public:
    // machines: with data, one for each role of the protocol; cut: the position of the role that is tested.
    // Keeps references to them.
    AllValues(model::Specification& specification, std::vector<const model::Machine*> machines,
              std::size_t cut);

    AllValuesAnswer judge(const model::Machine& component, const AllValuesOptions& options);  // with data

private:
    model::Specification& specification_;
    std::vector<const model::Machine*> machines_;
    std::size_t cut_;
    solve::Solver solver_;
    SymbolicStep step_;
};

}  // namespace treaty::testgen
