// The part of `treaty check` that reasons about data: what can never happen, what cannot be answered.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "cli/session.h"
#include "model/specification.h"

namespace treaty::cli {

// Adds its findings to the diagnostics and to the protocol's entry of the result. Nothing for a protocol
// without data. Gives the run after which nothing allowed can be sent, if there is one.
std::optional<report::Run> check_symbolic(Session& session, const model::Specification& specification,
                                          const model::Protocol& protocol, base::Diagnostics& diagnostics,
                                          report::Json& entry);

}  // namespace treaty::cli
