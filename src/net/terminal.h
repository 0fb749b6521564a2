// A pseudo-terminal: a serial line to a program, which sees a terminal device.
//
// The device is in raw mode: bytes go through as they are, without echo. A terminal has no end that one side
// could give: finish() does nothing, and the transport is closed only when the device is gone. With a baud
// rate, what is sent leaves at that speed, ten bits per byte; what the program sends comes as it writes it.
#pragma once

#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"
#include "net/transport.h"

namespace treaty::net {

// Both sides. The device is held open here too, so that a program may close it and open it again.
struct Terminal {
    base::Descriptor master, device;
    std::string path;  // of the device: /dev/pts/5
};

base::Result<Terminal> open_terminal();

// May be called again for the next session with the same terminal. baud: bits per second; 0: at once.
base::Result<std::unique_ptr<Transport>> over_terminal(const Loop& loop, const Terminal& terminal,
                                                       std::uint32_t baud);

}  // namespace treaty::net
