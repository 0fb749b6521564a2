// What the tests of a protocol are made from: the protocol without loops and one machine per role, data left
// aside.
//
// Loops are unrolled at most `times` times (choreo/unfold.h), so every machine has finitely many words and
// its graph has no cycle; tests, the component they expect, and the language they are judged by are all those
// of the unrolled protocol. Data is ignored: a condition is a choice of the role that sends next. Machines
// are deterministic and minimal, and their edges keep the step of the protocol they come from. `protocol`
// shares the alphabet of the specification, which must outlive this.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "choreo/machine_limits.h"
#include "model/machine.h"
#include "model/protocol.h"
#include "model/specification.h"

namespace treaty::testgen {

struct Projections {
    model::Specification* specification = nullptr;
    std::shared_ptr<const model::Protocol> protocol;
    std::vector<model::Machine> machines;  // parallel to protocol->roles()
    bool unfolded = false;                 // there were loops
    bool truncated = false;                // something ends early because of the bound on rounds
    bool has_data = false;                 // and it was left aside
    // Only if there were loops: the machines with the loops in them (parallel to machines, without steps).
    std::vector<model::Machine> unbounded;
    // Only if there were loops: the protocol with them, and how many rounds of each there are here.
    std::shared_ptr<const model::Protocol> looped;
    std::uint32_t times = 0;

    std::optional<std::size_t> position(model::RoleId role) const;
};

struct ProjectionsResult {
    std::optional<Projections> projections;
    base::StopReason stopped = base::StopReason::none;
    std::string reason;  // empty exactly if there are projections
};

ProjectionsResult make_projections(model::Specification& specification, const model::Protocol& protocol,
                                   std::uint32_t times, const choreo::MachineLimits& limits = {});

// The machine without the steps of the protocol it comes from.
model::Machine without_nodes(const model::Machine& machine);

// The machine without guards, values and silent steps, deterministic and minimal.
choreo::MachineResult without_data(const model::Machine& machine, const choreo::MachineLimits& limits = {});

}  // namespace treaty::testgen
