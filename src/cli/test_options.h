// The options about tests that `tests`, `comply` and `mutate` share: which tests there are, and how they are
// judged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/suite/judging.h"
#include "api/suite/test_source.h"
#include "cli/channel_options.h"
#include "cli/command_line.h"

namespace treaty::cli {

class TestOptions {
public:
    void add_to(CommandLine& line);
    api::TestOptions read() const;

private:
    api::TestOptions options_;
    std::optional<std::uint64_t> times_;
    bool keep_all_ = false, wait_ = false, dual_ = false;
};

class JudgeOptions {
public:
    void add_to(CommandLine& line);
    // False after reporting what is wrong.
    bool read(Session& session, api::JudgeOptions& into) const;

private:
    ChannelOptions channels_;
    std::string oracle_ = "global";
    std::string empty_;
    bool observe_final_ = false;
};

}  // namespace treaty::cli
