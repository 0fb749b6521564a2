// Before connections are closed: what was sent goes out, also when it is more than the system takes at once.
#pragma once

#include <span>

#include "base/limits.h"
#include "drive/stage.h"

namespace treaty::drive {

// Waits as long as the other side reads; gives up when it has read nothing for `patience`, or when it is
// asked to stop. What comes meanwhile is thrown away: a side that is not read from may not read either.
void send_out(Stage& stage, std::span<Transport* const> transports, Clock::duration patience,
              const base::Deadline& deadline = {});

// How much waits to be sent, of all of them.
std::size_t unsent(std::span<Transport* const> transports);

}  // namespace treaty::drive
