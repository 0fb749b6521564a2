#include "symbolic/stopping.h"

#include "choreo/machine_limits.h"

namespace treaty::symbolic {

std::string why_stopped(const base::Deadline& deadline) {
    return choreo::describe(deadline.interrupted() ? base::StopReason::interrupted : base::StopReason::time,
                            {});
}

}  // namespace treaty::symbolic
