// Clients of the language server over WebSocket, on a loop that belongs to its caller.
//
// Each client has a server of its own. The loop's thread reads; the writing thread of a server hands its
// messages to the loop, because only the loop may send. A server whose client is gone is ended by a thread of
// its own: it waits for the question that is being answered, and the loop does not.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string_view>

#include "lsp/serve.h"
#include "lsp/workers.h"
#include "net/server.h"

namespace treaty::lsp {

class Server;

class Clients {
public:
    // The options must outlive it.
    Clients(net::Loop loop, const ServeOptions& options);
    ~Clients();

    // Makes a client of a request that asks for a WebSocket; whether it may is for the caller to decide.
    void accept(const net::Responder& responder);
    std::size_t count() const { return servers_.size(); }

private:
    void receive(net::Channel& channel, std::string_view text);
    void drop(net::Channel& channel);

    net::Loop loop_;
    const ServeOptions& options_;
    std::map<net::Channel*, std::unique_ptr<Server>> servers_;
    Workers ending_;
};

}  // namespace treaty::lsp
