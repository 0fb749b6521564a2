#include "cli/tester_setup.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "cli/codes.h"
#include "cli/profile_input.h"
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

std::optional<Strategy> read_strategy(Session& session, const std::string& name, const std::string& profile) {
    static constexpr std::pair<std::string_view, Strategy> known[] = {
        {"random", Strategy::random},   {"coverage", Strategy::coverage}, {"tests", Strategy::tests},
        {"profile", Strategy::profile}, {"negative", Strategy::negative}, {"pairs", Strategy::pairs},
        {"triples", Strategy::triples}};
    auto wrong = [&](std::string what, std::string help) {
        session.report(codes::bad_usage, std::move(what)).help(std::move(help));
        return std::nullopt;
    };
    Strategy strategy = profile.empty() ? Strategy::random : Strategy::profile;
    if (!name.empty()) {
        const auto* found = std::find_if(std::begin(known), std::end(known),
                                         [&](const auto& one) { return one.first == name; });
        if (found == std::end(known)) {
            std::string names;
            for (const auto& one : known) names += (names.empty() ? "" : ", ") + std::string(one.first);
            return wrong(fmt::format("there is no strategy {}", name), names);
        }
        strategy = found->second;
    }
    if ((strategy == Strategy::profile) != !profile.empty())
        return wrong("--strategy profile and --profile FILE belong together", "");
    return strategy;
}

namespace {

// "no,error": what the component says when it does not take something.
bool read_rejections(Session& session, const std::string& list, drive::Part& part) {
    for (std::size_t begin = 0; begin < list.size();) {
        std::size_t end = std::min(list.find(',', begin), list.size());
        std::string name = list.substr(begin, end - begin);
        begin = end + 1;
        model::MessageId message = part.specification.alphabet->find_message(name);
        if (!message) {
            session.report(codes::bad_usage, fmt::format("--reject: there is no message {}", name));
            return false;
        }
        part.rejections.insert(message);
    }
    return true;
}

}  // namespace

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
    manners.linger = std::chrono::milliseconds(request.linger_ms);
    manners.length = request.length;
    manners.guided = request.strategy == Strategy::coverage;
    manners.spin = 2 * request.parallel <= std::max(2u, std::thread::hardware_concurrency());
    manners.deadline = session.options.deadline;
    std::string fault;
    auto part = drive::Part::make(input.specification, *input.protocol, cut, played, request.wire, fault);
    if (!part) {
        session.report(codes::no_meaning, fault);
        return nullptr;
    }
    auto profile = read_profile(session, specification, request.profile);
    if (!profile) return nullptr;
    if (*profile) part->use(std::move(**profile));
    if (request.strategy == Strategy::pairs || request.strategy == Strategy::triples)
        part->use(drive::Combinations(request.strategy == Strategy::pairs ? 2u : 3u));
    if (!read_rejections(session, request.reject, *part)) return nullptr;
    // Who starts the component knows that it takes a moment; who does not may have started nothing.
    std::function<void(const std::string&)> waiting;
    if (request.command.empty())
        waiting = [seconds = request.startup_ms / 1000.0](const std::string& where) {
            fmt::print(stderr, "treaty: waiting up to {:g} s for the component at {}\n", seconds, where);
        };
    auto stage = drive::make_process_stage(
        {request.command, std::move(*via), request.reset, request.keep, manners.deadline, std::move(waiting)});
    return std::make_unique<drive::Tester>(std::move(part), std::move(stage), manners, request.keep);
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
