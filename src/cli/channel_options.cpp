#include "cli/channel_options.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "cli/codes.h"

namespace treaty::cli {

void ChannelOptions::add_to(CommandLine& line) {
    line.option("-m,--mode", "MODE", mode, "how channels behave: sync, fifo (default), bag or mailbox");
    line.option("-b,--bound", "N", bound, "messages that a channel holds at most (default: no limit)");
}

std::optional<model::Channels> ChannelOptions::read(Session& session, model::Channels given) const {
    constexpr std::uint64_t most = 1'000'000;
    if (!mode.empty()) {
        auto known = model::parse_mode(mode);
        if (!known) {
            std::string_view meant = base::nearest(mode, {"sync", "fifo", "bag", "mailbox"});
            session.report(codes::bad_usage, fmt::format("--mode {} is not a mode", mode))
                .help(meant.empty() ? "modes are sync, fifo, bag and mailbox"
                                    : fmt::format("did you mean {}?", meant));
            return std::nullopt;
        }
        given.mode = *known;
    }
    if (bound) {
        if (*bound == 0 || *bound > most) {
            session.report(codes::bad_usage, fmt::format("--bound {} is not between 1 and {}", *bound, most));
            return std::nullopt;
        }
        given.bound = static_cast<std::uint32_t>(*bound);
    }
    return given;
}

model::System over(const model::System& system, model::Channels channels) {
    std::vector<model::Machine> machines(system.machines().begin(), system.machines().end());
    return model::make_system(system.name(), std::move(machines), channels).value();
}

}  // namespace treaty::cli
