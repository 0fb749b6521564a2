#include "net/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/asio.h"

namespace treaty::net {
namespace {

constexpr std::uint32_t bits_per_byte = 10;  // with start and stop bit
constexpr std::size_t most_at_once = std::size_t{1} << 16;

class Line final : public Transport {
public:
    Line(const Loop& loop, base::Descriptor master, base::Descriptor device, std::uint32_t baud)
        : io_(std::make_shared<Pipe>(loop.context())), device_(std::move(device)) {
        if (baud > 0) {
            per_byte_ = std::chrono::nanoseconds(std::chrono::seconds(bits_per_byte)) / baud;
            timer_ = std::make_shared<Timer>(loop.context()->io);
        }
        error_code error;
        io_->io.assign(master.get(), error);
        if (!error) master.release();
        if (!error) io_->io.non_blocking(true, error);
        closed_ = error.failed();
    }
    ~Line() override {
        error_code ignored;
        io_->io.close(ignored);
    }

    bool send(std::string_view bytes) override {
        if (closed_ || unsent() + bytes.size() > most_unsent) return false;
        unsent_ += bytes;
        return flush();
    }

    bool flush() override {
        error_code error;
        while (!closed_ && !error && unsent() > 0) {
            std::size_t n = due();
            if (n == 0) break;
            std::size_t written = io_->io.write_some(asio::buffer(unsent_.data() + sent_, n), error);
            sent_ += written;
            next_ += written * per_byte_;
        }
        closed_ = closed_ || (error && error != asio::error::would_block);
        if (closed_ || unsent() == 0) {
            unsent_.clear();
            sent_ = 0;
        }
        return !closed_;
    }

    std::optional<std::string_view> receive() override {
        if (closed_) return std::nullopt;
        buffer_.resize(most_at_once);
        error_code error;
        std::size_t size = io_->io.read_some(asio::buffer(buffer_), error);
        if (size > 0) return std::string_view(buffer_).substr(0, size);
        closed_ = error != asio::error::would_block;
        return std::nullopt;
    }

    void finish() override {}
    bool closed() const override { return closed_; }
    bool has_end() const override { return false; }
    std::size_t unsent() const override { return unsent_.size() - sent_; }
    std::size_t unread() const override {
        int waiting = 0;
        if (ioctl(device_.get(), FIONREAD, &waiting) != 0) waiting = 0;
        return unsent() + static_cast<std::size_t>(waiting);
    }

    void await_events(Await what) override {
        if (closed_) return;
        if (what == Await::all) Pipe::wait(io_, Pipe::What::wait_read);
        if (!pending()) return;
        if (!timer_) return Pipe::wait(io_, Pipe::What::wait_write);
        timer_->expires_at(next_);
        timer_->async_wait([weak = std::weak_ptr(io_)](error_code error) {
            auto here = weak.lock();
            if (here && !error) here->call_wake();
        });
    }

    void on_wake(Wake wake) override { io_->wake = std::move(wake); }

private:
    using Pipe = Waitable<asio::posix::stream_descriptor>;
    using Timer = asio::steady_timer;

    // How many bytes may leave now. A line that was idle begins anew: time that has passed is not made up.
    std::size_t due() {
        if (!timer_) return unsent();
        Time now = Clock::now();
        if (sent_ == 0 && next_ < now) next_ = now;
        if (next_ > now) return 0;
        auto n = static_cast<std::size_t>((now - next_) / per_byte_) + 1;
        return std::min(n, unsent());
    }

    std::shared_ptr<Pipe> io_;
    base::Descriptor device_;
    std::chrono::nanoseconds per_byte_{0};
    std::shared_ptr<Timer> timer_;  // none: no pacing
    Time next_{};                   // when the next byte may leave
    std::string unsent_, buffer_;
    std::size_t sent_ = 0;  // of unsent_
    bool closed_ = false;
};

base::Fault fault_of(const char* what) {
    return base::Fault{fmt::format("no pseudo-terminal: {}: {}", what, std::strerror(errno))};
}

}  // namespace

base::Result<Terminal> open_terminal() {
    Terminal made;
    made.master = base::Descriptor(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!made.master) return fault_of("posix_openpt");
    char path[128];
    if (grantpt(made.master.get()) != 0 || unlockpt(made.master.get()) != 0 ||
        ptsname_r(made.master.get(), path, sizeof path) != 0)
        return fault_of("unlockpt");
    made.path = path;
    made.device = base::Descriptor(open(path, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!made.device) return fault_of(path);
    termios settings{};
    if (tcgetattr(made.device.get(), &settings) != 0) return fault_of("tcgetattr");
    cfmakeraw(&settings);
    if (tcsetattr(made.device.get(), TCSANOW, &settings) != 0) return fault_of("tcsetattr");
    return made;
}

base::Result<std::unique_ptr<Transport>> over_terminal(const Loop& loop, const Terminal& terminal,
                                                       std::uint32_t baud) {
    base::Descriptor master(base::dup_descriptor(terminal.master.get()));
    base::Descriptor device(base::dup_descriptor(terminal.device.get()));
    if (!master || !device) return fault_of("dup");
    return std::unique_ptr<Transport>(
        std::make_unique<Line>(loop, std::move(master), std::move(device), baud));
}

}  // namespace treaty::net
