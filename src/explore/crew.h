// Threads that work in phases: each calls meet() at the end of its part, the last one to come runs what has
// to be done by one thread alone, and then all go on.
//
// Phases are often shorter than it takes to put a thread to sleep and wake it, so a thread that waits first
// looks around for some microseconds.
#pragma once

#include <atomic>
#include <cstdint>

namespace treaty::explore {

class Crew {
public:
    explicit Crew(unsigned size) : size_(size) {}

    template <class F>
    void meet(F&& alone) {
        std::uint64_t round = round_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
            alone();
            arrived_.store(0, std::memory_order_relaxed);
            round_.fetch_add(1, std::memory_order_release);
            round_.notify_all();
            return;
        }
        for (int looks = 0; looks < most_looks; ++looks) {
            if (round_.load(std::memory_order_acquire) != round) return;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        while (round_.load(std::memory_order_acquire) == round) round_.wait(round, std::memory_order_acquire);
    }

private:
    static constexpr int most_looks = 1000;
    unsigned size_;
    std::atomic<unsigned> arrived_{0};
    std::atomic<std::uint64_t> round_{0};
};

}  // namespace treaty::explore
