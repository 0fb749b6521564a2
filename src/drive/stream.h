// A plain stream of bytes over file descriptors: TCP and Unix sockets, pipes.
#pragma once

#include "drive/descriptor.h"
#include "drive/transport.h"

namespace treaty::drive {

class Stream final : public Transport {
public:
    Stream(Descriptor in, Descriptor out) : in_(std::move(in)), out_(std::move(out)) {}
    explicit Stream(Descriptor both) : in_(std::move(both)) {}

    bool send(std::string_view bytes) override;
    std::optional<std::string_view> receive() override;
    void finish() override;
    bool closed() const override { return closed_; }
    bool flush() override;
    std::size_t unsent() const override { return unsent_.size(); }
    std::size_t unread() const override;  // of a pipe: also what is in it
    int input() const override { return in_.get(); }
    int output() const override { return out_ ? out_.get() : in_.get(); }

private:
    static constexpr std::size_t most_at_once = std::size_t{1} << 16;

    Descriptor in_;
    Descriptor out_;  // none: the same as in_
    std::string unsent_;
    std::string buffer_;
    bool closed_ = false;
    bool gone_ = false;
    bool finishing_ = false;
};

}  // namespace treaty::drive
