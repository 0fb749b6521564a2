// When symbolic work has to stop before it is done, and how that is said: here alone.
#pragma once

#include <string>

#include "base/limits.h"

namespace treaty::symbolic {

// "interrupted", or else "the time is up": a deadline that has passed stays so.
std::string why_stopped(const base::Deadline& deadline);

}  // namespace treaty::symbolic
