// The program under test: started in a process group of its own, watched, and always cleaned up, its children
// too.
//
// Standard error is kept (its last part); standard input and output are connected where the tester speaks
// through them, else output is kept with the errors. A keeper (keeper.h) runs between it and the tester.
// What is spoken through its streams is the caller's matter: net/stream.h makes a transport of them.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"
#include "base/wait.h"
#include "process/surroundings.h"

namespace treaty::process {

// How it ended.
struct Ending {
    bool ended = false;
    int status = 0;      // exit status, if it was not a signal
    int signal = 0;      // the signal that ended it, or 0
    bool by_us = false;  // because it was asked to
};

// The tester's ends of its standard streams, both non-blocking.
struct StandardStreams {
    base::Descriptor from, to;  // its output, its input
};

class Component {
public:
    static constexpr std::size_t kept_errors = std::size_t{64} << 10;

    // Runs the command with /bin/sh. A fault if not even that can be started, or there is no such working
    // directory. folder: of the session, removed by the keeper if the tester dies; empty: none.
    static base::Result<std::unique_ptr<Component>> start(const std::string& command, bool speaks_stdio,
                                                          const std::string& folder,
                                                          const Surroundings& surroundings = {});
    ~Component();  // stop()

    Component(const Component&) = delete;
    Component& operator=(const Component&) = delete;

    std::optional<StandardStreams> take_stdio();  // once, if it was started so
    void look();                                  // reads what it wrote, and whether it has ended
    const Ending& ending() const { return ending_; }
    const std::string& errors() const { return errors_; }
    // What to wait for: it writes something, it ends.
    int error_descriptor() const { return error_out_.get(); }
    int status_descriptor() const { return ending_.ended ? -1 : status_.get(); }

    // Ends it and all it has started: asks, and after `grace` insists. Waits for its end.
    void stop(std::chrono::milliseconds grace = std::chrono::milliseconds(200));
    // Waits for it to end by itself until then.
    void await_end(base::Time until);

private:
    Component() = default;
    void read_errors();
    void read_status();
    void order(char what) const;

    pid_t keeper_ = -1;
    base::Descriptor control_, status_, error_out_;
    std::optional<StandardStreams> stdio_;
    std::string errors_;
    Ending ending_;
    bool all_gone_ = false;
};

// Why the shell could not run the command, by its exit status (POSIX); empty if it could. A program may also
// end so by itself, but not before it has done anything.
std::string_view not_run_message(const Ending& ending);

// What a sanitizer or a language's runtime wrote when the program broke, found in its errors; empty if
// nothing.
std::string broken_message(const std::string& errors);

}  // namespace treaty::process
