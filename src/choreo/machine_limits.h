// How large a machine may become, and what is reported when it would become larger.
//
// Every function of this folder that may multiply states takes MachineLimits and returns a MachineResult:
// either the machine, or the reason why there is none. Reaching a limit is an outcome, not an error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/limits.h"
#include "model/machine.h"

namespace treaty::choreo {

struct MachineLimits {
    std::size_t states = 1'000'000;
    std::size_t bytes = std::size_t{1} << 30;  // of states and edges while they are built, roughly
    base::Deadline deadline;                   // asked every few thousand states
};

struct MachineResult {
    std::optional<model::Machine> machine;
    base::StopReason stopped = base::StopReason::none;  // none also if `reason` is something else
    std::string reason;                                 // empty exactly if there is a machine

    explicit operator bool() const { return machine.has_value(); }
    model::Machine& operator*() { return *machine; }
    const model::Machine& operator*() const { return *machine; }
    const model::Machine* operator->() const { return &*machine; }

    static MachineResult of(model::Machine machine) { return {std::move(machine), {}, {}}; }
    static MachineResult stop(base::StopReason why, std::string reason) {
        return {{}, why, std::move(reason)};
    }
};

// Whether the work must stop now, and why; none while it may go on. Cheap enough to ask for every state.
class LimitWatch {
public:
    explicit LimitWatch(const MachineLimits& limits) : limits_(limits) {}
    base::StopReason ask(std::size_t states, std::size_t bytes);

private:
    const MachineLimits& limits_;
    std::size_t asked_ = 0;
};

// "more than 1000 states", "time limit", ...
std::string describe(base::StopReason why, const MachineLimits& limits);

}  // namespace treaty::choreo
