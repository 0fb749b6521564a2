#include "lsp/workers.h"

namespace treaty::lsp {

Workers::Workers(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
    {
        std::lock_guard lock(mutex_);
        ending_ = true;
        waiting_.clear();
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Workers::run(Task task, std::chrono::milliseconds delay) {
    {
        std::lock_guard lock(mutex_);
        if (ending_) return;
        waiting_.emplace(std::pair(Clock::now() + delay, given_++), std::move(task));
    }
    changed_.notify_one();
}

void Workers::work() {
    std::unique_lock lock(mutex_);
    while (!ending_) {
        if (waiting_.empty()) {
            changed_.wait(lock);
            continue;
        }
        auto first = waiting_.begin();
        // A copy: another thread may take the task, and its entry with it, while this one waits.
        Clock::time_point due = first->first.first;
        if (due > Clock::now()) {
            changed_.wait_until(lock, due);
            continue;
        }
        Task task = std::move(first->second);
        waiting_.erase(first);
        lock.unlock();
        task();
        task = nullptr;
        lock.lock();
    }
}

}  // namespace treaty::lsp
