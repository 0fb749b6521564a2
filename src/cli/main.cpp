// treaty VERB ...: finds the verb and runs it.
//
// The first SIGINT or SIGTERM asks long work to stop and report what it has; a second one ends the program.
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/answer.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "cli/codes.h"
#include "cli/session.h"
#include "cli/verbs.h"

namespace treaty::cli {
namespace {

// The first signal asks; another one a second later or more insists. Signals that come together are one wish: a
// terminal and a wrapper may both send it.
extern "C" void ask_to_stop(int number) {
    static volatile std::sig_atomic_t asked_at = 0;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    auto second = static_cast<std::sig_atomic_t>(now.tv_sec);
    if (base::interrupt_flag().exchange(true) && second - asked_at > 1) _exit(128 + number);
    if (asked_at == 0) asked_at = second;
}

void install_signal_handlers() {
    base::interrupt_flag().store(false);  // made before a signal can ask for it
    struct sigaction action {};
    action.sa_handler = ask_to_stop;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is a failed write, not the end
}

int unknown_verb(const std::string& word, Arguments rest) {
    Session session(word);
    for (const std::string& argument : rest)
        if (argument == "--json") session.options.json = true;
    std::vector<std::string_view> names;
    for (const Verb& verb : verbs()) names.push_back(verb.name);
    std::string_view meant = base::nearest(word, names);
    session.report(codes::bad_usage, fmt::format("treaty has no verb {}", word))
        .help(meant.empty() ? "treaty help lists the verbs" : fmt::format("did you mean {}?", meant));
    return session.finish();
}

int run(const std::vector<std::string>& words) {
    if (words.empty()) {
        fmt::print(stderr, "{}", overview());
        return static_cast<int>(base::Exit::bad_input);
    }
    const std::string& first = words.front();
    Arguments rest = Arguments(words).subspan(1);
    if (first == "--version" || first == "-V")
        return base::write_file("-", "treaty " TREATY_VERSION "\n") ? 4 : 0;
    if (first == "--help" || first == "-h") return verb_help(rest);
    const Verb* verb = find_verb(first);
    return verb ? verb->run(rest) : unknown_verb(first, rest);
}

}  // namespace
}  // namespace treaty::cli

int main(int argc, char** argv) {
    try {
        treaty::cli::install_signal_handlers();
        return treaty::cli::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    } catch (const std::bad_alloc&) {
        std::fputs("treaty: out of memory\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "treaty: internal error: %s\n", error.what());
    }
    return static_cast<int>(treaty::base::Exit::world_failed);
}
