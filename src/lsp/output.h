// Messages to the client. A thread of its own writes them, so that a sender is never held up by a client
// that does not read; what waits is limited, and beyond that the connection counts as broken.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "lsp/json.h"

namespace treaty::lsp {

class Output {
public:
    static constexpr std::size_t max_waiting = std::size_t{256} << 20;

    // Writes one message; false if the connection is broken. It may wait.
    using Write = std::function<bool(const std::string& content)>;

    explicit Output(Write write);
    ~Output();  // after what was sent has been written, unless the connection is broken
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    // In the order of the calls. Bytes that are not UTF-8 are replaced.
    void send(const Json& message);
    bool broken() const;

private:
    void write_all();

    Write write_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> waiting_;
    std::size_t bytes_ = 0;
    bool ending_ = false;
    bool broken_ = false;
    std::thread thread_;
};

// Writes to a descriptor, with a header that has the length.
Output::Write framed_to(int fd);

}  // namespace treaty::lsp
