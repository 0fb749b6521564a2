#include "process/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

// Everything below runs between fork and exec, or instead of exec: system calls and plain memory only, since
// other threads of the tester may have held any lock when it forked.

namespace treaty::process {
namespace {

struct Entry {  // as the kernel lays it out
    std::uint64_t inode;
    std::int64_t offset;
    unsigned short size;
    unsigned char type;
    char name[1];
};

// The parent of a process, 0 if it is gone. The name, in brackets, may hold anything; the parent is the
// second word after the last bracket.
pid_t parent_of(const char* number) {
    std::array<char, 64> path{};
    std::strcpy(path.data(), "/proc/");
    std::strncat(path.data(), number, 20);
    std::strcat(path.data(), "/stat");
    int fd = open(path.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    std::array<char, 512> text{};
    ssize_t n = read(fd, text.data(), text.size() - 1);
    close(fd);
    const char* at = n > 0 ? std::strrchr(text.data(), ')') : nullptr;
    if (!at || std::strlen(at) < 5) return 0;
    pid_t parent = 0;
    for (at += 4; *at >= '0' && *at <= '9'; ++at) parent = parent * 10 + (*at - '0');
    return parent;
}

void signal_children(int number) {
    int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    pid_t self = getpid();
    alignas(Entry) std::array<char, 8192> part;
    for (long n; (n = syscall(SYS_getdents64, fd, part.data(), part.size())) > 0;)
        for (long at = 0; at < n;) {
            const auto* entry = reinterpret_cast<const Entry*>(part.data() + at);
            at += entry->size;
            pid_t pid = 0;
            const char* c = entry->name;
            for (; *c >= '0' && *c <= '9'; ++c) pid = pid * 10 + (*c - '0');
            if (*c == 0 && pid > 0 && parent_of(entry->name) == self) kill(pid, number);
        }
    close(fd);
}

[[noreturn]] void become_component(const KeeperTask& task) {
    setpgid(0, 0);
    // Redirected to high numbers first: none of the three may overwrite another.
    int in = fcntl(task.in, F_DUPFD_CLOEXEC, 10), out = fcntl(task.out, F_DUPFD_CLOEXEC, 10),
        error = fcntl(task.error, F_DUPFD_CLOEXEC, 10);
    dup2(in, 0);
    dup2(out, 1);
    dup2(error, 2);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    for (int one : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) signal(one, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (task.directory && chdir(task.directory) != 0) _exit(126);
    execle("/bin/sh", "sh", "-c", task.command, static_cast<char*>(nullptr), task.environment);
    _exit(127);
}

void say(int fd, KeeperWord word) {
    while (write(fd, &word, sizeof word) < 0 && errno == EINTR) {
    }
}

// Collects ended processes; false when none is left.
bool collect(pid_t component, int status_pipe) {
    for (;;) {
        int status = 0;
        pid_t one = waitpid(-1, &status, WNOHANG);
        if (one == component) say(status_pipe, {KeeperWord::ended, status});
        if (one == 0) return true;
        if (one < 0 && errno != EINTR) return false;
    }
}

void end_all(pid_t component, int status_pipe) {
    kill(-component, SIGKILL);
    // Each round turns the children of those it ended into its own. Bounded: a process that cannot be ended
    // (stuck in the kernel) must not keep the keeper for ever.
    for (int round = 0; round < 2000; ++round) {
        if (!collect(component, status_pipe)) return;
        signal_children(SIGKILL);
        poll(nullptr, 0, round < 20 ? 1 : 5);
    }
}

[[noreturn]] void keep(const KeeperTask& task) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setpgid(0, 0);
    for (int one : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) signal(one, SIG_IGN);
    // Wakes poll(): a handler is enough, and is not inherited by what is executed.
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};
    sigaction(SIGCHLD, &nothing, nullptr);
    sigset_t child, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    pid_t component = fork();
    if (component == 0) become_component(task);
    int control = fcntl(task.control, F_DUPFD_CLOEXEC, 10), status = fcntl(task.status, F_DUPFD_CLOEXEC, 10);
    int nowhere = open("/dev/null", O_RDWR);
    for (int fd : {0, 1, 2}) dup2(nowhere, fd);
    // Nothing of the tester stays open here: a program that waits for the end of its output must not wait for
    // the keeper.
    int low = std::min(control, status), high = std::max(control, status);
    syscall(SYS_close_range, 3u, static_cast<unsigned>(low - 1), 0u);
    if (high - low > 1)
        syscall(SYS_close_range, static_cast<unsigned>(low + 1), static_cast<unsigned>(high - 1), 0u);
    syscall(SYS_close_range, static_cast<unsigned>(high + 1), ~0u, 0u);
    if (component < 0) {
        say(status, {KeeperWord::ended, 127 << 8});
        say(status, {KeeperWord::all_gone, 0});
        _exit(0);
    }
    setpgid(component, component);
    for (;;) {
        collect(component, status);
        pollfd polled{control, POLLIN, 0};
        if (ppoll(&polled, 1, nullptr, &before) <= 0) continue;
        char order = 0;
        ssize_t n = read(control, &order, 1);
        if (n < 0) continue;
        if (n == 1 && order == static_cast<char>(KeeperOrder::ask_to_end)) {
            kill(-component, SIGTERM);
            signal_children(SIGTERM);
            continue;
        }
        end_all(component, status);
        say(status, {KeeperWord::all_gone, 0});
        if (n == 0 && task.folder)
            execl("/bin/rm", "rm", "-rf", "--", task.folder, static_cast<char*>(nullptr));
        _exit(0);
    }
}

}  // namespace

pid_t start_keeper(const KeeperTask& task) {
    pid_t pid = fork();
    if (pid == 0) keep(task);
    return pid;
}

}  // namespace treaty::process
