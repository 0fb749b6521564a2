// The language server: the Language Server Protocol 3.17 over two descriptors, or over WebSocket.
//
// The calling thread reads messages and applies edits; a few threads of its own answer requests, so typing is
// never held up. Diagnostics are published twice: what reading the file finds at once, what `check` finds
// when typing pauses. An answer that an edit has overtaken is not sent: a request gets the error "content
// modified", diagnostics are dropped. The server asks engines only through api/ and renders through report/.
#pragma once

#include <chrono>
#include <functional>

#include "base/file.h"
#include "base/limits.h"
#include "base/result.h"
#include "net/address.h"

namespace treaty::lsp {

struct ServeOptions {
    std::chrono::milliseconds pause{250};        // without an edit, before a file is checked exactly
    base::StopToken stop = {};                   // ends the server at the next message
    base::ReadFile read = base::read_from_disk;  // how files are read that are not open
};

// Serves any number of clients over WebSocket, each with documents of its own; a message is one text, without
// a header. Pages of other servers are refused. `listening` is called with the address once it is known.
// Until the token asks to stop; a fault if the address cannot be used.
base::Result<bool> serve_websocket(const net::Address& address, const ServeOptions& options,
                                   const std::function<void(const net::Address&)>& listening);

// Until the client says exit or closes the connection. Whether it did so in order, after a shutdown request.
bool serve(int in, int out, const ServeOptions& options);

}  // namespace treaty::lsp
