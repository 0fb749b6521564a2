#include "cli/command_line.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "api/codes.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "cli/interrupt.h"
#include "cli/verbs.h"

namespace treaty::cli {
namespace {

struct Entry {
    std::string left;  // "-o, --output FILE"
    std::string about;
};

// "-o,--output" as people write it, and the long name alone.
std::string spaced(std::string names) {
    for (std::size_t at = names.find(','); at != std::string::npos; at = names.find(',', at + 1))
        names.insert(at + 1, " ");
    return names;
}
std::string long_name(const std::string& names) {
    return names.substr(names.find("--"));
}

bool parse_count(const std::string& text, std::uint64_t& into) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

struct CommandLine::Impl {
    explicit Impl(Session& s) : session(s) {
        app.set_help_flag();
        app.allow_extras();
        app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }

    struct NeededOption {
        CLI::Option* option;
        std::string name;
    };
    struct Count {
        std::string name, text;
        std::optional<std::uint64_t>* into;
    };

    Session& session;
    CLI::App app;
    std::vector<std::string> usage;  // the words after the verb
    std::vector<Entry> positionals, options, common;
    std::vector<NeededOption> needed;
    std::vector<std::string> names;  // of all options, for suggestions
    std::vector<std::unique_ptr<Count>> counts;
    bool help_asked = false;
    std::string color, time, states, memory, jobs, seed;

