// Where a session takes place: who the component is, how each role reaches it, and what time it is.
//
// A session is begin(), open() for each role that the tester plays, wait() as often as needed, end(). The
// stage for programs is process_stage.h; that for coroutines within this process, with a clock of their own,
// is in_process.h.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

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

    // A component that is ready to be reached, or on its way to be; a fault if there is none.
    virtual base::Result<void> begin() = 0;
    // Waits for it to be ready, until the deadline; a fault if it comes to nothing.
    virtual base::Result<std::unique_ptr<Transport>> open(model::RoleId role, Time deadline) = 0;
    // Until one of them may have something to receive or can send what it keeps, the component says something
    // or ends, or the time has come.
    virtual void wait(std::span<Transport* const> transports, Time until) = 0;
    virtual Time now() const = 0;

    // As far as known by the last wait() or look().
    virtual const Ending& ending() const = 0;
    virtual const std::string& errors() const = 0;
    virtual void look() = 0;
    // Gives a component that ends by itself the time to; then ends it, unless it is kept for the next
    // session. What was known of it is forgotten by the next begin().
    virtual void end(Time until) = 0;
    // The next session is with a component that has seen nothing yet, if this one can start it.
    virtual void renew() {}
    // Whether a component that the stage has not started is there no longer, as far as that can be told: how
    // it shows. closed: it has closed a connection of this session.
    virtual std::optional<std::string> gone(bool /*closed*/) { return std::nullopt; }
    // Whether the component of this session is new: it had no session before.
    virtual bool fresh() const { return true; }
};

}  // namespace treaty::drive
