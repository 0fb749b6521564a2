// A plain stream of bytes over file descriptors: TCP and Unix sockets, pipes.
//
// A socket is one descriptor, pipes are two. Writing to a side that is gone never raises SIGPIPE.
#pragma once

#include <sys/types.h>

#include "base/descriptor.h"
#include "net/transport.h"

namespace treaty::net {

class Stream final : public Transport {
public:
    Stream(base::Descriptor in, base::Descriptor out) : in_(std::move(in)), out_(std::move(out)) {}
    explicit Stream(base::Descriptor both) : in_(std::move(both)) {}

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override;
    bool closed() const override { return closed_; }
    bool flush() override;
    std::size_t unsent() const override { return unsent_.size(); }
    std::size_t unread() const override;  // of a pipe: also what is in it
    bool broken() const override { return broken_; }
    int input() const override { return in_.get(); }
    int output() const override { return out_ ? out_.get() : in_.get(); }

private:
    ssize_t put(const char* bytes, std::size_t size);

    static constexpr std::size_t most_at_once = std::size_t{1} << 16;

    base::Descriptor in_;
    base::Descriptor out_;  // none: the same as in_
    std::string unsent_;
    std::string buffer_;
    bool closed_ = false;
    bool gone_ = false;
    bool finishing_ = false;
    bool broken_ = false;
};

}  // namespace treaty::net
