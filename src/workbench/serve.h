// The workbench: Treaty in the browser. A page with an editor, pictures, questions, walks, tests and watches,
// on the same engines as the terminal.
//
// One loop serves the page, the language server (lsp/clients.h) and a socket for each tab (tab.h); threads of
// its own answer questions, so typing never waits for one. Only the files of one folder are read and written
// (folder.h). The engines are asked only through api/, and answers are rendered by report/. The process's
// working directory must be the folder: programs under test are started in it, and kept failures are in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "net/address.h"

namespace treaty::workbench {

// What each visitor may use; 0: any amount.
struct VisitorLimits {
    std::chrono::milliseconds time{0};  // of one question
    std::uint64_t memory = 0;           // of one question, in bytes
    std::size_t questions = 16;         // at the same time, of one tab
};

struct ServeOptions {
    std::string folder;  // the working directory
    net::Address address;
    std::string token;                // of at least 16 characters; empty: a new one
    std::vector<std::string> hosts;   // more names under which the server is known, as HOST or HOST:PORT
    bool allow_run = false;           // commands may be run
    bool read_only = false;           // nothing is written, nothing is run, no log is followed
    std::optional<std::string> page;  // a folder with the page's files; none: those in the program
    VisitorLimits limits;
    base::StopToken stop;
};

// Until the token asks to stop. A fault if the folder or the address cannot be used, or there is no page.
// `listening` is called with the address of the page once it is known.
base::Result<bool> serve(const ServeOptions& options,
                         const std::function<void(const std::string& url)>& listening);

}  // namespace treaty::workbench
