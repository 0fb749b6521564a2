// Checks the assertions of a CSPM script, one after the other.
#pragma once

#include <string>

#include "cli/session.h"

namespace treaty::cli {

// Fills in the session's result: a line for each assertion, and as the answer the worst one of them.
void run_csp(Session& session, const std::string& path);

}  // namespace treaty::cli
