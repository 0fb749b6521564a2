// A transport that speaks through another one and leaves waiting to it.
#pragma once

#include <memory>

#include "net/transport.h"

namespace treaty::net {

class Layered : public Transport {
public:
    explicit Layered(std::unique_ptr<Transport> below) : below_(std::move(below)) {}
    std::size_t unsent() const override { return below_->unsent(); }
    std::size_t unread() const override { return below_->unread(); }
    bool broken() const override { return below_->broken(); }
    bool refused() const override { return below_->refused(); }
    void await_events(Await what) override { below_->await_events(what); }
    void on_wake(Wake wake) override { below_->on_wake(std::move(wake)); }
    bool hung_up() const override { return below_->hung_up(); }

protected:
    Transport& below() const { return *below_; }

private:
    std::unique_ptr<Transport> below_;
};

}  // namespace treaty::net
