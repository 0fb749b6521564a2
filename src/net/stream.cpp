#include "net/stream.h"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/pipe_signal.h"

namespace treaty::net {

// With no signal for a reader that is gone, whatever the process does with SIGPIPE.
ssize_t Stream::put(const char* bytes, std::size_t size) {
    if (!out_) return ::send(in_.get(), bytes, size, MSG_NOSIGNAL);
    base::PipeSignalBlocked blocked;
    return write(out_.get(), bytes, size);
}

bool Stream::send(std::string_view bytes) {
    if (gone_ || unsent_.size() + bytes.size() > most_unsent) return false;
    if (unsent_.empty()) {  // the usual case, without a copy
        ssize_t n = put(bytes.data(), bytes.size());
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
        if (bytes.empty()) return true;
    }
    unsent_ += bytes;
    return flush();
}

bool Stream::flush() {
    std::size_t done = 0;
    while (done < unsent_.size()) {
        ssize_t n = put(unsent_.data() + done, unsent_.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (n <= 0) {
            gone_ = broken_ = true;
            unsent_.clear();
            return false;
        }
        done += static_cast<std::size_t>(n);
    }
    unsent_.erase(0, done);
    if (finishing_ && unsent_.empty()) finish();
    return true;
}

std::size_t Stream::unread() const {
    int in_pipe = 0;
    if (out_ && ioctl(out_.get(), FIONREAD, &in_pipe) != 0) in_pipe = 0;
    return unsent_.size() + static_cast<std::size_t>(in_pipe);
}

std::optional<std::string_view> Stream::receive() {
    if (closed_ || !in_) return std::nullopt;
    buffer_.resize(most_at_once);
    ssize_t n;
    do n = read(in_.get(), buffer_.data(), most_at_once);
    while (n < 0 && errno == EINTR);
    if (n > 0) return std::string_view(buffer_).substr(0, static_cast<std::size_t>(n));
    broken_ = broken_ || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) closed_ = true;
    return std::nullopt;
}

void Stream::finish() {
    finishing_ = true;
    if (!unsent_.empty()) return;  // flush() does it then
    if (out_)
        out_.reset();
    else if (in_)
        shutdown(in_.get(), SHUT_WR);
    finishing_ = false;
}

}  // namespace treaty::net
