// Endpoints and sockets of an address, for the sources of this folder: resolving, making, accepting.
//
// Every socket is closed on exec and does not block. Asio makes and accepts sockets that stay open in a
// program that another thread starts at the same moment, so they are made here and given to it. Resolving
// waits for the name server: Asio would do it in a thread of its own, and addresses are resolved once, before
// anybody is spoken to.
#pragma once

#include <vector>

#include <boost/asio/generic/datagram_protocol.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include "net/address.h"
#include "net/asio.h"

namespace treaty::net {

using StreamSocket = asio::generic::stream_protocol::socket;      // TCP or Unix
using DatagramSocket = asio::generic::datagram_protocol::socket;  // UDP
using StreamEndpoint = asio::generic::stream_protocol::endpoint;
using DatagramEndpoint = asio::generic::datagram_protocol::endpoint;

// All addresses of the name, at least one, in the order to be tried; a fault if it is not known.
base::Result<std::vector<StreamEndpoint>> resolve_stream(const Address& address);
base::Result<std::vector<DatagramEndpoint>> resolve_datagram(const Address& address);

// A new socket for this endpoint, open.
void make_socket(const StreamEndpoint& endpoint, StreamSocket& into, error_code& error);
void make_socket(const DatagramEndpoint& endpoint, DatagramSocket& into, error_code& error);
// Small messages are sent at once.
void send_at_once(StreamSocket& socket);

// The host and port where a socket is bound, as numbers, in place of those of `address`.
void set_bound(Address& address, int descriptor);

// Whether a program on this machine receives datagrams at this port; datagrams themselves do not show it.
bool takes_datagrams(std::uint16_t port);

}  // namespace treaty::net
