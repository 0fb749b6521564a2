// Whether the protocol allows these messages to the component in this order, whatever the component sends.
//
// `false` is certain: no conversation has them. So a candidate of shrinking that the protocol forbids need
// not be tried. Checked first by the messages alone, then with their data. What the component sends is not
// known beforehand, so a condition that needs it counts as true; so does a condition that needs a message of
// another role of the tester, since the order of messages of different roles is ignored. Bounded by the
// places visited, the steps tried, time and the user's interrupt; beyond that the answer is true.
#pragma once

#include <span>

#include "base/limits.h"
#include "drive/session_result.h"
#include "roles/role_part.h"

namespace treaty::campaign {

struct PlausibleLimits {
    base::Deadline deadline;
    bool with_data = true;          // false: by the messages alone
    std::size_t steps = 5'000'000;  // transitions tried, enabled or not: some tenths of a second
};

bool plausible(const roles::RolePart& part, std::span<const drive::Exchange> exchanges,
               const PlausibleLimits& limits = {});

}  // namespace treaty::campaign
