#include "symbolic/stopping.h"

#include "choreo/machine_limits.h"

namespace treaty::symbolic {

bool must_stop(const base::Deadline& deadline) {
    return base::interrupt_flag().load(std::memory_order_relaxed) || deadline.passed();
}

std::string why_stopped() {
    return choreo::describe(base::interrupt_flag() ? base::StopReason::interrupted : base::StopReason::time,
                            {});
}

}  // namespace treaty::symbolic
