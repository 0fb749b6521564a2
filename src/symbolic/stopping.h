// When symbolic work has to stop before it is done, by its time or by the user, and how that is said: here
// alone.
//
// An interrupt stays set, so whoever is asked later than the work that stopped for it says the same.
#pragma once

#include <string>

#include "base/limits.h"

namespace treaty::symbolic {

bool must_stop(const base::Deadline& deadline);

// "interrupted", or else "the time is up".
std::string why_stopped();

}  // namespace treaty::symbolic
