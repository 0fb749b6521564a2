// Sockets of an address, ready to be spoken through: connecting, listening, accepting. See address.h.
#pragma once

#include "base/descriptor.h"
#include "net/address.h"
#include "net/transport.h"

namespace treaty::net {

// A stream socket on its way to be connected: what becomes of it shows when it is spoken through.
std::optional<base::Descriptor> start_connect(const Address& address, std::string& fault);

// Whether the host is known; the reason in `fault` if not.
bool can_be_resolved(const Address& address, std::string& fault);

// One attempt to connect a stream socket; refused or not there yet gives nothing, and the reason in `fault`.
std::optional<base::Descriptor> try_connect(const Address& address, std::string& fault);

std::optional<base::Descriptor> listen_at(const Address& address, std::string& fault);
// The host and port where a socket is bound, as numbers; nothing for one that is not a socket of the network.
std::optional<Address> local_address(const base::Descriptor& socket);
// The next one that connects, if there is one before the deadline.
std::optional<base::Descriptor> accept_until(const base::Descriptor& listener, Time deadline);

// A socket for datagrams: bound there if the tester listens, else one that speaks to there.
std::optional<base::Descriptor> datagram_socket(const Address& address, std::string& fault);

// Whether somebody on this machine takes datagrams at this port; datagrams say nothing of that themselves.
bool takes_datagrams(std::uint16_t port);

}  // namespace treaty::net
