// Access: the token in the path of every request, the Host and the Origin.
//
// The address that is printed is http://HOST:PORT/TOKEN/. Every file and every socket of the page is below
// that path, so each request has the token, without cookies, which a browser would also send to other servers
// of this machine. The Host must be a name under which the server is known; a page elsewhere that has made
// its own name point here (DNS rebinding) is refused by it. A browser states the page that asks in Origin;
// only our own page may.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/server.h"

namespace treaty::workbench {

// 128 bits from the kernel, in hexadecimal digits. Also for the nonces of pages.
std::string new_token();

class Gate {
public:
    // hosts: HOST:PORT as browsers write them in Host.
    Gate(std::string token, std::vector<std::string> hosts);

    // What is asked for, without the token and the query: "", "app.js"; nothing: `refusal` has the reason.
    std::optional<std::string> admit(const net::Request& request, net::Reply& refusal) const;
    const std::string& token() const { return token_; }

private:
    std::string token_;
    std::vector<std::string> hosts_;
};

// The names under which a server at this address is known to browsers of this machine.
std::vector<std::string> names_of(const net::Address& address);

// Whether only this machine can reach what listens there. An empty host: this machine.
bool is_loopback(std::string_view host);

// What every reply has: no script, style, frame or connection from elsewhere. The nonce is for styles that
// the editor makes.
std::vector<net::Field> protective_fields(std::string_view nonce);

}  // namespace treaty::workbench
