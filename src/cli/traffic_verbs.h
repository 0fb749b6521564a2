// The verbs that record traffic and guess from it; what they take and give is as in verbs.h.
#pragma once

#include "cli/verbs.h"

namespace treaty::cli {

int verb_proxy(Arguments arguments);
int verb_mine(Arguments arguments);

}  // namespace treaty::cli
