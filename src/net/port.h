// A port for a component that is started to listen at: claimed so that no other program takes it before
// the component does.
//
// The kernel gives ports of its own range to outgoing connections, so a port of that range that is free now
// may be gone a moment later; a claimed port is outside of it. Other Treaty programs on the machine see the
// claim (a name of the kernel's own, gone with the process), and what listens already is left alone. Costs a
// few system calls. The result is 0 when a thousand attempts find only taken ports.
#pragma once

#include <cstdint>

#include "base/descriptor.h"

namespace treaty::net {

struct PortRange {
    std::uint16_t first = 0, last = 0;
    bool operator==(const PortRange&) const = default;
};

// Where claimed ports come from when the kernel gives out first to last by itself.
PortRange ports_beside(PortRange kernels);

class ClaimedPort {
public:
    ClaimedPort();
    explicit ClaimedPort(PortRange range);

    std::uint16_t number() const { return number_; }

private:
    std::uint16_t number_ = 0;
    base::Descriptor claim_;
};

}  // namespace treaty::net
