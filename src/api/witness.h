// Runs of the search engine, told with the names and lines of the files they are about.
#pragma once

#include <span>
#include <string>

#include "base/source.h"
#include "explore/safety.h"
#include "model/protocol.h"
#include "model/run.h"
#include "model/system.h"
#include "symbolic/check_data.h"

namespace treaty::api {

// protocol: where the machines were projected from, for the lines of their events; null if from nowhere.
model::Run run_of(const model::System& system, std::span<const explore::Step> steps,
                  const model::Protocol* protocol, const base::SourceMap& sources);

// The run to a fault, with what is the matter at its end.
model::Run witness_of(const model::System& system, const explore::Unsafe& unsafe,
                      const model::Protocol* protocol, const base::SourceMap& sources);

// The run after which the role that must send has nothing allowed to send. Valid if it was found incoherent.
model::Run witness_of(const symbolic::DataCheck& found, const model::Protocol& protocol,
                      const base::SourceMap& sources);

// "deadlock: A waits for B A?deny", "orphan message: allow from B to C is never received": what is the
// matter, in one line.
std::string describe(const model::System& system, const explore::Unsafe& unsafe);

}  // namespace treaty::api
