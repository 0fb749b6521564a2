// A file descriptor that is closed with its owner.
#pragma once

#include <utility>

namespace treaty::base {

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
    int release() { return std::exchange(fd_, -1); }  // no longer closed here
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

private:
    int fd_ = -1;
};

void set_nonblocking(int fd);
int dup_descriptor(int fd);  // another one for the same, closed on exec; -1 if there is none left

}  // namespace treaty::base
