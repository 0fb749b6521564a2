// The loop on which the connections of one session, one proxy or one server wait: Boost.Asio's, run by its
// owner.
//
// Handlers run inside wait() and nowhere else, in the thread that calls it, and nothing here starts a thread.
// So a session has one place where it waits, with one deadline. A copy is the same loop; it is there as long
// as something is open on it. Cost: three descriptors per loop, and one or two system calls per wait.
#pragma once

#include <functional>
#include <memory>

#include "base/wait.h"

namespace treaty::net {

using base::Clock;
using base::Time;
using Wake = std::function<void()>;

class Loop {
public:
    Loop();

    // Until something happens that is waited for, or the time has come; whether something happened. What has
    // happened already is handled even if the time has passed. Several things may take several calls.
    bool wait(Time until);
    // Does `work` inside the next wait(), which it wakes up. The only function that any thread may call.
    void post(std::function<void()> work);

    struct Context;  // Boost.Asio's, see asio.h
    const std::shared_ptr<Context>& context() const { return context_; }

private:
    std::shared_ptr<Context> context_;
};

// Waits for a descriptor with another owner, together with the connections of a loop: it can be
// read, or has ended.
class DescriptorWatch {
public:
    DescriptorWatch(const Loop& loop, int descriptor);
    ~DescriptorWatch();
    DescriptorWatch(DescriptorWatch&&) noexcept;
    DescriptorWatch& operator=(DescriptorWatch&&) noexcept;

    void await_events();
    bool happened();  // since the last call

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace treaty::net
