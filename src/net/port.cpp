#include "net/port.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <random>
#include <string>

namespace treaty::net {
namespace {

constexpr int attempts = 1000;
constexpr std::uint16_t lowest = 10'000;     // below are the ports of well-known services
constexpr std::uint16_t enough_ports = 500;  // for the sessions of a campaign, with those that rest after use

PortRange kernels_range() {
    PortRange range{32'768, 60'999};
    std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
    std::uint16_t first = 0, last = 0;
    if (file >> first >> last && first <= last) range = {first, last};
    return range;
}

// A program could listen there at every address, without sharing the port.
bool is_free(std::uint16_t port, int type) {
    base::Descriptor probe(socket(AF_INET, type | SOCK_CLOEXEC, 0));
    sockaddr_in all{};
    all.sin_family = AF_INET;
    all.sin_port = htons(port);
    all.sin_addr.s_addr = htonl(INADDR_ANY);
    return bind(probe.get(), reinterpret_cast<const sockaddr*>(&all), sizeof all) == 0;
}

// A name without a file: the kernel keeps it as long as the descriptor is open. scripts/ports.py uses the
// same.
base::Descriptor claim(std::uint16_t port) {
    base::Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::string name = fmt::format("treaty-port-{}", port);
    std::copy(name.begin(), name.end(), address.sun_path + 1);
    auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (bind(made.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0) return made;
    return {};
}

}  // namespace

PortRange ports_beside(PortRange kernels) {
    if (kernels.first >= lowest + enough_ports)
        return {lowest, static_cast<std::uint16_t>(kernels.first - 1)};
    if (kernels.last <= 65'535 - enough_ports)
        return {std::max(lowest, static_cast<std::uint16_t>(kernels.last + 1)), 65'535};
    return {std::max(lowest, kernels.first),
            65'535};  // all are the kernel's: the claim still keeps Treaty out
}

ClaimedPort::ClaimedPort() : ClaimedPort(ports_beside(kernels_range())) {}

ClaimedPort::ClaimedPort(PortRange range) {
    std::random_device chance;
    std::uniform_int_distribution<int> any(range.first, range.last);
    for (int i = 0; i < attempts; ++i) {
        auto port = static_cast<std::uint16_t>(any(chance));
        claim_ = claim(port);
        if (!claim_ || !is_free(port, SOCK_STREAM) || !is_free(port, SOCK_DGRAM)) continue;
        number_ = port;
        return;
    }
    claim_ = {};
}

}  // namespace treaty::net
