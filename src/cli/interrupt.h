// The user's wish to stop, from SIGINT and SIGTERM: the one thing about a run that belongs to the whole
// process.
#pragma once

#include "base/limits.h"

namespace treaty::cli {

const base::StopSource& interrupt();

// The first signal asks long work to stop and report what it has; another one a second later ends the
// program.
void install_signal_handlers();

}  // namespace treaty::cli
