// The command line of one verb: what it takes, its help, and its faults in one clear line.
//
// A verb names its positionals, options and flags and where their values go, then calls parse(). The common
// options (cli/session.h) are there without being named.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.h"

namespace treaty::cli {

enum class Needed : std::uint8_t { yes, no };

class CommandLine {
public:
    explicit CommandLine(Session& session);
    ~CommandLine();

    void positional(const std::string& name, std::string& into, std::string about,
                    Needed needed = Needed::yes);
    void positionals(const std::string& name, std::vector<std::string>& into, std::string about,
                     Needed needed = Needed::yes);
    // names as in "-o,--output"; value is what the help calls it.
    void option(const std::string& names, const std::string& value, std::string& into, std::string about,
                Needed needed = Needed::no);
    // Without a value if the option is not given.
    void option(const std::string& names, const std::string& value, std::optional<std::string>& into,
                std::string about);
    void option(const std::string& names, const std::string& value, std::vector<std::string>& into,
                std::string about);
    void option(const std::string& names, const std::string& value, std::optional<std::uint64_t>& into,
                std::string about);
    void flag(const std::string& names, bool& into, std::string about);

    // Gives the exit code if the run ends here: help was asked for, or the line is wrong (then it is
    // reported).
    std::optional<int> parse(std::span<const std::string> arguments);

    // Usage, options and the verb's own words.
    std::string help() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace treaty::cli