    void add_common();
    bool read_common();
    bool read_counts();
    bool check_extras();
    bool check_needed();
    bool complain(std::string message, std::string hint = {});
};

CommandLine::CommandLine(Session& session) : impl_(std::make_unique<Impl>(session)) {}
CommandLine::~CommandLine() = default;

void CommandLine::positional(const std::string& name, std::string& into, std::string about, Needed needed) {
    CLI::Option* option = impl_->app.add_option(name, into);
    impl_->usage.push_back(needed == Needed::yes ? name : "[" + name + "]");
    impl_->positionals.push_back({name, std::move(about)});
    if (needed == Needed::yes) impl_->needed.push_back({option, name});
}

void CommandLine::positionals(const std::string& name, std::vector<std::string>& into, std::string about,
                              Needed needed) {
    CLI::Option* option =
        impl_->app.add_option(name, into)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    impl_->usage.push_back(needed == Needed::yes ? name + "..." : "[" + name + "...]");
    impl_->positionals.push_back({name, std::move(about)});
    if (needed == Needed::yes) impl_->needed.push_back({option, name});
}

void CommandLine::option(const std::string& names, const std::string& value, std::string& into,
                         std::string about, Needed needed) {
    CLI::Option* option = impl_->app.add_option(names, into);
    impl_->options.push_back({spaced(names) + " " + value, std::move(about)});
    impl_->names.push_back(long_name(names));
    if (needed == Needed::no) return;
    impl_->usage.push_back(long_name(names) + " " + value);
    impl_->needed.push_back({option, long_name(names)});
}

void CommandLine::option(const std::string& names, const std::string& value, std::optional<std::string>& into,
                         std::string about) {
    impl_->app.add_option(names, into);
    impl_->options.push_back({spaced(names) + " " + value, std::move(about)});
    impl_->names.push_back(long_name(names));
}

void CommandLine::option(const std::string& names, const std::string& value, std::vector<std::string>& into,
                         std::string about) {
    impl_->app.add_option(names, into)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->expected(1);
    impl_->options.push_back({spaced(names) + " " + value, std::move(about)});
    impl_->names.push_back(long_name(names));
}

void CommandLine::option(const std::string& names, const std::string& value,
                         std::optional<std::uint64_t>& into, std::string about) {
    impl_->counts.push_back(std::make_unique<Impl::Count>(Impl::Count{long_name(names), "", &into}));
    option(names, value, impl_->counts.back()->text, std::move(about));
}

void CommandLine::flag(const std::string& names, bool& into, std::string about) {
    impl_->app.add_flag(names, into);
    impl_->options.push_back({spaced(names), std::move(about)});
    impl_->names.push_back(long_name(names));
}

void CommandLine::Impl::add_common() {
    auto add = [&](const std::string& name, const std::string& value, std::string& into, std::string about) {
        app.add_option(name, into);
        common.push_back({name + " " + value, std::move(about)});
        names.push_back(name);
    };
    app.add_flag("--json", session.options.json);
    common.push_back({"--json", "print the whole result as JSON, and nothing else"});
    names.push_back("--json");
    add("--color", "WHEN", color, "auto (on a terminal), always or never");
    add("--limit-time", "TIME", time, "stop after this long: 250ms, 3s, 5m, 2h");
    add("--limit-states", "N", states, "stop after this many states");
    add("--limit-memory", "BYTES", memory, "stop at this much memory: 64k, 512M, 2G");
    add("--jobs", "N", jobs, "threads (default: all cores)");
    add("--seed", "N", seed, "seed of all random choices (default: 0)");
    app.add_flag("-h,--help", help_asked);
    common.push_back({"-h, --help", "show this help"});
    names.push_back("--help");
}

bool CommandLine::Impl::complain(std::string message, std::string hint) {
    if (hint.empty())
        hint = fmt::format("treaty {} --help lists its arguments and options", session.result.verb);
    session.report(api::codes::bad_usage, std::move(message)).help(std::move(hint));
    return false;
}

bool CommandLine::Impl::read_common() {
    Options& chosen = session.options;
    auto bad = [&](std::string_view name, const std::string& text, std::string_view wanted) {
        return complain(fmt::format("{} {} is not {}", name, text, wanted));
    };
    if (!color.empty()) {
        auto choice = draw::parse_color_choice(color);
        if (!choice) return bad("--color", color, "auto, always or never");
        chosen.color = *choice;
    }
    api::Context& context = session.settings();
    context.deadline = base::Deadline().with(interrupt().token());
    if (!time.empty()) {
        auto duration = base::parse_duration(time);
        if (!duration) return bad("--limit-time", time, "a duration such as 250ms, 3s or 5m");
        context.deadline = context.deadline.part(*duration);
        context.time_limited = true;
    }
    if (!memory.empty() && !(context.memory = base::parse_bytes(memory)))
        return bad("--limit-memory", memory, "an amount of memory such as 512M or 2G");
    std::uint64_t count = 0;
    if (!states.empty()) {
        if (!parse_count(states, count)) return bad("--limit-states", states, "a whole number");
        context.states = count;
    }
    constexpr std::uint64_t most_jobs = 64;
    if (jobs.empty())
        count = std::max(std::thread::hardware_concurrency(), 1u);
    else if (!parse_count(jobs, count) || count == 0)
        return bad("--jobs", jobs, "a whole number of at least 1");
    context.jobs = static_cast<unsigned>(std::min(count, most_jobs));
    if (!seed.empty() && !parse_count(seed, context.seed)) return bad("--seed", seed, "a whole number");
    chosen.seeded = !seed.empty();
    return true;
}

bool CommandLine::Impl::read_counts() {
    for (const auto& count : counts) {
        if (count->text.empty()) continue;
        std::uint64_t value = 0;
        if (!parse_count(count->text, value))
            return complain(fmt::format("{} {} is not a whole number", count->name, count->text));
        *count->into = value;
    }
    return true;
}

bool CommandLine::Impl::check_extras() {
    std::vector<std::string> extras = app.remaining();
    if (extras.empty()) return true;
    auto dashed =
        std::find_if(extras.begin(), extras.end(), [](const std::string& e) { return e.rfind('-', 0) == 0; });
    if (dashed == extras.end()) return complain(fmt::format("unexpected argument {}", extras.front()));
    std::string name = dashed->substr(0, dashed->find('='));
    std::vector<std::string_view> known(names.begin(), names.end());
    std::string_view meant = base::nearest(name, known);
    return complain(fmt::format("treaty {} has no option {}", session.result.verb, name),
                    meant.empty() ? "" : fmt::format("did you mean {}?", meant));
}

bool CommandLine::Impl::check_needed() {
    for (const NeededOption& one : needed)
        if (one.option->empty())
            return complain(fmt::format("treaty {} needs {}", session.result.verb, one.name),
                            fmt::format("usage: treaty {} {}", session.result.verb, fmt::join(usage, " ")));
    return true;
}

std::optional<int> CommandLine::parse(std::span<const std::string> arguments) {
    impl_->add_common();
    // A line that cannot be read may still have asked for JSON.
    Session& session = impl_->session;
    session.options.json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    bool good = false;
    try {
        std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
        impl_->app.parse(reversed);
        if (impl_->help_asked) {
            session.result.quiet = true;
            session.result.text = help();
            session.result.extra["help"] = session.result.text;
            return session.holds();
        }
        good = impl_->check_extras() && impl_->check_needed() && impl_->read_common() && impl_->read_counts();
    } catch (const CLI::ArgumentMismatch& error) {
        // Its text begins with the option's name.
        std::string_view text = error.what();
        impl_->complain(fmt::format("{} needs a value", text.substr(0, text.find(':'))));
    } catch (const CLI::Error& error) {
        impl_->complain(error.what());
    }
    if (!good) return session.finish();
    return std::nullopt;
}

std::string CommandLine::help() const {
    const Verb* verb = find_verb(impl_->session.result.verb);
    std::string out =
        fmt::format("usage: treaty {} {} [OPTION...]\n", verb->name, fmt::join(impl_->usage, " "));
    out += fmt::format("\n{}\n", verb->summary);
    std::size_t width = 0;
    for (const auto* list : {&impl_->positionals, &impl_->options, &impl_->common})
        for (const Entry& entry : *list) width = std::max(width, entry.left.size());
    auto section = [&](std::string_view title, const std::vector<Entry>& entries) {
        if (entries.empty()) return;
        out += fmt::format("\n{}\n", title);
        for (const Entry& entry : entries)
            out += fmt::format("  {:<{}}  {}\n", entry.left, width, entry.about);
    };
    section("arguments", impl_->positionals);
    section("options", impl_->options);
    section("common options", impl_->common);
    if (!verb->details.empty()) out += fmt::format("\n{}\n", verb->details);
    return out;
}

}  // namespace treaty::cli
