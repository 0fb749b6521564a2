#include <fmt/format.h>

#include "base/suggest.h"
#include "choreo/net_machine.h"
#include "cli/codes.h"
#include "cli/command_line.h"
#include "cli/derive.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "cli/verbs.h"
#include "formats/dot.h"
#include "formats/load.h"
#include "formats/names.h"

namespace treaty::cli {
namespace {

constexpr std::uint64_t largest_space = 200'000;

struct Request {
    std::string from, to, protocol, as;
    bool allow_loss = false;
};

bool known_kind(Session& session, const std::string& as) {
    const std::vector<std::string_view> kinds = {"protocol", "system", "machine", "net"};
    if (as.empty() || std::find(kinds.begin(), kinds.end(), as) != kinds.end()) return true;
    std::string_view meant = base::nearest(as, kinds);
    session.report(codes::bad_usage, fmt::format("--as {} is not a kind of model", as))
        .help(meant.empty() ? "there are protocol, system, machine and net"
                            : fmt::format("did you mean {}?", meant));
    return false;
}

// What the target's notation holds, when it holds one thing only.
std::string kind_for(const Request& request) {
    if (!request.as.empty()) return request.as;
    std::string extension = formats::extension_of(request.to);
    if (extension == "fsa") return "system";
    if (extension == "pnml") return "net";
    if (extension == "aut") return "machine";
    return "";
}

// The model that the target wants, made from a protocol where it is not one. Holds nothing after saying why.
Loaded derive(Session& session, const Request& request, Loaded loaded) {
    std::string kind = kind_for(request);
    bool from_protocol = loaded.get<model::Specification>() != nullptr;
    if (from_protocol && (kind == "system" || kind == "machine" || kind == "net")) {
        auto input = protocol_of(session, std::move(loaded), request.from, request.protocol);
        if (!input) return {};
        Loaded derived;
        if (kind == "system") {
            if (auto system = derive_system(session, *input, {}, session.options.machine_limits()))
                derived.model = std::move(*system);
        } else if (kind == "machine") {
            if (auto machine = derive_machine(session, *input)) derived.model = std::move(*machine);
        } else if (auto net = derive_net(session, *input)) {
            derived.model = std::move(*net);
        }
        return derived;
    }
    if (auto* net = loaded.get<model::Net>(); net && kind == "machine") {
        auto machine = machine_of_net(session, *net);
        return machine ? Loaded{std::move(*machine)} : Loaded{};
    }
    if (auto* system = loaded.get<model::System>(); system && kind == "machine") {
        auto space = derive_space(session, *system, largest_space);
        return space ? Loaded{std::move(*space)} : Loaded{};
    }
    return loaded;
}

}  // namespace

int verb_convert(Arguments arguments) {
    Session session("convert");
    CommandLine line(session);
    Request request;
    line.positional("FILE", request.from, "what to read");
    line.option("-o,--output", "FILE", request.to, "what to write; its extension says in which notation",
                Needed::yes);
    line.option("-p,--protocol", "NAME", request.protocol, "which protocol of the file (default: the last)");
    line.option("--as", "KIND", request.as,
                "what a protocol is written as: protocol, system, machine or net");
    line.flag("--allow-loss", request.allow_loss, "write even if something is lost; what, is said");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {request.from};
    session.result.quiet = true;
    if (!known_kind(session, request.as)) return session.finish();
    Loaded loaded = load(session, request.from);
    if (!loaded) return session.finish();
    loaded = derive(session, request, std::move(loaded));
    if (!loaded) return session.finish();
    auto policy = request.allow_loss ? formats::LossPolicy::allow : formats::LossPolicy::refuse;
    if (formats::extension_of(request.to) == "svg") {
        auto dot = formats::write(loaded, "dot", session.diagnostics, policy);
        if (!dot.text || !write_graph(session, *dot.text, {request.to, {}})) return session.finish();
    } else if (!write_model(session, loaded, request.to, policy)) {
        return session.finish();
    }
    return session.holds();
}

}  // namespace treaty::cli
