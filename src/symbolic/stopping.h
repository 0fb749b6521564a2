// When symbolic work has to stop before it is done, and how that is reported: only here.
#pragma once

#include <string>

#include "base/limits.h"

namespace treaty::symbolic {

// "interrupted", or else "time limit": a deadline that has passed stays so.
std::string why_stopped(const base::Deadline& deadline);

}  // namespace treaty::symbolic
