#include "api/program/tester_setup.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/input/profile_input.h"
#include "api/input/wires.h"
#include "drive/process_stage.h"
#include "net/address.h"
#include "process/placeholders.h"

namespace treaty::api {

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

namespace {

// "{port2}", or nothing
std::string placeholder_in(std::string_view text) {
    std::size_t open = text.find('{');
    std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    return close == std::string_view::npos ? "" : std::string(text.substr(open, close - open + 1));
}

}  // namespace

std::optional<std::map<RoleId, std::string>> addresses(const Inquiry& inquiry,
                                                       const std::vector<std::string>& via,
                                                       const model::Specification& specification,
                                                       const std::vector<RoleId>& roles) {
    std::map<RoleId, std::string> result;
    std::string common;
    auto wrong = [&](std::string what, std::string help) {
        inquiry.report(codes::bad_usage, std::move(what)).help(std::move(help));
        return std::nullopt;
    };
    for (const std::string& one : via) {
        std::size_t equals = one.find('=');
        RoleId role =
            equals == std::string::npos ? RoleId() : specification.alphabet->find_role(one.substr(0, equals));
        std::string address = role ? one.substr(equals + 1) : one;
        std::map<std::string, std::string> trial{{"port", "1"}, {"tmp", "t"}};
        for (std::string& name : process::names_of_ports(address)) trial[std::move(name)] = "1";
        std::string expanded = process::expand(address, trial);
        if (auto read = net::parse_address(expanded); !read) {
            std::string unknown = placeholder_in(expanded);
            if (unknown.empty()) return wrong(fmt::format("--via {}: {}", one, read.error()), "");
            return wrong(fmt::format("--via {}: unknown placeholder {}", one, unknown),
                         "known: {port}, {port:NAME}, {tmp}, and {env:NAME} for a variable that is set");
        }
        if (role && std::find(roles.begin(), roles.end(), role) == roles.end())
            return wrong(fmt::format("--via {}: Treaty does not play a role {}", one,
                                     specification.alphabet->name(role)),
                         "");
        (role ? result[role] : common) = address;
    }
    for (RoleId role : roles) {
        if (result.contains(role)) continue;
        if (common.empty())
            return wrong(
                via.empty() ? std::string("--via is missing: the address of the component")
                            : fmt::format("--via has no address for {}", specification.alphabet->name(role)),
                "for example tcp://127.0.0.1:{port}, or stdio:; ROLE=ADDRESS for one of several roles");
        result[role] = common;
    }
    std::vector<std::string_view> through_stdio;
    for (const auto& [role, address] : result)
        if (address == "stdio:" || address == "stdio" || address.starts_with("pty:"))
            through_stdio.push_back(specification.alphabet->name(role));
    if (through_stdio.size() > 1) {
        std::string_view scheme = result.begin()->second.starts_with("pty:") ? "pty:" : "stdio:";
        return wrong(fmt::format("--via {} serves one role, but {} would use it", scheme,
                                 fmt::join(through_stdio, " and ")),
                     fmt::format("give every other role an address of its own: --via {}={} --via "
                                 "{}=tcp://127.0.0.1:{{port}}",
                                 through_stdio[0], scheme, through_stdio[1]));
    }
    return result;
}

std::optional<RoleId> choose_role(const Inquiry& inquiry, const ProtocolInput& input, const std::string& name,
                                  std::string_view option) {
    auto roles = choose_roles(inquiry, input.specification, *input.protocol, name);
    if (!roles) return std::nullopt;
    if (roles->size() == 1) return roles->front();
    inquiry.report(codes::bad_usage, fmt::format("{} must name one role", option));
    return std::nullopt;
}

namespace {

// "no,error": messages that count as a refusal.
bool read_rejections(const Inquiry& inquiry, const std::string& list, roles::RolePart& part) {
    for (std::size_t begin = 0; begin < list.size();) {
        std::size_t end = std::min(list.find(',', begin), list.size());
        std::string name = list.substr(begin, end - begin);
        begin = end + 1;
        model::MessageId message = part.specification.alphabet->find_message(name);
        if (!message) {
            inquiry.report(codes::bad_usage, fmt::format("--reject: unknown message {}", name));
            return false;
        }
        part.rejections.insert(message);
    }
    return true;
}

// The roles that the tester plays; nothing after reporting that there are none.
std::optional<std::vector<RoleId>> played_roles(const Inquiry& inquiry, const TestRequest& request,
                                                const ProtocolInput& input, RoleId cut) {
    std::vector<RoleId> played = peers_of(*input.protocol, cut);
    if (!request.play.empty()) {
        auto chosen = choose_roles(inquiry, input.specification, *input.protocol, request.play);
        if (!chosen) return std::nullopt;
        std::erase_if(played, [&](RoleId role) {
            return std::find(chosen->begin(), chosen->end(), role) == chosen->end();
        });
    }
    if (!played.empty()) return played;
    inquiry.report(codes::bad_usage,
                   fmt::format("none of the roles that Treaty plays exchanges a message with {}",
                               input.specification.alphabet->name(cut)));
    return std::nullopt;
}

// "refused,ignored,closed": any of these; nothing after reporting what is wrong.
std::optional<drive::CorruptMeans> read_corrupt_means(const Inquiry& inquiry, const TestRequest& request) {
    if (request.corrupt_means.empty()) return drive::CorruptMeans();
    drive::CorruptMeans means{false, false, false};
    const std::string& list = request.corrupt_means;
    for (std::size_t begin = 0; begin <= list.size();) {
        std::size_t end = std::min(list.find_first_of(",|", begin), list.size());
        std::string name = list.substr(begin, end - begin);
        begin = end + 1;
        if (name != "refused" && name != "ignored" && name != "closed") {
            inquiry.report(codes::bad_usage, fmt::format("--corrupt-means: unknown word {}", name))
                .help("use refused, ignored and closed, separated by commas");
            return std::nullopt;
        }
        (name == "refused" ? means.refused : name == "ignored" ? means.ignored : means.closed) = true;
    }
    if (!means.refused || means.ignored || means.closed || !request.reject.empty()) return means;
    inquiry.report(codes::bad_usage,
                   "--corrupt-means refused needs --reject: the messages that are a refusal");
    return std::nullopt;
}

drive::SessionOptions session_options_of(const Inquiry& inquiry, const TestRequest& request) {
    drive::SessionOptions options;
    options.silence = std::chrono::milliseconds(request.silence_ms);
    options.startup = std::chrono::milliseconds(request.startup_ms);
    options.linger = std::chrono::milliseconds(request.linger_ms);
    options.length = request.length;
    options.guided = request.strategy == Strategy::coverage;
    options.corrupt = request.strategy == Strategy::corrupt;
    options.spin = 2 * request.parallel <= std::max(2u, std::thread::hardware_concurrency());
    options.deadline = inquiry.context.deadline;
    return options;
}

std::unique_ptr<roles::RolePart> make_part(const Inquiry& inquiry, const TestRequest& request,
                                           ProtocolInput& input, RoleId cut,
                                           const std::vector<RoleId>& played) {
    auto made = roles::RolePart::make(input.specification, *input.protocol, cut, played, request.wire);
    if (!made) {
        inquiry.report(codes::no_meaning, made.error());
        return nullptr;
    }
    std::unique_ptr<roles::RolePart> part = std::move(*made);
    part->sources = &inquiry.sources();
    auto profile = read_profile(inquiry, input.specification, request.profile);
    if (!profile) return nullptr;
    if (*profile) part->use(std::move(**profile));
    if (request.strategy == Strategy::pairs || request.strategy == Strategy::triples)
        part->use(roles::Combinations(request.strategy == Strategy::pairs ? 2u : 3u));
    return read_rejections(inquiry, request.reject, *part) ? std::move(part) : nullptr;
}

}  // namespace

bool speaks_http(const model::Specification& specification, const std::string& wire) {
    const auto& wires = specification.wires;
    auto found = std::find_if(wires.begin(), wires.end(), [&](const model::Wire& w) {
        return specification.names->text(w.name) == wire;
    });
    if (wire.empty() && !wires.empty()) found = wires.end() - 1;
    return found != wires.end() && found->framing == model::Framing::http;
}

bool usable(const Inquiry& inquiry, const process::Surroundings& surroundings) {
    for (const std::string& one : surroundings.variables) {
        if (process::is_variable(one)) continue;
        inquiry.report(codes::bad_usage, fmt::format("--env {}: expected NAME=VALUE", one))
            .help("for example --env LOG=debug");
        return false;
    }
    return true;
}

namespace {

// The companions of the component, and how to see that the component is ready; false after reporting what
// is wrong with them.
bool read_programs(const Inquiry& inquiry, const TestRequest& request, drive::ProgramOptions& options) {
    auto wrong = [&](std::string what, std::string help) {
        inquiry.report(codes::bad_usage, std::move(what)).help(std::move(help));
        return false;
    };
    auto find = [&](std::string_view name) {
        return std::find_if(options.beside.begin(), options.beside.end(),
                            [&](const drive::Companion& one) { return one.name == name; });
    };
    for (const std::string& one : request.beside) {
        std::size_t equals = one.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == one.size())
            return wrong(fmt::format("--with {}: expected NAME=COMMAND", one),
                         "for example --with 'db=./db {port:db}'");
        if (find(one.substr(0, equals)) != options.beside.end())
            return wrong(fmt::format("--with {} is given twice", one.substr(0, equals)), "");
        options.beside.push_back({one.substr(0, equals), one.substr(equals + 1), {}});
        auto around = request.companion_surroundings.find(options.beside.back().name);
        if (around == request.companion_surroundings.end()) continue;
        if (!usable(inquiry, around->second)) return false;
        options.beside.back().surroundings = around->second;
    }
    for (const std::string& one : request.ready) {
        std::size_t equals = one.find('=');
        auto program = equals == std::string::npos ? options.beside.end() : find(one.substr(0, equals));
        bool of_another = program != options.beside.end();
        std::string what = of_another ? one.substr(equals + 1) : one;
        std::map<std::string, std::string> trial{{"port", "1"}, {"tmp", "t"}};
        for (std::string& name : process::names_of_ports(what)) trial[std::move(name)] = "1";
        if (auto read = drive::check_readiness(process::expand(what, trial)); !read)
            return wrong(
                fmt::format("--ready {}: {}", one, read.error()),
                "for example --ready port:{port}, or --ready NAME=log:listening for a program of --with");
        (of_another ? program->ready : options.ready) = what;
    }
    if (!options.ready.empty() && request.command.empty())
        return wrong("--ready is about a component that Treaty starts (--run)", "");
    return true;
}

// Null after reporting what is wrong with the addresses.
std::unique_ptr<drive::Stage> make_stage(const Inquiry& inquiry, const TestRequest& request,
                                         const model::Specification& specification,
                                         const std::vector<RoleId>& played,
                                         const TestedComponent& component) {
    if (component.program) {
        std::map<RoleId, std::string> names;
        for (RoleId role : played) names[role] = specification.alphabet->name(role);
        return drive::make_in_process_stage(component.program, std::move(names));
    }
    auto via = addresses(inquiry, request.via, specification, played);
    if (!via) return nullptr;
    // A component that is started needs a moment; without a command there may be none, so the user is told.
    std::function<void(const std::string&)> waiting;
    if (request.command.empty() && component.waiting)
        waiting = [tell = component.waiting, at_most = std::chrono::milliseconds(request.startup_ms)](
                      const std::string& where) { tell(where, at_most); };
    drive::ProgramOptions options{request.command,
                                  std::move(*via),
                                  request.reset,
                                  request.keep,
                                  speaks_http(specification, request.wire),
                                  inquiry.context.deadline,
                                  std::move(waiting)};
    options.startup = std::chrono::milliseconds(request.startup_ms);
    options.surroundings = request.surroundings;
    if (!usable(inquiry, options.surroundings) || !read_programs(inquiry, request, options)) return nullptr;
    return drive::make_process_stage(std::move(options));
}

}  // namespace

std::unique_ptr<drive::Tester> make_tester(const Inquiry& inquiry, const TestRequest& request,
                                           ProtocolInput& input, RoleId cut,
                                           const TestedComponent& component) {
    auto played = played_roles(inquiry, request, input, cut);
    if (!played) return nullptr;
    auto stage = make_stage(inquiry, request, input.specification, *played, component);
    if (!stage || (!request.wire.empty() && !choose_wire(inquiry, input.specification, request.wire)))
        return nullptr;
    auto part = make_part(inquiry, request, input, cut, *played);
    auto means = read_corrupt_means(inquiry, request);
    if (!part || !means) return nullptr;
    drive::SessionOptions options = session_options_of(inquiry, request);
    options.corrupt_means = *means;
    return std::make_unique<drive::Tester>(std::move(part), std::move(stage), options, request.keep);
}

}  // namespace treaty::api
