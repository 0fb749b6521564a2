// A few threads that run tasks, the earliest due first, those due at the same time in the order given.
//
// A task must not throw. The destructor drops what has not begun and waits for the rest, so the owner of the
// workers asks running tasks to stop before.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace treaty::lsp {

class Workers {
public:
    using Task = std::function<void()>;

    explicit Workers(unsigned threads);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    void run(Task task, std::chrono::milliseconds delay = std::chrono::milliseconds(0));

private:
    using Clock = std::chrono::steady_clock;
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::pair<Clock::time_point, std::uint64_t>, Task> waiting_;
    std::uint64_t given_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace treaty::lsp
