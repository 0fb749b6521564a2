#include "cli/channel_options.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "base/suggest.h"

namespace treaty::cli {

void ChannelOptions::add_to(CommandLine& line) {
    line.option("-m,--mode", "MODE", mode, "how channels behave: sync, fifo (default), bag or mailbox");
    line.option("-b,--bound", "N", bound, "capacity of each channel (default: no limit)");
}

std::optional<model::Channels> ChannelOptions::read(Session& session, model::Channels given) const {
    constexpr std::uint64_t most = 1'000'000;
    if (!mode.empty()) {
        auto known = model::parse_mode(mode);
        if (!known) {
            std::string_view meant = base::nearest(mode, {"sync", "fifo", "bag", "mailbox"});
            session.report(api::codes::bad_usage, fmt::format("--mode {} is not a mode", mode))
                .help(meant.empty() ? "modes are sync, fifo, bag and mailbox"
                                    : fmt::format("did you mean {}?", meant));
            return std::nullopt;
        }
        given.mode = *known;
    }
    if (bound) {
        if (*bound == 0 || *bound > most) {
            session.report(api::codes::bad_usage,
                           fmt::format("--bound {} is not between 1 and {}", *bound, most));
            return std::nullopt;
        }
        given.bound = static_cast<std::uint32_t>(*bound);
    }
    return given;
}

bool ChannelOptions::read(Session& session, std::optional<model::Mode>& into_mode,
                          std::optional<std::uint32_t>& into_bound) const {
    auto channels = read(session, {});
    if (!channels) return false;
    if (!mode.empty()) into_mode = channels->mode;
    if (bound) into_bound = channels->bound;
    return true;
}

}  // namespace treaty::cli
