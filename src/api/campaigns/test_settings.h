// The settings of a test, each named as the option of `treaty test` that has it.
//
// They come from three places: the defaults of a project file, a campaign of it, and the command line. What
// is not set in one place has no value there, so that one can replace the other.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/test_component.h"
#include "process/surroundings.h"

namespace treaty::api {

// A program beside the component.
struct CompanionSettings {
    std::string with;   // NAME=COMMAND
    std::string ready;  // what shows that it is ready; empty: nothing, or an entry of TestSettings::ready
    process::Surroundings surroundings = {};
};

struct TestSettings {
    std::optional<std::string> protocol, wire, cut, run, reset;
    std::optional<std::string> play, reject, corrupt_means;  // lists with commas
    std::optional<std::string> file, profile, store, dir;
    // What the caller writes: a page, one report on all campaigns, failing runs, a picture of one; and
    // whether classes of values are listed.
    std::optional<std::string> html, junit, save, output;
    std::optional<bool> values;
    std::optional<std::uint64_t> sessions, length, parallel, until_coverage, seed;
    std::optional<std::chrono::milliseconds> silence, startup, linger, limit_time;
    std::optional<bool> keep, keep_going, no_shrink;
    std::optional<Strategy> strategy;
    std::optional<std::vector<std::string>> via, ready;
    std::optional<std::vector<CompanionSettings>> with;
    std::vector<std::string> env;  // NAME=VALUE
};

// The settings of one kind, by the names of their options without dashes.
template <class T>
struct NamedSetting {
    std::string_view name;
    std::optional<T> TestSettings::*member;
};
inline constexpr std::array text_settings{NamedSetting<std::string>{"protocol", &TestSettings::protocol},
                                          NamedSetting<std::string>{"wire", &TestSettings::wire},
                                          NamedSetting<std::string>{"cut", &TestSettings::cut},
                                          NamedSetting<std::string>{"run", &TestSettings::run},
                                          NamedSetting<std::string>{"reset", &TestSettings::reset}};
inline constexpr std::array word_list_settings{
    NamedSetting<std::string>{"play", &TestSettings::play},
    NamedSetting<std::string>{"reject", &TestSettings::reject},
    NamedSetting<std::string>{"corrupt-means", &TestSettings::corrupt_means}};
inline constexpr std::array path_settings{NamedSetting<std::string>{"file", &TestSettings::file},
                                          NamedSetting<std::string>{"profile", &TestSettings::profile},
                                          NamedSetting<std::string>{"store", &TestSettings::store},
                                          NamedSetting<std::string>{"dir", &TestSettings::dir},
                                          NamedSetting<std::string>{"html", &TestSettings::html},
                                          NamedSetting<std::string>{"junit", &TestSettings::junit},
                                          NamedSetting<std::string>{"save", &TestSettings::save},
                                          NamedSetting<std::string>{"output", &TestSettings::output}};
inline constexpr std::array count_settings{
    NamedSetting<std::uint64_t>{"sessions", &TestSettings::sessions},
    NamedSetting<std::uint64_t>{"length", &TestSettings::length},
    NamedSetting<std::uint64_t>{"parallel", &TestSettings::parallel},
    NamedSetting<std::uint64_t>{"until-coverage", &TestSettings::until_coverage},
    NamedSetting<std::uint64_t>{"seed", &TestSettings::seed}};
inline constexpr std::array time_settings{
    NamedSetting<std::chrono::milliseconds>{"silence", &TestSettings::silence},
    NamedSetting<std::chrono::milliseconds>{"startup", &TestSettings::startup},
    NamedSetting<std::chrono::milliseconds>{"linger", &TestSettings::linger},
    NamedSetting<std::chrono::milliseconds>{"limit-time", &TestSettings::limit_time}};
inline constexpr std::array flag_settings{NamedSetting<bool>{"keep", &TestSettings::keep},
                                          NamedSetting<bool>{"keep-going", &TestSettings::keep_going},
                                          NamedSetting<bool>{"values", &TestSettings::values},
                                          NamedSetting<bool>{"no-shrink", &TestSettings::no_shrink}};
// Those that are of no kind with others.
inline constexpr std::array<std::string_view, 5> other_settings{"strategy", "via", "ready", "with", "env"};

// Every name, in the order of the lists above.
std::vector<std::string_view> setting_names();

// Whether the setting of that name has a value.
bool has(const TestSettings& settings, std::string_view name);

// The settings of `base`, replaced by those that `over` has. Variables are added, the others replaced as a
// whole.
TestSettings replaced(TestSettings base, const TestSettings& over);

// As one of several campaigns has them: what is written for each campaign has the campaign's name before the
// extension, so that none overwrites another.
TestSettings for_campaign(TestSettings shared, std::string_view campaign);

// What is asked with these settings. Seed and time limit are the context's.
TestQuestion question_of(const TestSettings& settings);

// The command that asks the same in a shell, with this seed. Without what is written: pages, reports,
// pictures.
std::string command_of(const TestSettings& settings, std::uint64_t seed);

// A strategy by its name; none if there is none of that name.
std::optional<Strategy> parse_strategy(std::string_view name);
std::vector<std::string_view> strategy_names();

// "report.html" and "-2" as "report-2.html".
std::string before_extension(const std::string& path, std::string_view addition);

}  // namespace treaty::api
