// A stream of bytes to the component: a socket, or its standard input and output.
//
// Nothing blocks except wait(), which is bounded by its deadline. What cannot be sent at once is kept (up to a
// limit) and sent by wait(). A Connection owns its descriptors; moving one moves them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "drive/address.h"

namespace treaty::drive {

using Clock = std::chrono::steady_clock;

// A file descriptor that is closed with its owner.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor() { reset(); }
    void reset();
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

private:
    int fd_ = -1;
};

class Connection {
public:
    static constexpr std::size_t most_unsent = std::size_t{64} << 20;

    Connection() = default;
    Connection(Descriptor in, Descriptor out) : in_(std::move(in)), out_(std::move(out)) {}
    explicit Connection(Descriptor both) : in_(std::move(both)) {}

    // False if the other side is gone, or does not read what is sent to it.
    bool send(std::string_view bytes);
    // Bytes that have come, at most `most`; empty if none. After the last ones closed() is true.
    std::string_view receive(std::size_t most = std::size_t{1} << 16);
    void finish();  // nothing more will be sent
    bool closed() const { return closed_; }
    bool reset() const { return reset_; }  // closed, but not in good order
    bool pending() const { return !unsent_.empty(); }
    bool flush();

    int input() const { return in_.get(); }
    int output() const { return out_ ? out_.get() : in_.get(); }

private:
    Descriptor in_;
    Descriptor out_;  // none: the same as in_
    std::string unsent_;
    std::string buffer_;
    bool closed_ = false;
    bool reset_ = false;
};

// Waits until one of them has something to read or can send what it holds, one of `others` can be read, or the
// time has come.
void wait(std::span<Connection* const> connections, std::span<const int> others, Clock::time_point until);

// Connects, trying again until the deadline; the reason in `fault` if it comes to nothing. `gone` is asked now and
// then: when it says that the component has ended there is no use in waiting.
template <class Gone>
std::optional<Connection> connect_until(const Address& address, Clock::time_point deadline, Gone&& gone,
                                        std::string& fault);

// One attempt to connect; refused or not there yet gives nothing.
std::optional<Connection> try_connect(const Address& address, std::string& fault);

// The tester's side of tcp-listen and unix-listen.
std::optional<Descriptor> listen_at(const Address& address, std::string& fault);
std::optional<Connection> accept_until(const Descriptor& listener, Clock::time_point deadline);

void pause_until(Clock::time_point until);

template <class Gone>
std::optional<Connection> connect_until(const Address& address, Clock::time_point deadline, Gone&& gone,
                                        std::string& fault) {
    // Short waits first: most servers are ready within some milliseconds.
    for (auto step = std::chrono::microseconds(500);; step = std::min(step * 2, std::chrono::microseconds(50'000))) {
        if (auto connection = try_connect(address, fault)) return connection;
        if (gone() || Clock::now() >= deadline) return std::nullopt;
        pause_until(std::min(deadline, Clock::now() + step));
    }
}

}  // namespace treaty::drive
