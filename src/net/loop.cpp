#include "net/loop.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include "base/descriptor.h"
#include "net/asio.h"

namespace treaty::net {

Loop::Loop() : context_(std::make_shared<Context>()) {}

bool Loop::wait(Time until) {
    return context_->io.run_one_until(until) > 0 || context_->io.poll_one() > 0;
}

void Loop::post(std::function<void()> work) {
    asio::post(context_->io, std::move(work));
}

struct DescriptorWatch::State : Waitable<asio::posix::stream_descriptor> {
    using Waitable::Waitable;
};

// A descriptor of its own: the owner may close its one, and the number may be given to another, at any time.
DescriptorWatch::DescriptorWatch(const Loop& loop, int descriptor)
    : state_(std::make_shared<State>(loop.context())) {
    int copy = base::dup_descriptor(descriptor);
    error_code ignored;  // nothing is waited for then
    if (copy >= 0) state_->io.assign(copy, ignored);
}

DescriptorWatch::~DescriptorWatch() = default;
DescriptorWatch::DescriptorWatch(DescriptorWatch&&) noexcept = default;
DescriptorWatch& DescriptorWatch::operator=(DescriptorWatch&&) noexcept = default;

void DescriptorWatch::await_events() {
    State::wait(state_, State::What::wait_read);
}

bool DescriptorWatch::happened() {
    return state_->take_happened(State::What::wait_read);
}

}  // namespace treaty::net
