// The options of `test` as settings, which are also those of a campaign of a project file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/campaigns/test_settings.h"
#include "cli/command_line.h"

namespace treaty::cli {

class TestSettingsOptions {
public:
    void add_to(CommandLine& line);
    // The settings that were given; nothing after reporting what is wrong.
    std::optional<api::TestSettings> read(const Session& session) const;

private:
    void add_component(CommandLine& line);
    void add_campaign(CommandLine& line);
    void add_output(CommandLine& line);

    api::TestSettings settings_;
    std::string file_, silence_, startup_, linger_, strategy_;
    std::vector<std::string> via_, ready_, with_, env_;
    bool keep_ = false, keep_going_ = false, no_shrink_ = false, values_ = false;
};

}  // namespace treaty::cli
