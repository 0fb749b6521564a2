// From an address to something to speak through: the socket, and what is layered on it.
#pragma once

#include <memory>

#include "base/descriptor.h"
#include "net/address.h"
#include "net/transport.h"

namespace treaty::net {

class TlsIdentity;

// The tester's side of an address on which it listens; kept over the sessions.
struct Listener {
    base::Descriptor socket;
    std::shared_ptr<TlsIdentity> identity;  // if it is encrypted
};

// A stream over a connected socket, or one that is being connected; encrypted if there is an identity. host:
// see tls.h.
std::unique_ptr<Transport> over_socket(base::Descriptor socket, const std::shared_ptr<TlsIdentity>& identity,
                                       const std::string& host);

std::optional<Listener> listen_on(const Address& address, std::string& fault);

// One attempt to reach a component that listens; not there yet gives null, and the reason in `fault`.
std::unique_ptr<Transport> reach(const Address& address, std::string& fault);

// What the next component that connects is spoken to through; null if none does before the deadline. The
// listener must outlive it.
std::unique_ptr<Transport> await_caller(const Address& address, const Listener& listener, Time deadline);

}  // namespace treaty::net
