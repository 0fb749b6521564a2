#include <fmt/format.h>

#include "choreo/project.h"
#include "choreo/well_branched.h"
#include "cli/check_symbolic.h"
#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/verbs.h"
#include "cli/wire_inputs.h"
#include "cli/witness.h"
#include "explore/safety.h"
#include "formats/load.h"
#include "model/wire_shapes.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

// What check explores by itself: enough for the protocols that people write, gone in a blink.
constexpr std::size_t small_protocol = 2000;  // steps
constexpr std::size_t small_machine = 20'000;
constexpr std::uint64_t small_space = 50'000;

using report::counted;

bool is_scribble(std::string_view path) {
    return path.ends_with(".scr") || path.ends_with(".nuscr");
}

// What Scribble's own validation calls it.
std::string_view scribble_term(explore::UnsafeKind kind) {
    switch (kind) {
        case explore::UnsafeKind::deadlock: return " (Scribble: wait-for error)";
        case explore::UnsafeKind::orphan_message: return " (Scribble: orphan message, no eventual reception)";
        case explore::UnsafeKind::unspecified_reception: return " (Scribble: reception error)";
        case explore::UnsafeKind::stuck_role: return " (Scribble: no role progress)";
        case explore::UnsafeKind::unbounded_channel: return "";
    }
    return "";
}

class Checker {
public:
    explicit Checker(Session& session) : session_(session) {
        session.result.extra["protocols"] = report::Json::array();
    }

    // False if the file does not hold what was asked for.
    bool check(const std::string& path, const Loaded& loaded, const std::string& name) {
        if (auto* specification = loaded.get<model::Specification>())
            return check(path, *specification, name);
        summarise(path, loaded);
        return true;
    }

    std::vector<std::string> faulty;  // protocols that can go wrong

private:
    bool check(const std::string& path, const model::Specification& specification, const std::string& name) {
        if (name.empty()) {
            for (const wire::Wire& wire : specification.wires)
                report_overlaps(session_, specification,
                                wire::Codec(*specification.pool, wire, model::wire_shapes(specification)));
            for (const model::Protocol& protocol : specification.protocols)
                check(path, specification, protocol);
            return true;
        }
        const model::Protocol* protocol = choose_protocol(session_, specification, name);
        if (protocol) check(path, specification, *protocol);
        return protocol != nullptr;
    }

    void check(const std::string& path, const model::Specification& specification,
               const model::Protocol& protocol) {
        summarise(path, specification, protocol);
        base::Diagnostics found;
        choreo::Branching branching = choreo::check_branching(specification, protocol, found);
        bool fresh = take_over(found);
        report::Json& entry = session_.result.extra["protocols"].back();
        base::Diagnostics about_data;
        auto run = check_symbolic(session_, specification, protocol, about_data, entry);
        if (take_over(about_data) && run) {
            faulty.emplace_back(protocol.name());
            if (!session_.result.witness) session_.result.witness = std::move(run);
        }
        entry["well_branched"] = branching.well_branched;
        if (!branching.well_branched) {
            if (fresh) faulty.emplace_back(protocol.name());
            return;
        }
        if (explorable(protocol)) explore(path, specification, protocol, entry);
    }

    // Adds what is not known yet: a protocol that others call is checked on its own and again inside them.
    // Says whether there was anything.
    bool take_over(const base::Diagnostics& found) {
        bool any = false;
        for (const base::Diagnostic& one : found.all()) {
            bool known = false;
            for (const base::Diagnostic& other : session_.diagnostics.all())
                known = known || (other.code == one.code && other.span == one.span);
            if (known) continue;
            any = true;
            base::Diagnostic& added = session_.diagnostics.report(*one.code, one.span, one.message);
            added.labels = one.labels;
            added.hint = one.hint;
        }
        return any;
    }

    // Guards, interrupts and semaphores need more than a plain search can say.
    static bool explorable(const model::Protocol& protocol) {
        if (protocol.size() > small_protocol) return false;
        for (std::size_t i = 0; i < protocol.size(); ++i) {
            switch (protocol[model::NodeId(i)].kind) {
                case model::NodeKind::conditional:
                case model::NodeKind::while_loop:
                case model::NodeKind::interrupt:
                case model::NodeKind::signal:
                case model::NodeKind::wait: return false;
                default: break;
            }
        }
        return true;
    }

