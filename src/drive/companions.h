// Programs that run beside the component under test: started before it, each when the one before is ready.
//
// What shows that a program is ready: `port:N`, a port of this machine where it accepts connections;
// `log:TEXT`, a line of its standard output or standard error with this text; `http://HOST:PORT/PATH`, a page
// that it answers with a status below 400. Without any of these it is ready as soon as it runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "base/wait.h"
#include "net/loop.h"
#include "process/component.h"

namespace treaty::drive {

struct Companion {
    std::string name;
    std::string command;
    std::string ready;  // empty: at once
    process::Surroundings surroundings = {};
};

// A fault if this does not define when a program is ready.
base::Result<void> check_readiness(const std::string& ready);

// Waits until it is; a fault if it ends before, or does not become ready until then.
base::Result<void> await_ready(const net::Loop& loop, process::Component& program, const Companion& what,
                               base::Time until, const base::Deadline& deadline);

class Companions {
public:
    // Commands with all placeholders replaced. folder: of the session.
    base::Result<void> start(const net::Loop& loop, const std::vector<Companion>& all,
                             const std::string& folder, base::Time until, const base::Deadline& deadline);
    void stop();
    // What has ended although it should run: its name and how; empty if nothing has.
    std::string ended();

private:
    struct Running {
        std::string name;
        std::unique_ptr<process::Component> program;
    };
    std::vector<Running> running_;
};

}  // namespace treaty::drive
