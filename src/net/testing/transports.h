// Both ends of a transport in this process, for tests: near connected, far listened.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "net/open.h"
#include "net/port.h"

namespace treaty::net::testing {

struct Ends {
    std::unique_ptr<Transport> near, far;  // near connected, far listened
    Loop near_loop, far_loop = near_loop;
};

// Lets both sides work until `done` says so, or half a minute has passed.
template <class Done>
bool work(Ends& ends, std::string& near_got, std::string& far_got, Done done) {
    for (Time until = Clock::now() + std::chrono::seconds(30); Clock::now() < until;) {
        for (auto [end, got] : {std::pair{ends.near.get(), &near_got}, std::pair{ends.far.get(), &far_got}}) {
            if (!end) continue;
            end->flush();
            while (auto piece = end->receive()) *got += *piece;
        }
        if (done()) return true;
        for (Transport* end : {ends.near.get(), ends.far.get()})
            if (end) end->await_events();
        // Two loops cannot be waited for together.
        bool one_loop = ends.near_loop.context() == ends.far_loop.context();
        if (!one_loop) ends.far_loop.wait(Clock::now());
        ends.near_loop.wait(one_loop ? until : Clock::now() + std::chrono::milliseconds(1));
    }
    return false;
}

// One of each kind, by the scheme of its address.
class Transports : public ::testing::TestWithParam<std::string> {
protected:
    // The address of both sides: `-listen` on the far one.
    void open_both() {
        std::string scheme = GetParam(), place;
        if (scheme == "unix")
            place = ":" + ::testing::TempDir() + "treaty-" + std::to_string(getpid()) + ".sock";
        else
            place = "://127.0.0.1:" + std::to_string(port_.number());
        near_address_ = *parse_address(scheme + place);
        far_address_ = *parse_address(scheme + "-listen" + place);
        if (scheme == "unix") std::filesystem::remove(far_address_->path);
        listener_ = *Listener::open(ends_.far_loop, *far_address_);
        ends_.near = *reach(ends_.near_loop, *near_address_);
        ends_.far = await_caller(listener_, Clock::now() + std::chrono::seconds(10));
        ASSERT_TRUE(ends_.far);
        std::string a, b;
        ASSERT_TRUE(work(ends_, a, b, [&] { return !ends_.near->opening() && !ends_.far->opening(); }));
        EXPECT_EQ(ends_.near->fault() + ends_.far->fault(), "");
    }

    void TearDown() override {
        if (far_address_ && far_address_->kind == AddressKind::unix_socket)
            std::filesystem::remove(far_address_->path);
    }

    ClaimedPort port_;
    std::optional<Address> near_address_, far_address_;
    std::shared_ptr<Listener> listener_;
    Ends ends_;
};

}  // namespace treaty::net::testing
