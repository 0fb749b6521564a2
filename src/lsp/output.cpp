#include "lsp/output.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include <fmt/format.h>

#include "base/pipe_signal.h"

namespace treaty::lsp {
namespace {

bool write_text(int fd, std::string_view text) {
    base::PipeSignalBlocked no_signal;
    while (!text.empty()) {
        ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

Output::Write framed_to(int fd) {
    return [fd](const std::string& content) {
        return write_text(fd, fmt::format("Content-Length: {}\r\n\r\n{}", content.size(), content));
    };
}

Output::Output(Write write) : write_(std::move(write)), thread_([this] { write_all(); }) {}

Output::~Output() {
    {
        std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

bool Output::broken() const {
    std::lock_guard lock(mutex_);
    return broken_;
}

void Output::send(const Json& message) {
    std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    {
        std::lock_guard lock(mutex_);
        if (broken_) return;
        bytes_ += text.size();
        if (bytes_ > max_waiting) {
            broken_ = true;
            waiting_.clear();
            return;
        }
        waiting_.push_back(std::move(text));
    }
    changed_.notify_one();
}

void Output::write_all() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (waiting_.empty() || broken_) return;
        std::string text = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        bool written = write_(text);
        lock.lock();
        bytes_ -= text.size();
        if (!written) broken_ = true;
    }
}

}  // namespace treaty::lsp
