// A transport that speaks through another one and leaves the descriptors to it.
#pragma once

#include <memory>

#include "net/transport.h"

namespace treaty::net {

class Layered : public Transport {
public:
    explicit Layered(std::unique_ptr<Transport> below) : below_(std::move(below)) {}
    int input() const override { return below_->input(); }
    int output() const override { return below_->output(); }
    std::size_t unsent() const override { return below_->unsent(); }
    std::size_t unread() const override { return below_->unread(); }
    bool broken() const override { return below_->broken(); }

protected:
    Transport& below() const { return *below_; }

private:
    std::unique_ptr<Transport> below_;
};

}  // namespace treaty::net
