#include "drive/component.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace treaty::drive {
namespace {

struct Pipe {
    Descriptor read_end, write_end;
};

std::optional<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

void set_nonblocking(int fd) {
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

// In the child: only calls that are safe after a fork.
[[noreturn]] void become(const char* command, char* const* environment, int in, int out, int error) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in, 0);
    dup2(out, 1);
    dup2(error, 2);
    signal(SIGPIPE, SIG_DFL);
    execle("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr), environment);
    _exit(127);
}

// Every process whose environment holds the mark.
std::vector<pid_t> marked(const std::string& mark) {
    std::vector<pid_t> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(entry.path() / "environ", std::ios::binary);
        std::string environment((std::istreambuf_iterator<char>(file)), {});
        if (environment.find(mark) != std::string::npos) found.push_back(static_cast<pid_t>(std::stol(name)));
    }
    return found;
}

// A mark that no other component has, also of other testers.
std::string new_mark() {
    static std::atomic<std::uint64_t> next{0};
    return "TREATY_COMPONENT=" + std::to_string(getpid()) + "." + std::to_string(next++) + ";";
}

}  // namespace

std::unique_ptr<Component> Component::start(const std::string& command, bool speaks_stdio, std::string& fault) {
    auto errors = make_pipe(), in = make_pipe(), out = make_pipe();
    Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!errors || !in || !out || !nothing) {
        fault = std::strerror(errno);
        return nullptr;
    }
    std::unique_ptr<Component> component(new Component());
    component->mark_ = new_mark();
    std::vector<char*> environment{component->mark_.data()};
    for (char** one = environ; *one; ++one) environment.push_back(*one);
    environment.push_back(nullptr);
    pid_t pid = fork();
    if (pid < 0) {
        fault = std::strerror(errno);
        return nullptr;
    }
    if (pid == 0)
        become(command.c_str(), environment.data(), speaks_stdio ? in->read_end.get() : nothing.get(),
               speaks_stdio ? out->write_end.get() : errors->write_end.get(), errors->write_end.get());
    setpgid(pid, pid);  // also here: the group must be there before anyone asks for it
    component->pid_ = pid;
    component->error_out_ = std::move(errors->read_end);
    set_nonblocking(component->error_out_.get());
    if (speaks_stdio) {
        set_nonblocking(out->read_end.get());
        set_nonblocking(in->write_end.get());
        component->stdio_.emplace(std::move(out->read_end), std::move(in->write_end));
    }
    return component;
}

Component::~Component() {
    stop();
}

std::optional<Connection> Component::take_stdio() {
    return std::exchange(stdio_, std::nullopt);
}

void Component::look() {
    std::array<char, 4096> part;
    // Bounded, so that one that floods does not hold the tester.
    for (int rounds = 0; error_out_ && rounds < 64; ++rounds) {
        ssize_t n = read(error_out_.get(), part.data(), part.size());
        if (n == 0) error_out_.reset();
        if (n <= 0) break;
        errors_.append(part.data(), static_cast<std::size_t>(n));
        if (errors_.size() > 2 * kept_errors) errors_.erase(0, errors_.size() - kept_errors);
    }
    if (ending_.ended) return;
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) return;
    ending_.ended = true;
    if (WIFSIGNALED(status)) ending_.signal = WTERMSIG(status);
    else ending_.status = WEXITSTATUS(status);
}

void Component::signal_all(int number) const {
    if (!ending_.ended) kill(-pid_, number);
    for (pid_t one : marked(mark_)) kill(one, number);
}

void Component::await_end(Clock::time_point until) {
    for (look(); !ending_.ended && Clock::now() < until; look()) pause_until(Clock::now() + std::chrono::milliseconds(2));
}

void Component::stop(std::chrono::milliseconds grace) {
    if (pid_ < 0) return;
    look();
    if (!ending_.ended) {
        ending_.by_us = true;
        signal_all(SIGTERM);
        await_end(Clock::now() + grace);
    }
    signal_all(SIGKILL);
    if (!ending_.ended) await_end(Clock::now() + std::chrono::seconds(5));
    look();
    pid_ = -1;
}

std::string broken_message(const std::string& errors) {
    for (std::string_view mark : {"AddressSanitizer", "LeakSanitizer", "MemorySanitizer", "ThreadSanitizer",
                                  "UndefinedBehaviorSanitizer", "runtime error:", "Traceback (most recent call last)",
                                  "panic:", "Segmentation fault", "terminate called", "Unhandled exception"}) {
        std::size_t at = errors.find(mark);
        if (at == std::string::npos) continue;
        std::size_t begin = errors.rfind('\n', at);
        begin = begin == std::string::npos ? 0 : begin + 1;
        // A traceback says what happened in the first line behind it that is not indented.
        if (mark.starts_with("Traceback"))
            for (begin = errors.find('\n', at); begin != std::string::npos; begin = errors.find('\n', begin)) {
                ++begin;
                if (begin < errors.size() && errors[begin] != ' ') break;
            }
        if (begin == std::string::npos) return std::string(mark);
        return errors.substr(begin, errors.find('\n', begin) - begin);
    }
    return {};
}

}  // namespace treaty::drive