    void explore(const std::string& path, const model::Specification& specification,
                 const model::Protocol& protocol, report::Json& entry) {
        choreo::MachineLimits limits;
        limits.states = small_machine;
        bool scribble = is_scribble(path);
        model::Channels channels;
        if (scribble) channels.bound = 1;  // what validity means there
        auto system = choreo::make_projected_system(specification, protocol, channels, limits);
        if (!system) return;
        explore::ExploreOptions options;
        options.limits.states = small_space;
        explore::ExploreReport report = explore::explore(*system.system, options);
        entry["states"] = report.states;
        // A sender that need not wait is no fault of a protocol.
        std::erase_if(report.unsafe,
                      [](const auto& u) { return u.kind == explore::UnsafeKind::unbounded_channel; });
        entry["safe"] = report.unsafe.empty() && report.complete ? report::Json(true) : report::Json(nullptr);
        if (report.unsafe.empty()) return;
        entry["safe"] = false;
        faulty.emplace_back(protocol.name());
        report::Run run = witness_of(*system.system, report.unsafe.front(), &protocol, session_.sources);
        session_.result.text += fmt::format("    over fifo channels{}: {}{}\n", scribble ? " of capacity one" : "",
                                            run.ending, scribble ? scribble_term(report.unsafe.front().kind) : "");
        if (!session_.result.witness) session_.result.witness = std::move(run);
    }

    void summarise(const std::string& path, const model::Specification& specification,
                   const model::Protocol& protocol) {
        std::size_t interactions = 0, messages = 0;
        std::vector<bool> used(specification.alphabet->message_count());
        for (std::size_t i = 0; i < protocol.size(); ++i) {
            const model::Node& node = protocol[model::NodeId(i)];
            if (node.kind != model::NodeKind::interaction) continue;
            ++interactions;
            if (!used[node.message.index]) ++messages;
            used[node.message.index] = true;
        }
        session_.result.text += fmt::format(
            "{}: protocol {}: {}, {}, {}\n", path, protocol.name(), counted(protocol.roles().size(), "role"),
            counted(messages, "message"), counted(interactions, "interaction"));
        report::Json roles = report::Json::array();
        for (model::RoleId role : protocol.roles()) roles.push_back(specification.alphabet->name(role));
        session_.result.extra["protocols"].push_back({{"file", path},
                                                      {"name", protocol.name()},
                                                      {"roles", std::move(roles)},
                                                      {"messages", messages},
                                                      {"interactions", interactions}});
    }

    void summarise(const std::string& path, const Loaded& loaded) {
        std::string what;
        if (auto* net = loaded.get<model::Net>())
            what = counted(net->places().size(), "place") + ", " +
                   counted(net->transitions().size(), "transition");
        if (auto* machine = loaded.get<model::Machine>())
            what = counted(machine->state_count(), "state") + ", " +
                   counted(machine->edge_count(), "transition");
        if (auto* system = loaded.get<model::System>()) what = counted(system->machines().size(), "machine");
        session_.result.text += fmt::format("{}: {}: {}\n", path, formats::describe(loaded), what);
    }

    Session& session_;
};

}  // namespace

int verb_check(Arguments arguments) {
    Session session("check");
    CommandLine line(session);
    std::vector<std::string> files;
    std::string protocol;
    line.positionals("FILE", files, "any file that Treaty reads");
    line.option("-p,--protocol", "NAME", protocol, "only this protocol of the file");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = files;
    Checker checker(session);
    bool readable = true;
    for (const std::string& path : files) {
        Loaded loaded = load(session, path);
        readable = loaded && checker.check(path, loaded, protocol) && readable;
    }
    if (!readable) return session.finish();
    if (!checker.faulty.empty())
        return session.fails(fmt::format("{} can go wrong", fmt::join(checker.faulty, ", ")));
    return session.holds("no fault found");
}

}  // namespace treaty::cli
