// Where a session takes place: which component, how each role reaches it, and the clock.
//
// A session is begin(), open() for each role that the tester plays, wait() as often as needed, end(). The
// stage for programs is process_stage.h; that for coroutines within this process, with a virtual clock, is
// in_process.h.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "model/alphabet.h"
#include "net/transport.h"
#include "process/component.h"

namespace treaty::drive {

// What a stage is made of, from the folders below.
using base::Clock;
using base::Time;
using net::Transport;
using process::Ending;

class Stage {
public:
    Stage() = default;
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    virtual ~Stage() = default;

    // Provides a component that is ready or starting; a fault if it cannot be started. If a kept one broke
    // after the last session, ending() states that once, and the begin() after it starts another.
    virtual base::Result<void> begin() = 0;
    // Waits for it to be ready, until the deadline; a fault on failure.
    virtual base::Result<std::unique_ptr<Transport>> open(model::RoleId role, Time deadline) = 0;
    // Until one of them may have something to receive or can send what it buffers, the component writes
    // something or ends, or the time has come.
    virtual void wait(std::span<Transport* const> transports, Time until) = 0;
    virtual Time now() const = 0;

    // As of the last wait() or look().
    virtual const Ending& ending() const = 0;
    virtual const std::string& errors() const = 0;
    virtual void look() = 0;
    // Gives a component time to end by itself; then ends it, unless it is kept for the next session. The next
    // begin() forgets what was known about it.
    virtual void end(Time until) = 0;
    // The next session has a new component, if the stage can start one.
    virtual void renew() {}
    // Whether a component that the stage has not started is gone, as far as that can be found out: the sign
    // of it. closed: it has closed a connection of this session.
    virtual std::optional<std::string> gone(bool /*closed*/) { return std::nullopt; }
    // Whether a component that the stage has not started was connected to this role in an earlier session.
    virtual bool reached_before(model::RoleId /*role*/) const { return false; }
    // Whether the component has nothing to do after the session, so that it can be expected to end by itself.
    virtual bool ends_with_session() const { return false; }
    // Whether the component of this session is new: it had no session before.
    virtual bool fresh() const { return true; }
};

// Before connections are closed: sends what is left, also if it is more than the system takes at once. Waits
// as long as the other side reads; gives up when it has read nothing for `patience`, or when asked to stop.
// What arrives meanwhile is discarded: a peer whose output is not read may stop reading too.
void send_out(Stage& stage, std::span<Transport* const> transports, Clock::duration patience,
              const base::Deadline& deadline = {});

// How many bytes wait to be sent, on all of them.
std::size_t unsent(std::span<Transport* const> transports);

}  // namespace treaty::drive
