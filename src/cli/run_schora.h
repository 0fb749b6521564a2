// Runs a SChorA script, command by command.
#pragma once

#include <string>

#include "cli/session.h"

namespace treaty::cli {

// Fills in the session's result: what each command shows, and as the answer the worst one of its
// conformance commands.
void run_schora(Session& session, const std::string& path);

}  // namespace treaty::cli
