// Boost.Asio as this folder uses it: its context, and sockets and descriptors that are waited for.
//
// Reading and writing are calls that do not block; only waiting is asynchronous. So a wait that is left over
// never holds a buffer, and bytes are in order whichever function reads them. Only for the sources of this
// folder: these headers take seconds.
#pragma once

#include <array>
#include <memory>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/socket_base.hpp>

#include "net/loop.h"

namespace treaty::net {

namespace asio = boost::asio;
using boost::system::error_code;

struct Loop::Context {
    asio::io_context io{1};  // one thread runs it
    asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
};

// One of Asio's sockets or descriptors and what it waits for. Handlers hold it weakly: with its owner gone,
// nothing is called.
template <class Io>
struct Waitable {
    using What = typename Io::wait_type;  // wait_read, wait_write, wait_error: 0 to 2

    template <class... Arguments>
    explicit Waitable(std::shared_ptr<Loop::Context> on, Arguments&&... arguments)
        : context(std::move(on)), io(context->io, std::forward<Arguments>(arguments)...) {}

    std::shared_ptr<Loop::Context> context;
    Io io;
    Wake wake;
    std::array<bool, 3> waiting{}, happened{};  // by What

    bool take_happened(What what) { return std::exchange(happened[static_cast<std::size_t>(what)], false); }

    static void wait(const std::shared_ptr<Waitable>& self, What what) {
        if (!self->io.is_open() || std::exchange(self->waiting[static_cast<std::size_t>(what)], true)) return;
        self->io.async_wait(what, [weak = std::weak_ptr(self), what](error_code error) {
            auto here = weak.lock();
            if (!here) return;
            here->waiting[static_cast<std::size_t>(what)] = false;
            if (error == asio::error::operation_aborted) return;
            here->happened[static_cast<std::size_t>(what)] = true;
            here->call_wake();
        });
    }
    // A copy: the one that is called may set another.
    void call_wake() const {
        if (Wake copy = wake) copy();
    }
};

}  // namespace treaty::net
