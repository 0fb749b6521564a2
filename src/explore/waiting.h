// What a machine waits for in a state where it cannot step, in words: "waits for reply from B or stop from
// C".
//
// A receiver waits for a message in every mode. A sender waits only if the channel requires it: in sync
// mode for its partner ("waits to send m to B"), with a bound for room ("waits for room to send m to B").
// Without a bound a sender never waits, so its sends are not named. A state without edges "waits for ever".
#pragma once

#include <string>

#include "model/system.h"

namespace treaty::explore {

std::string waiting_text(const model::Machine& machine, model::StateId state,
                         const model::Channels& channels);

}  // namespace treaty::explore
