// --mode and --bound: how the channels of a system behave.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command_line.h"
#include "model/system.h"

namespace treaty::cli {

struct ChannelOptions {
    std::string mode;
    std::optional<std::uint64_t> bound;

    void add_to(CommandLine& line);
    // The same as two fields of a question; false after reporting what is wrong.
    bool read(Session& session, std::optional<model::Mode>& into_mode,
              std::optional<std::uint32_t>& into_bound) const;
    // The channels as given, changed as the user asks; nothing after reporting what is wrong.
    std::optional<model::Channels> read(Session& session, model::Channels given) const;
};

}  // namespace treaty::cli
