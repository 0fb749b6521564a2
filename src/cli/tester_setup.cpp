#include "cli/tester_setup.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/wire_inputs.h"
#include "drive/address.h"
#include "drive/process_stage.h"

namespace treaty::cli {

using model::RoleId;

std::vector<RoleId> peers_of(const model::Protocol& protocol, RoleId role) {
    std::vector<RoleId> peers;
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        const model::Node& node = protocol[model::NodeId(i)];
        if (node.kind != model::NodeKind::interaction || (node.role != role && node.to != role)) continue;
        RoleId peer = node.role == role ? node.to : node.role;
        if (std::find(peers.begin(), peers.end(), peer) == peers.end()) peers.push_back(peer);
    }
    return peers;
}

std::optional<std::map<RoleId, std::string>> addresses(Session& session, const std::vector<std::string>& via,
                                                       const model::Specification& specification,
                                                       const std::vector<RoleId>& roles) {
    std::map<RoleId, std::string> result;
    std::string common;
    auto wrong = [&](std::string what, std::string help) {
        session.report(codes::bad_usage, std::move(what)).help(std::move(help));
        return std::nullopt;
    };
    for (const std::string& one : via) {
        std::size_t equals = one.find('=');
        RoleId role =
            equals == std::string::npos ? RoleId() : specification.alphabet->find_role(one.substr(0, equals));
        std::string address = role ? one.substr(equals + 1) : one;
        std::string fault;
        if (!drive::parse_address(drive::expand(address, {{"port", "1"}, {"tmp", "t"}}), fault))
            return wrong(fmt::format("--via {}: {}", one, fault), "");
        if (role && std::find(roles.begin(), roles.end(), role) == roles.end())
            return wrong(fmt::format("--via {}: nobody is played who is called {}", one,
                                     specification.alphabet->name(role)),
                         "");
        (role ? result[role] : common) = address;
    }
    for (RoleId role : roles) {
        if (result.contains(role)) continue;
        if (common.empty())
            return wrong(
                via.empty() ? std::string("--via says where the component is reached")
                            : fmt::format("--via does not say where {} reaches it",
                                          specification.alphabet->name(role)),
                "for example tcp://127.0.0.1:{port}, or stdio:; ROLE=ADDRESS for one of several roles");
        result[role] = common;
    }
    return result;
}

std::unique_ptr<drive::Tester> make_tester(Session& session, const TestRequest& request, ProtocolInput& input,
                                           RoleId cut) {
    const model::Specification& specification = input.specification;
    std::vector<RoleId> played = peers_of(*input.protocol, cut);
    if (!request.play.empty()) {
        auto chosen = choose_roles(session, specification, *input.protocol, request.play);
        if (!chosen) return nullptr;
        auto speaks = [&](RoleId role) {
            return std::find(chosen->begin(), chosen->end(), role) != chosen->end();
        };
        std::erase_if(played, [&](RoleId role) { return !speaks(role); });
    }
    if (played.empty()) {
        session.report(codes::bad_usage,
                       fmt::format("none of the roles to be played exchanges a message with {}",
                                   specification.alphabet->name(cut)));
        return nullptr;
    }
    auto via = addresses(session, request.via, specification, played);
    if (!via || (!request.wire.empty() && !choose_wire(session, specification, request.wire))) return nullptr;
    drive::Manners manners;
    manners.silence = std::chrono::milliseconds(request.silence_ms);
    manners.startup = std::chrono::milliseconds(request.startup_ms);
    manners.length = request.length;
    manners.guided = request.guided;
    if (session.options.time) manners.deadline = base::Deadline::after(*session.options.time);
    std::string fault;
    auto part = drive::Part::make(input.specification, *input.protocol, cut, played, request.wire, fault);
    if (!part) {
        session.report(codes::no_meaning, fault);
        return nullptr;
    }
    auto stage = drive::make_process_stage(
        {request.command, std::move(*via), request.reset, request.keep, manners.deadline});
    return std::make_unique<drive::Tester>(std::move(part), std::move(stage), manners);
}

bool read_milliseconds(Session& session, std::string_view option, const std::string& text,
                       std::uint64_t& into) {
    if (text.empty()) return true;
    auto duration = base::parse_duration(text);
    if (!duration || duration->count() <= 0) {
        session.report(codes::bad_usage, fmt::format("{} {}: this is no duration", option, text))
            .help("250ms, 3s or 5m");
        return false;
    }
    into = static_cast<std::uint64_t>(std::max<std::int64_t>(1, duration->count() / 1'000'000));
    return true;
}

}  // namespace treaty::cli
