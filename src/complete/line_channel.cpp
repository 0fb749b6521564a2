#include "complete/line_channel.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace treaty::complete {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

int left(Clock::time_point end) {
    auto rest = std::chrono::duration_cast<milliseconds>(end - Clock::now()).count();
    return rest < 0 ? 0 : static_cast<int>(std::min<long>(rest + 1, 3'600'000));
}

// Waits until `fd` can be used, again after signals; false if time is up.
bool wait_for(int fd, short events, Clock::time_point end) {
    while (true) {
        pollfd p{fd, events, 0};
        int ready = poll(&p, 1, left(end));
        if (ready > 0) return true;
        if (ready == 0 || errno != EINTR) return false;
        if (Clock::now() >= end) return false;
    }
}

}  // namespace

std::optional<Address> parse_address(const std::string& text) {
    constexpr std::string_view scheme = "tcp://", local = "unix:";
    if (text.starts_with(local)) {
        std::string path = text.substr(local.size());
        if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path)) return std::nullopt;
        return Address{{}, {}, {}, std::move(path)};
    }
    if (!text.starts_with(scheme)) return Address{text, {}, {}, {}};
    std::string rest = text.substr(scheme.size());
    std::size_t colon = rest.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == rest.size()) return std::nullopt;
    return Address{{}, rest.substr(0, colon), rest.substr(colon + 1), {}};
}

std::optional<std::string> LineChannel::open(milliseconds patience) {
    close();
    if (!address_.path.empty()) return connect_unix(patience);
    return address_.host.empty() ? start() : connect(patience);
}

std::optional<std::string> LineChannel::start() {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0) return std::strerror(errno);
    if (pipe2(from, O_CLOEXEC) != 0) {
        ::close(to[0]);
        ::close(to[1]);
        return std::strerror(errno);
    }
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);  // so that all it starts can be ended with it
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        std::signal(SIGPIPE, SIG_DFL);
        execl("/bin/sh", "sh", "-c", address_.command.c_str(), nullptr);
        _exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    if (child < 0) {
        ::close(to[1]);
        ::close(from[0]);
        return std::strerror(errno);
    }
    setpgid(child, child);
    child_ = child;
    out_ = to[1];
    in_ = from[0];
    fcntl(out_, F_SETFL, O_NONBLOCK);
    return std::nullopt;
}

std::optional<std::string> LineChannel::connect(milliseconds patience) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    int fault = getaddrinfo(address_.host.c_str(), address_.port.c_str(), &hints, &found);
    if (fault != 0) return gai_strerror(fault);
    std::string why = "no address";
    auto end = Clock::now() + patience;
    for (addrinfo* a = found; a && in_ < 0; a = a->ai_next) {
        int s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
        if (s < 0) continue;
        int error = ::connect(s, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
        error = settle(s, error, end);
        if (error != 0) why = std::strerror(error);
    }
    freeaddrinfo(found);
    return in_ < 0 ? std::optional(why) : std::nullopt;
}

std::optional<std::string> LineChannel::connect_unix(milliseconds patience) {
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0) return std::strerror(errno);
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    address_.path.copy(to.sun_path, sizeof to.sun_path - 1);
    int error = ::connect(s, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 ? 0 : errno;
    error = settle(s, error, Clock::now() + patience);
    return error == 0 ? std::nullopt : std::optional<std::string>(std::strerror(error));
}

int LineChannel::settle(int s, int error, Clock::time_point end) {
    if (error == EINPROGRESS) {
        socklen_t size = sizeof error;
        if (!wait_for(s, POLLOUT, end))
            error = ETIMEDOUT;
        else
            getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0)
        in_ = out_ = s;
    else
        ::close(s);
    return error;
}

void LineChannel::close() {
    if (in_ >= 0) ::close(in_);
    if (out_ >= 0 && out_ != in_) ::close(out_);
    in_ = out_ = -1;
    buffer_.clear();
    if (child_ > 0) {
        kill(-child_, SIGKILL);
        while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    child_ = -1;
}

bool LineChannel::write(std::string_view line) {
    std::string text = std::string(line) + '\n';
    std::string_view rest = text;
    auto end = Clock::now() + milliseconds(10'000);
    while (!rest.empty()) {
        ssize_t n = in_ == out_ ? send(out_, rest.data(), rest.size(), MSG_NOSIGNAL)
                                : ::write(out_, rest.data(), rest.size());
        if (n > 0) {
            rest.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EAGAIN) {
            if (!wait_for(out_, POLLOUT, end)) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

LineChannel::Got LineChannel::read(std::string& line, milliseconds patience) {
    auto end = Clock::now() + patience;
    while (true) {
        std::size_t stop = buffer_.find('\n');
        if (stop != std::string::npos) {
            line = buffer_.substr(0, stop);
            if (!line.empty() && line.back() == '\r') line.pop_back();
            buffer_.erase(0, stop + 1);
            return Got::line;
        }
        if (buffer_.size() > max_line) return Got::too_long;
        if (!wait_for(in_, POLLIN, end)) return Got::silence;
        char chunk[4096];
        ssize_t n = ::read(in_, chunk, sizeof chunk);
        if (n > 0)
            buffer_.append(chunk, static_cast<std::size_t>(n));
        else if (n == 0 || (errno != EINTR && errno != EAGAIN))
            return Got::closed;
    }
}

std::string LineChannel::ending() {
    if (child_ <= 0) return "the connection was closed";
    int status = 0;
    for (int i = 0; i < 1000; ++i) {
        pid_t done = waitpid(child_, &status, WNOHANG);
        if (done == child_) {
            kill(-child_, SIGKILL);
            child_ = -1;
            if (WIFEXITED(status)) return fmt::format("it exited with {}", WEXITSTATUS(status));
            return fmt::format("it was ended by signal {}", WTERMSIG(status));
        }
        poll(nullptr, 0, 1);
    }
    return "it closed its output";
}

}  // namespace treaty::complete
