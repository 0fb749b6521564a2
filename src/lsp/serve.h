// The language server: the Language Server Protocol 3.17 over two descriptors.
//
// The calling thread reads messages and applies edits; a few threads of its own answer requests, so typing is
// never held up. Diagnostics are published twice: what reading the file finds at once, what `check` finds
// when typing pauses. An answer that an edit has overtaken is not sent: a request gets the error "content
// modified", diagnostics are dropped. The server asks engines only through api/ and renders through report/.
#pragma once

#include <chrono>

#include "base/limits.h"

namespace treaty::lsp {

struct ServeOptions {
    std::chrono::milliseconds pause{250};  // without an edit, before a file is checked exactly
    base::StopToken stop = {};             // ends the server at the next message
};

// Until the client says exit or closes the connection. Whether it did so in order, after a shutdown request.
bool serve(int in, int out, const ServeOptions& options);

}  // namespace treaty::lsp
