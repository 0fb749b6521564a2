// Threads that work in phases: each calls meet() at the end of its part, the last one to come runs what has to
// be done by one thread alone, and then all go on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace treaty::explore {

class Crew {
public:
    explicit Crew(unsigned size) : size_(size) {}

    template <class F>
    void meet(F&& alone) {
        std::unique_lock lock(mutex_);
        if (++arrived_ == size_) {
            alone();
            arrived_ = 0;
            ++round_;
            lock.unlock();
            changed_.notify_all();
            return;
        }
        std::uint64_t round = round_;
        changed_.wait(lock, [&] { return round_ != round; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned size_;
    unsigned arrived_ = 0;
    std::uint64_t round_ = 0;
};

}  // namespace treaty::explore
