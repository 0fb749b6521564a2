// treaty VERB ...: finds the verb and runs it.
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "api/codes.h"
#include "base/answer.h"
#include "base/suggest.h"
#include "cli/command_line.h"
#include "cli/interrupt.h"
#include "cli/session.h"
#include "cli/verbs.h"

namespace treaty::cli {
namespace {

int unknown_verb(const std::string& word, Arguments rest) {
    Session session(word);
    for (const std::string& argument : rest)
        if (argument == "--json") session.options.json = true;
    std::vector<std::string_view> names;
    for (const Verb& verb : verbs()) names.push_back(verb.name);
    std::string_view meant = base::nearest(word, names);
    session.report(api::codes::bad_usage, fmt::format("treaty has no verb {}", word))
        .help(meant.empty() ? "treaty help lists the verbs" : fmt::format("did you mean {}?", meant));
    return session.finish();
}

int version(Arguments arguments) {
    Session session("version");
    CommandLine line(session);
    if (auto done = line.parse(arguments)) return *done;
    session.result.quiet = true;
    session.result.text = "treaty " TREATY_VERSION "\n";
    session.result.extra["version"] = TREATY_VERSION;
    return session.holds();
}

int run(const std::vector<std::string>& words) {
    if (words.empty()) {
        fmt::print(stderr, "{}", overview());
        return static_cast<int>(base::Exit::bad_input);
    }
    const std::string& first = words.front();
    Arguments rest = Arguments(words).subspan(1);
    if (first == "--version" || first == "-V") return version(rest);
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
