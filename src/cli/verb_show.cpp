#include <fmt/format.h>

#include "base/suggest.h"
#include "choreo/pomset.h"
#include "cli/channel_options.h"
#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/derive.h"
#include "cli/inputs.h"
#include "cli/pictures.h"
#include "cli/pomset_dot.h"
#include "cli/verbs.h"
#include "formats/dot.h"
#include "formats/load.h"
#include "report/sequence_chart.h"

namespace treaty::cli {
namespace {

constexpr std::uint64_t largest_space = 2000;  // more is not a picture any more

struct Request {
    std::string file, as, role, protocol;
    Wanted wanted;
    ChannelOptions channels;
    std::optional<std::uint64_t> rounds;
};

// Draws the models that are not protocols: there is one natural picture of each.
bool show_model(Session& session, const Request& request, const Loaded& loaded) {
    auto wrong = [&] {
        session.report(codes::wrong_content,
                       fmt::format("{} holds {}, which cannot be shown as {}", request.file,
                                   formats::describe(loaded), request.as));
        return false;
    };
    if (auto* net = loaded.get<model::Net>())
        return request.as == "net" ? write_graph(session, formats::write_dot(*net), request.wanted) : wrong();
    if (auto* machine = loaded.get<model::Machine>())
        return request.as == "machine" ? write_graph(session, formats::write_dot(*machine), request.wanted)
                                       : wrong();
    const model::System& system = *loaded.get<model::System>();
    if (request.as == "space") {
        auto channels = request.channels.read(session, system.channels());
        auto space = channels ? derive_space(session, over(system, *channels), largest_space) : std::nullopt;
        return space && write_graph(session, formats::write_dot(*space), request.wanted);
    }
    if (request.as != "machine") return wrong();
    if (request.role.empty()) return write_graph(session, formats::write_dot(system), request.wanted);
    model::RoleId role = system.alphabet().find_role(request.role);
    auto position = role ? system.machine_of(role) : std::nullopt;
    if (!position) {
        session.report(codes::no_such_role,
                       fmt::format("{} has no machine of {}", request.file, request.role));
        return false;
    }
    return write_graph(session, formats::write_dot(system.machines()[*position]), request.wanted);
}

bool show_pomset(Session& session, const Request& request, const ProtocolInput& input) {
    choreo::PomsetLimits limits;
    if (request.rounds)
        limits.rounds = static_cast<std::uint32_t>(std::min<std::uint64_t>(*request.rounds, 1000));
    auto family = choreo::enumerate_pomsets(input.specification, *input.protocol, limits);
    if (family.branches.empty()) {
        session.report(codes::no_meaning,
                       fmt::format("{} has no pomsets: {}", input.protocol->name(), family.reason));
        return false;
    }
    session.result.extra["branches"] = family.branches.size();
    if (!family.reason.empty()) session.result.extra["incomplete"] = family.reason;
    return write_graph(session, write_dot(input.specification, *input.protocol, family), request.wanted);
}

bool show_protocol(Session& session, const Request& request, const ProtocolInput& input) {
    std::vector<model::RoleId> roles;
    if (!request.role.empty()) {
        auto chosen = choose_roles(session, input.specification, *input.protocol, request.role);
        if (!chosen) return false;
        roles = std::move(*chosen);
    }
    if (request.as == "msc")
        return write_chart(session, report::chart_of(input.specification, *input.protocol), request.wanted);
    if (request.as == "pomset") return show_pomset(session, request, input);
    if (request.as == "graph")
        return write_graph(session, formats::write_dot(input.specification, *input.protocol), request.wanted);
    if (request.as == "net") {
        auto net = derive_net(session, input, roles);
        return net && write_graph(session, formats::write_dot(*net), request.wanted);
    }
    if (request.as == "machine") {
        auto machine = derive_machine(session, input, roles);
        return machine && write_graph(session, formats::write_dot(*machine), request.wanted);
    }
    auto channels = request.channels.read(session, {});
    auto system =
        channels ? derive_system(session, input, *channels, session.options.machine_limits()) : std::nullopt;
    auto space = system ? derive_space(session, *system, largest_space) : std::nullopt;
    return space && write_graph(session, formats::write_dot(*space), request.wanted);
}

bool known_kind(Session& session, const std::string& as) {
    const std::vector<std::string_view> kinds = {"msc", "graph", "net", "machine", "pomset", "space"};
    if (std::find(kinds.begin(), kinds.end(), as) != kinds.end()) return true;
    std::string_view meant = base::nearest(as, kinds);
    session.report(codes::bad_usage, fmt::format("--as {} is not a kind of picture", as))
        .help(meant.empty() ? "there are msc, graph, net, machine, pomset and space"
                            : fmt::format("did you mean {}?", meant));
    return false;
}

}  // namespace

int verb_show(Arguments arguments) {
    Session session("show");
    CommandLine line(session);
    Request request;
    line.positional("FILE", request.file, "any file that Treaty reads");
    line.option("--as", "KIND", request.as, "msc, graph, net, machine, pomset or space", Needed::yes);
    line.option("-r,--role", "ROLE", request.role, "net, machine: the part of this role, or of these (A,B)");
    line.option("-p,--protocol", "NAME", request.protocol, "which protocol of the file (default: the last)");
    line.option("-o,--output", "FILE", request.wanted.output, "where to: .svg, .dot; charts also .txt");
    line.option("--format", "FORMAT", request.wanted.format,
                "svg, dot or txt, whatever the name of the file");
    line.option("--rounds", "N", request.rounds, "pomset: at most so many rounds of each loop (default: 2)");
    request.channels.add_to(line);
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.file};
    session.result.quiet = true;
    if (!known_kind(session, request.as)) return session.finish();
    session.result.extra["as"] = request.as;
    Loaded loaded = load(session, request.file);
    if (!loaded) return session.finish();
    bool shown = false;
    if (loaded.get<model::Specification>()) {
        auto input = protocol_of(session, std::move(loaded), request.file, request.protocol);
        shown = input && show_protocol(session, request, *input);
    } else {
        shown = show_model(session, request, loaded);
    }
    return shown ? session.holds() : session.finish();
}

}  // namespace treaty::cli
