// Where the component under test is reached, as the user writes it after --via.
//
//   tcp://HOST:PORT      a stream           unix:PATH   the same over a Unix socket
//   tls://HOST:PORT      encrypted          stdio:      the component's standard input and output
//   udp://HOST:PORT      one message a datagram
//   pty:                 a pseudo-terminal that the component opens (net/terminal.h); pty:?baud=9600
//   ws://HOST:PORT/PATH  WebSocket, one message a frame; wss:// encrypted
//   http://HOST:PORT/PATH  each message is the body of a POST, its answer the body of the reply, or, with a
//   wire over http, a whole request or reply; https:// encrypted
//
// So written the component listens. With `-listen` (tcp-listen://, unix-listen:, ws-listen://, ...) the
// tester does. Encrypted ones may have `?ca=FILE` (trust only these) and, listening, `?cert=FILE&key=FILE`;
// otherwise any certificate is taken, and a new one is made. Placeholders such as {port} are replaced before
// an address is read (process/placeholders.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace treaty::net {

enum class AddressKind : std::uint8_t { tcp, udp, unix_socket, stdio, pty };
enum class Layer : std::uint8_t { none, websocket, http };

struct Address {
    AddressKind kind = AddressKind::stdio;
    bool listen = false;  // the tester listens
    bool encrypted = false;
    Layer layer = Layer::none;
    bool http_messages = false;  // HTTP: a message is a whole request or reply, not only its body
    std::string host;
    std::uint16_t port = 0;
    std::string path;                  // of the Unix socket, or what is asked of a WebSocket or HTTP server
    std::string ca, certificate, key;  // files
    std::uint32_t baud = 0;            // of a pseudo-terminal; 0: as fast as it goes
};

// A fault if it is not an address.
base::Result<Address> parse_address(std::string_view text);

// HOST:PORT alone, as a TCP address. Port 0, a free one, is only for listening.
base::Result<Address> parse_host_and_port(std::string_view text, bool listen);

// HOST:PORT, the host in brackets if it is a number with colons.
std::string host_and_port(const Address& address);

}  // namespace treaty::net
