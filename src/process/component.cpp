#include "process/component.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/pipe_signal.h"
#include "process/keeper.h"

namespace treaty::process {
namespace {

using base::Clock;
using base::Descriptor;
using base::set_nonblocking;

struct Pipe {
    Descriptor read_end, write_end;
};

std::optional<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// As exec wants it: pointers into the texts, the last one null.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size());
    for (std::string& one : texts) pointers.push_back(one.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

base::Result<std::unique_ptr<Component>> Component::start(const std::string& command, bool speaks_stdio,
                                                          const std::string& folder,
                                                          const Surroundings& surroundings) {
    const std::string& directory = surroundings.directory;
    std::error_code ignored;
    if (!directory.empty() && !std::filesystem::is_directory(directory, ignored))
        return base::Fault{"there is no folder " + directory};
    auto errors = make_pipe(), in = make_pipe(), out = make_pipe(), control = make_pipe(),
         status = make_pipe();
    Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!errors || !in || !out || !control || !status || !nothing) return base::Fault{std::strerror(errno)};
    std::unique_ptr<Component> component(new Component());
    std::vector<std::string> environment = environment_of(surroundings);
    std::vector<char*> variables = pointers_to(environment);
    KeeperTask task{command.c_str(),
                    variables.data(),
                    directory.empty() ? nullptr : directory.c_str(),
                    folder.empty() ? nullptr : folder.c_str(),
                    speaks_stdio ? in->read_end.get() : nothing.get(),
                    speaks_stdio ? out->write_end.get() : errors->write_end.get(),
                    errors->write_end.get(),
                    control->read_end.get(),
                    status->write_end.get()};
    component->keeper_ = start_keeper(task);
    if (component->keeper_ < 0) return base::Fault{std::strerror(errno)};
    component->control_ = std::move(control->write_end);
    component->status_ = std::move(status->read_end);
    component->error_out_ = std::move(errors->read_end);
    set_nonblocking(component->error_out_.get());
    set_nonblocking(component->status_.get());
    if (speaks_stdio) {
        set_nonblocking(out->read_end.get());
        set_nonblocking(in->write_end.get());
        component->stdio_ = {std::move(out->read_end), std::move(in->write_end)};
    }
    return component;
}

Component::~Component() {
    stop();
}

std::optional<StandardStreams> Component::take_stdio() {
    return std::exchange(stdio_, std::nullopt);
}

void Component::read_errors() {
    std::array<char, 4096> part;
    // Bounded, so that one that floods does not hold the tester.
    for (int rounds = 0; error_out_ && rounds < 64; ++rounds) {
        ssize_t n = read(error_out_.get(), part.data(), part.size());
        if (n == 0) error_out_.reset();
        if (n <= 0) break;
        errors_.append(part.data(), static_cast<std::size_t>(n));
        if (errors_.size() > 2 * kept_errors) errors_.erase(0, errors_.size() - kept_errors);
    }
}

void Component::read_status() {
    KeeperWord word{};
    while (status_) {
        ssize_t n = read(status_.get(), &word, sizeof word);
        if (n < 0) return;                             // nothing yet
        if (n != static_cast<ssize_t>(sizeof word)) {  // the keeper is gone
            status_.reset();
            ending_.ended = all_gone_ = true;
        } else if (word.kind == KeeperWord::all_gone) {
            ending_.ended = all_gone_ = true;
        } else {
            ending_.ended = true;
            if (WIFSIGNALED(word.status))
                ending_.signal = WTERMSIG(word.status);
            else
                ending_.status = WEXITSTATUS(word.status);
        }
    }
}

void Component::look() {
    if (!ending_.ended) read_status();
    read_errors();  // after the status: everything that it wrote before it ended is there
}

void Component::order(char what) const {
    base::PipeSignalBlocked blocked;  // the keeper may have been killed
    while (write(control_.get(), &what, 1) < 0 && errno == EINTR) {
    }
}

void Component::await_end(base::Time until) {
    for (look(); !ending_.ended && Clock::now() < until; look()) {
        base::WaitSet both;
        both.add(status_.get(), true);
        both.add(error_out_.get(), true);
        both.wait(until);
    }
}

void Component::stop(std::chrono::milliseconds grace) {
    if (keeper_ < 0) return;
    look();
    if (!ending_.ended) {
        ending_.by_us = true;
        order(static_cast<char>(KeeperOrder::ask_to_end));
        await_end(Clock::now() + grace);
    }
    order(static_cast<char>(KeeperOrder::end_all));
    auto until = Clock::now() + std::chrono::seconds(12);
    for (read_status(); !all_gone_ && Clock::now() < until; read_status()) {
        read_errors();  // one that waits for its errors to be read could not end otherwise
        base::wait_readable(status_.get(), Clock::now() + std::chrono::milliseconds(20));
    }
    read_errors();
    control_.reset();
    waitpid(keeper_, nullptr, 0);
    keeper_ = -1;
}

std::string_view not_run_message(const Ending& ending) {
    constexpr int not_executable = 126, not_found = 127;
    if (!ending.ended || ending.signal != 0 || ending.by_us) return {};
    if (ending.status == not_found) return "no such program";
    return ending.status == not_executable ? "the program cannot be executed" : std::string_view();
}

std::string broken_message(const std::string& errors) {
    for (std::string_view mark :
         {"AddressSanitizer", "LeakSanitizer", "MemorySanitizer", "ThreadSanitizer",
          "UndefinedBehaviorSanitizer", "runtime error:", "Traceback (most recent call last)",
          "panic:", "Segmentation fault", "terminate called", "Unhandled exception"}) {
        std::size_t at = errors.find(mark);
        if (at == std::string::npos) continue;
        std::size_t begin = errors.rfind('\n', at);
        begin = begin == std::string::npos ? 0 : begin + 1;
        // The first line after a traceback that is not indented tells what happened.
        if (mark.starts_with("Traceback"))
            for (begin = errors.find('\n', at); begin != std::string::npos;
                 begin = errors.find('\n', begin)) {
                ++begin;
                if (begin < errors.size() && errors[begin] != ' ') break;
            }
        if (begin == std::string::npos) return std::string(mark);
        return errors.substr(begin, errors.find('\n', begin) - begin);
    }
    return {};
}

}  // namespace treaty::process
