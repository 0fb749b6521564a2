#include "api/campaigns/test_settings.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace treaty::api {
namespace {

constexpr std::array<std::pair<std::string_view, Strategy>, 8> strategies{{{"random", Strategy::random},
                                                                           {"coverage", Strategy::coverage},
                                                                           {"tests", Strategy::tests},
                                                                           {"profile", Strategy::profile},
                                                                           {"negative", Strategy::negative},
                                                                           {"corrupt", Strategy::corrupt},
                                                                           {"pairs", Strategy::pairs},
                                                                           {"triples", Strategy::triples}}};

template <class T>
void replace(std::optional<T>& into, const std::optional<T>& by) {
    if (by) into = by;
}

template <class T, class From>
void set(T& into, const std::optional<From>& from) {
    if (from) into = *from;
}

void set_milliseconds(std::uint64_t& into, const std::optional<std::chrono::milliseconds>& from) {
    if (from) into = static_cast<std::uint64_t>(from->count());
}

void add_companions(TestRequest& test, const std::vector<CompanionSettings>& all) {
    for (const CompanionSettings& one : all) {
        std::string name = one.with.substr(0, one.with.find('='));
        test.beside.push_back(one.with);
        if (!one.ready.empty()) test.ready.push_back(name + "=" + one.ready);
        if (!one.surroundings.empty()) test.companion_surroundings[name] = one.surroundings;
    }
}

// A word of a shell's command line.
std::string for_shell(std::string_view word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
    std::string quoted = "'";
    for (char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

TestRequest request_of(const TestSettings& settings) {
    TestRequest test;
    set(test.file, settings.file);
    set(test.protocol, settings.protocol);
    set(test.wire, settings.wire);
    set(test.cut, settings.cut);
    set(test.play, settings.play);
    set(test.command, settings.run);
    set(test.reset, settings.reset);
    set(test.via, settings.via);
    set(test.ready, settings.ready);
    set(test.reject, settings.reject);
    set(test.corrupt_means, settings.corrupt_means);
    set(test.profile, settings.profile);
    set(test.length, settings.length);
    set(test.parallel, settings.parallel);
    set(test.keep, settings.keep);
    set_milliseconds(test.silence_ms, settings.silence);
    set_milliseconds(test.linger_ms, settings.linger);
    test.strategy = settings.strategy.value_or(test.profile.empty() ? Strategy::random : Strategy::profile);
    test.surroundings = {settings.env, settings.dir.value_or("")};
    if (settings.with) add_companions(test, *settings.with);
    return test;
}

}  // namespace

std::vector<std::string_view> setting_names() {
    std::vector<std::string_view> names;
    auto add = [&](const auto& list) {
        for (const auto& one : list) names.push_back(one.name);
    };
    add(text_settings);
    add(word_list_settings);
    add(path_settings);
    add(count_settings);
    add(time_settings);
    add(flag_settings);
    names.insert(names.end(), other_settings.begin(), other_settings.end());
    return names;
}

bool has(const TestSettings& settings, std::string_view name) {
    bool found = false;
    auto look = [&](const auto& list) {
        for (const auto& one : list)
            found = found || (one.name == name && (settings.*one.member).has_value());
    };
    look(text_settings);
    look(word_list_settings);
    look(path_settings);
    look(count_settings);
    look(time_settings);
    look(flag_settings);
    return found || (name == "strategy" && settings.strategy) || (name == "via" && settings.via) ||
           (name == "ready" && settings.ready) || (name == "with" && settings.with) ||
           (name == "env" && !settings.env.empty());
}

TestSettings replaced(TestSettings base, const TestSettings& over) {
    auto replace_all = [&](const auto& list) {
        for (const auto& one : list) replace(base.*one.member, over.*one.member);
    };
    replace_all(text_settings);
    replace_all(word_list_settings);
    replace_all(path_settings);
    replace_all(count_settings);
    replace_all(time_settings);
    replace_all(flag_settings);
    replace(base.strategy, over.strategy);
    replace(base.via, over.via);
    replace(base.ready, over.ready);
    replace(base.with, over.with);
    base.env.insert(base.env.end(), over.env.begin(), over.env.end());
    return base;
}

TestSettings for_campaign(TestSettings shared, std::string_view campaign) {
    for (auto member : {&TestSettings::html, &TestSettings::save, &TestSettings::output})
        if (auto& path = shared.*member) path = before_extension(*path, fmt::format("-{}", campaign));
    return shared;
}

TestQuestion question_of(const TestSettings& settings) {
    TestQuestion question;
    question.test = request_of(settings);
    question.startup = settings.startup;
    set(question.sessions, settings.sessions);
    set(question.keep_going, settings.keep_going);
    set(question.store, settings.store);
    if (settings.until_coverage)
        question.until_coverage =
            static_cast<unsigned>(std::min<std::uint64_t>(*settings.until_coverage, 100));
    question.shrink = !settings.no_shrink.value_or(false);
    question.details = settings.html.has_value();
    return question;
}

std::string command_of(const TestSettings& settings, std::uint64_t seed) {
    std::string command = "treaty test";
    auto add = [&](std::string_view name, std::string_view value) {
        command += fmt::format(" --{} {}", name, for_shell(value));
    };
    if (settings.file) command += ' ' + for_shell(*settings.file);
    auto add_texts = [&](const auto& list) {
        for (const auto& one : list)
            if (const auto& value = settings.*one.member) add(one.name, *value);
    };
    add_texts(text_settings);
    add_texts(word_list_settings);
    for (auto [name, value] : {std::pair("profile", &settings.profile), std::pair("store", &settings.store),
                               std::pair("dir", &settings.dir)})
        if (*value) add(name, **value);
    for (std::string_view variable : settings.env) add("env", variable);
    for (const CompanionSettings& one : settings.with.value_or(std::vector<CompanionSettings>{})) {
        add("with", one.with);
        if (!one.ready.empty()) add("ready", one.with.substr(0, one.with.find('=')) + "=" + one.ready);
    }
    for (std::string_view address : settings.via.value_or(std::vector<std::string>{})) add("via", address);
    for (std::string_view sign : settings.ready.value_or(std::vector<std::string>{})) add("ready", sign);
    for (const auto& one : count_settings)
        if (const auto& value = settings.*one.member; value && one.name != "seed")
            add(one.name, std::to_string(*value));
    for (const auto& one : time_settings)
        if (const auto& value = settings.*one.member)
            add(one.name, value->count() % 1000 == 0 ? fmt::format("{}s", value->count() / 1000)
                                                     : fmt::format("{}ms", value->count()));
    if (settings.strategy)
        for (const auto& [name, strategy] : strategies)
            if (strategy == *settings.strategy) add("strategy", name);
    for (const auto& one : flag_settings)
        if ((settings.*one.member).value_or(false) && one.name != "values")
            command += fmt::format(" --{}", one.name);
    return command + fmt::format(" --seed {}", seed);
}

std::optional<Strategy> parse_strategy(std::string_view name) {
    for (const auto& [known, strategy] : strategies)
        if (known == name) return strategy;
    return std::nullopt;
}

std::vector<std::string_view> strategy_names() {
    std::vector<std::string_view> names;
    names.reserve(strategies.size());
    for (const auto& [name, strategy] : strategies) names.push_back(name);
    return names;
}

std::string before_extension(const std::string& path, std::string_view addition) {
    std::size_t dot = path.rfind('.');
    if (dot == std::string::npos || dot == 0 || path.find('/', dot) != std::string::npos) dot = path.size();
    return fmt::format("{}{}{}", path.substr(0, dot), addition, path.substr(dot));
}

}  // namespace treaty::api
