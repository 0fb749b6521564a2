// Before connections are closed: sends what is left, also if it is more than the system takes at once.
#pragma once

#include <span>

#include "base/limits.h"
#include "drive/stage.h"

namespace treaty::drive {

// Waits as long as the other side reads; gives up when it has read nothing for `patience`, or when asked to
// stop. What arrives meanwhile is discarded: a peer whose output is not read may stop reading too.
void send_out(Stage& stage, std::span<Transport* const> transports, Clock::duration patience,
              const base::Deadline& deadline = {});

// How many bytes wait to be sent, on all of them.
std::size_t unsent(std::span<Transport* const> transports);

}  // namespace treaty::drive
