#include "process/run.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/descriptor.h"
#include "base/pipe_signal.h"
#include "base/wait.h"

namespace treaty::process {
namespace {

using base::Descriptor;

struct Pipe {
    Descriptor read_end, write_end;
};

// Above the standard streams: redirecting one of those must not overwrite another end.
Descriptor lifted(int fd) {
    Descriptor low(fd);
    return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

std::optional<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    Pipe made{lifted(ends[0]), lifted(ends[1])};
    if (!made.read_end || !made.write_end) return std::nullopt;
    return made;
}

class Spawned {
public:
    base::Result<void> start(const std::vector<std::string>& words) {
        auto in = make_pipe(), out = make_pipe(), error = make_pipe();
        if (!in || !out || !error) return base::Fault{std::strerror(errno)};
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in->read_end.get(), STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out->write_end.get(), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, error->write_end.get(), STDERR_FILENO);
        posix_spawn_file_actions_addclosefrom_np(&actions, 3);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        std::vector<std::string> texts = words;
        std::vector<char*> arguments;
        arguments.reserve(texts.size());
        for (std::string& text : texts) arguments.push_back(text.data());
        arguments.push_back(nullptr);
        int error_number = posix_spawn(&pid_, arguments[0], &actions, &attributes, arguments.data(), environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        if (error_number != 0) return base::Fault{std::strerror(error_number)};
        in_ = std::move(in->write_end);
        out_ = std::move(out->read_end);
        error_ = std::move(error->read_end);
        for (const Descriptor* one : {&in_, &out_, &error_}) base::set_nonblocking(one->get());
        return {};
    }

    // Until it has closed its output, and is so as good as ended; false when the deadline passed before.
    bool talk(std::string_view input, const base::Deadline& deadline, RunResult& result) {
        while (out_ || error_) {
            if (deadline.passed()) return false;
            if (input.empty()) in_.reset();
            base::WaitSet waiting;
            waiting.add(in_.get(), false, true);
            waiting.add(out_.get(), true);
            waiting.add(error_.get(), true);
            // Short waits: a request to stop does not wake this thread.
            if (!waiting.wait(base::Clock::now() + std::chrono::milliseconds(50))) continue;
            if (waiting.happened(0)) write_some(input);
            if (waiting.happened(1)) read_some(out_, result.output);
            if (waiting.happened(2)) read_some(error_, result.errors);
        }
        return true;
    }

    void kill_it() const { kill(pid_, SIGKILL); }
    int await() const {
        int status = 0;
        while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        return status;
    }

private:
    void write_some(std::string_view& input) {
        base::PipeSignalBlocked blocked;
        ssize_t n = write(in_.get(), input.data(), input.size());
        if (n > 0) input.remove_prefix(static_cast<std::size_t>(n));
        if (n < 0 && errno != EAGAIN && errno != EINTR) input = {};  // it reads no more
    }
    static void read_some(Descriptor& from, std::string& into) {
        std::array<char, 1 << 14> part;
        ssize_t n = read(from.get(), part.data(), part.size());
        if (n > 0) into.append(part.data(), static_cast<std::size_t>(n));
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) from.reset();
    }

    pid_t pid_ = -1;
    Descriptor in_, out_, error_;
};

}  // namespace

base::Result<RunResult> run(const std::vector<std::string>& words, std::string_view input,
                            const base::Deadline& deadline) {
    RunResult result;
    Spawned program;
    if (auto started = program.start(words); !started) return base::Fault{started.error()};
    bool talked = program.talk(input, deadline, result);
    if (!talked) program.kill_it();
    int status = program.await();
    result.end = !talked               ? RunResult::End::killed
                 : WIFSIGNALED(status) ? RunResult::End::signalled
                                       : RunResult::End::exited;
    result.number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return result;
}

}  // namespace treaty::process
