// Sockets of an address, ready to be spoken through: connecting, listening, accepting. See address.h.
#pragma once

#include "drive/address.h"
#include "drive/descriptor.h"
#include "drive/transport.h"

namespace treaty::drive {

// One attempt to connect a stream socket; refused or not there yet gives nothing, and the reason in `fault`.
std::optional<Descriptor> try_connect(const Address& address, std::string& fault);

std::optional<Descriptor> listen_at(const Address& address, std::string& fault);
// The next one that connects, if there is one before the deadline.
std::optional<Descriptor> accept_until(const Descriptor& listener, Time deadline);

// A socket for datagrams: bound there if the tester listens, else one that speaks to there.
std::optional<Descriptor> datagram_socket(const Address& address, std::string& fault);

// Whether somebody on this machine takes datagrams at this port; datagrams say nothing of that themselves.
bool takes_datagrams(std::uint16_t port);

// Time as poll() takes it.
int milliseconds_until(Time until);
void pause_until(Time until);

}  // namespace treaty::drive
