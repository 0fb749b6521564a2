#include <limits>

#include <fmt/format.h>

#include "choreo/unfold.h"
#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "lang/print.h"

namespace treaty::cli {
namespace {

// The specification with its protocol unrolled; false after reporting why there is none.
bool unroll(Session& session, ProtocolInput& input, std::uint64_t times) {
    auto bounded =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(times, std::numeric_limits<std::uint32_t>::max()));
    choreo::Unfolding unfolding = choreo::unfold(*input.protocol, bounded);
    if (!unfolding) {
        session.report(codes::no_meaning,
                       fmt::format("{} cannot be unfolded: {}", input.protocol->name(), unfolding.reason));
        return false;
    }
    session.result.extra["steps"] = unfolding.protocol->size();
    session.result.extra["truncated"] = unfolding.truncated;
    auto position = static_cast<std::size_t>(input.protocol - input.specification.protocols.data());
    input.specification.protocols[position] = std::move(*unfolding.protocol);
    return true;
}

}  // namespace

int verb_unfold(Arguments arguments) {
    Session session("unfold");
    CommandLine line(session);
    std::string file, protocol, output;
    std::optional<std::uint64_t> times;
    line.positional("FILE", file, "a protocol");
    line.option("-n,--times", "N", times, "rounds of each loop, at most (default: 1)");
    line.option("-p,--protocol", "NAME", protocol, "which protocol of the file (default: the last)");
    line.option("-o,--output", "FILE", output, "write it here: .treaty, .gc or .json");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {file};
    session.result.quiet = true;
    auto input = load_protocol(session, file, protocol);
    if (!input || !unroll(session, *input, times.value_or(1))) return session.finish();
    if (output.empty()) {
        session.result.text = lang::print(input->specification);
        session.result.extra["protocol"] = session.result.text;
    } else {
        Loaded unfolded{std::move(input->specification)};
        if (!write_model(session, unfolded, output, formats::LossPolicy::refuse)) return session.finish();
    }
    return session.holds();
}

}  // namespace treaty::cli
