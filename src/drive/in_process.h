// Components that are C++ coroutines in this process, with a virtual clock: a second of silence takes no
// time.
//
// A component is a coroutine that is given an InProcess: it receives from and sends to peers by the names of
// their roles, and may pause. Time passes only when everyone waits: then it jumps to the next event.
//
//     Task echo(InProcess& here) {
//         while (auto line = co_await here.receive("client")) here.send("client", *line);
//     }
//
// An exception that leaves it counts as a crash. The bytes are those of the wire. One thread.
#pragma once

#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "drive/stage.h"

namespace treaty::drive {

class Task {
public:
    struct promise_type {
        std::exception_ptr thrown;
        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { thrown = std::current_exception(); }
    };
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (handle_) handle_.destroy();
    }
    std::coroutine_handle<promise_type> handle() const { return handle_; }

private:
    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

class InProcess {
public:
    using Program = std::function<Task(InProcess&)>;

    // Both directions between one role of the tester and the component.
    struct Channel {
        std::deque<std::string> to_component, to_tester;
        bool tester_finished = false, component_closed = false;
    };

    // The next piece that has come from that role; nothing when it has finished.
    struct Receive {
        InProcess& here;
        Channel& channel;
        bool await_ready() const { return !channel.to_component.empty() || channel.tester_finished; }
        void await_suspend(std::coroutine_handle<>) { here.waits_for_ = &channel; }
        std::optional<std::string> await_resume();
    };
    // The next piece from any role; nothing when all have finished.
    struct ReceiveAny {
        InProcess& here;
        bool await_ready() const { return here.any_can_come(); }
        void await_suspend(std::coroutine_handle<>) { here.waits_for_any_ = true; }
        std::optional<std::pair<std::string, std::string>> await_resume();  // role, bytes
    };
    struct Pause {
        InProcess& here;
        Clock::duration how_long;
        bool await_ready() const { return false; }
        void await_suspend(std::coroutine_handle<>) { here.wakes_at_ = here.now_ + how_long; }
        void await_resume() const {}
    };

    Receive receive(const std::string& role) { return {*this, channels_[role]}; }
    bool waiting(const std::string& role) {
        return !channels_[role].to_component.empty();
    }  // something has come
    ReceiveAny receive_any() { return {*this}; }
    Pause pause(Clock::duration how_long) { return {*this, how_long}; }
    void send(const std::string& role, std::string_view bytes) {
        channels_[role].to_tester.emplace_back(bytes);
    }
    void close(const std::string& role) { channels_[role].component_closed = true; }
    Time now() const { return now_; }

private:
    friend class InProcessStage;

    bool can_run() const;
    bool any_can_come() const;
    void run(std::coroutine_handle<Task::promise_type> handle);

    std::map<std::string, Channel> channels_;
    Channel* waits_for_ = nullptr;
    bool waits_for_any_ = false;
    std::optional<Time> wakes_at_;
    Time now_{};
};

// names: what each played role is called by the component.
std::unique_ptr<Stage> make_in_process_stage(InProcess::Program program,
                                             std::map<model::RoleId, std::string> names);

}  // namespace treaty::drive
