#include "net/stream.h"

#include <sys/ioctl.h>

#include "base/pipe_signal.h"

namespace treaty::net {

Stream::Stream(const Loop& loop, asio::generic::stream_protocol protocol, base::Descriptor socket)
    : socket_(std::make_shared<Socket>(loop.context())) {
    error_code error;
    socket_->io.assign(protocol, socket.get(), error);
    if (!error) socket.release();
    if (!error) socket_->io.non_blocking(true, error);
    send_at_once(socket_->io);
    closed_ = gone_ = broken_ = error.failed();
}

Stream::Stream(const Loop& loop, std::vector<StreamEndpoint> to)
    : socket_(std::make_shared<Socket>(loop.context())) {
    socket_->to = std::move(to);
    connect_next(socket_);
}

Stream::Stream(const Loop& loop, base::Descriptor in, base::Descriptor out)
    : in_(std::make_shared<Pipe>(loop.context())), out_(std::make_shared<Pipe>(loop.context())) {
    error_code error;
    for (auto [pipe, descriptor] : {std::pair{in_.get(), &in}, std::pair{out_.get(), &out}}) {
        if (!error) pipe->io.assign(descriptor->get(), error);
        if (!error) descriptor->release();
        if (!error) pipe->io.non_blocking(true, error);
    }
    closed_ = gone_ = broken_ = error.failed();
}

// A handler that is running may hold what it belongs to a little longer.
Stream::~Stream() {
    error_code ignored;
    if (socket_) socket_->io.close(ignored);
    if (in_) in_->io.close(ignored);
    if (out_) out_->io.close(ignored);
}

void Stream::connect_next(const std::shared_ptr<Socket>& socket) {
    socket->connecting = !socket->to.empty();
    if (!socket->connecting) return;
    StreamEndpoint to = socket->to.front();
    socket->to.erase(socket->to.begin());
    make_socket(to, socket->io, socket->connect_error);
    if (socket->connect_error) return connect_next(socket);
    send_at_once(socket->io);
    socket->io.async_connect(to, [weak = std::weak_ptr(socket), to](error_code error) {
        auto here = weak.lock();
        if (!here || error == asio::error::operation_aborted) return;
        // A port that nobody listens on may be the one the kernel picks for the caller: then it talks to
        // itself.
        error_code unknown;
        if (!error && to.protocol().family() != AF_UNIX && here->io.local_endpoint(unknown) == to)
            error = asio::error::connection_refused;
        here->connect_error = error;
        if (error)
            connect_next(here);
        else
            here->connecting = false;
        if (!here->connecting) here->call_wake();
    });
}

// Whether it can be spoken through; a connection that was not to be had is as one that broke.
bool Stream::look_at_connection() {
    if (opening()) return false;
    if (connect_error()) closed_ = gone_ = broken_ = true;
    return true;
}

// With no signal for a reader that is gone, whatever the process does with SIGPIPE: Asio writes to sockets
// with a flag, pipes know none.
std::size_t Stream::put(std::string_view bytes, error_code& error) {
    if (socket_) return socket_->io.write_some(asio::buffer(bytes), error);
    if (!out_) return 0;
    base::PipeSignalBlocked blocked;
    return out_->io.write_some(asio::buffer(bytes), error);
}

bool Stream::send(std::string_view bytes) {
    if (gone_ || unsent() + bytes.size() > most_unsent) return false;
    if (unsent() == 0 && look_at_connection() && !gone_) {  // the usual case, without a copy
        error_code error;
        bytes.remove_prefix(put(bytes, error));
        if (bytes.empty()) return true;
    }
    unsent_ += bytes;
    return flush();
}

bool Stream::flush() {
    if (!look_at_connection()) return true;
    error_code error;
    while (!gone_ && !error && unsent() > 0) sent_ += put(std::string_view(unsent_).substr(sent_), error);
    gone_ = gone_ || (error && error != asio::error::would_block);
    broken_ = broken_ || gone_;
    if (gone_ || unsent() == 0 || sent_ > unsent_.size() / 2) {
        unsent_.erase(0, gone_ ? unsent_.size() : sent_);
        sent_ = 0;
    }
    if (finishing_ && unsent() == 0) finish();
    return !gone_;
}

std::size_t Stream::unread() const {
    int in_pipe = 0;
    if (out_ && ioctl(out_->io.native_handle(), FIONREAD, &in_pipe) != 0) in_pipe = 0;
    return unsent() + static_cast<std::size_t>(in_pipe);
}

// A read that takes less than it might has taken all: looking again at once is not worth a system call.
std::optional<std::string_view> Stream::receive() {
    if (!look_at_connection() || closed_ || std::exchange(drained_, false)) return std::nullopt;
    buffer_.resize(most_at_once);
    error_code error;
    std::size_t size = socket_ ? socket_->io.read_some(asio::buffer(buffer_), error)
                               : in_->io.read_some(asio::buffer(buffer_), error);
    if (size > 0) {
        drained_ = size < most_at_once;
        return std::string_view(buffer_).substr(0, size);
    }
    if (error == asio::error::would_block) return std::nullopt;
    closed_ = true;
    broken_ = broken_ || error != asio::error::eof;
    return std::nullopt;
}

void Stream::finish() {
    finishing_ = true;
    if (unsent() > 0 || opening()) return;  // flush() does it then
    finishing_ = false;
    error_code ignored;
    if (socket_)
        socket_->io.shutdown(asio::socket_base::shutdown_send, ignored);
    else
        out_.reset();
}

void Stream::await_events(Await what) {
    drained_ = false;
    if (opening()) return;  // the loop knows already
    bool input = what == Await::all && !closed_;
    if (socket_) {
        if (input) Socket::wait(socket_, Socket::What::wait_read);
        if (pending()) Socket::wait(socket_, Socket::What::wait_write);
        if (what == Await::all_but_input) Socket::wait(socket_, Socket::What::wait_error);
    } else {
        if (input) Pipe::wait(in_, Pipe::What::wait_read);
        if (out_ && pending()) Pipe::wait(out_, Pipe::What::wait_write);
    }
}

void Stream::on_wake(Wake wake) {
    if (in_) in_->wake = wake;
    if (out_) out_->wake = wake;
    if (socket_) socket_->wake = std::move(wake);
}

bool Stream::hung_up() const {
    return socket_ && !opening() && socket_->take_happened(Socket::What::wait_error) &&
           base::hung_up(socket_->io.native_handle());
}

}  // namespace treaty::net
