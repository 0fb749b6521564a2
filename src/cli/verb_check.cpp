#include <chrono>

#include <fmt/format.h>

#include "choreo/codes.h"
#include "choreo/well_branched.h"
#include "cli/check_symbolic.h"
#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/verbs.h"
#include "cli/wire_inputs.h"
#include "cli/witness.h"
#include "formats/load.h"
#include "model/wire_shapes.h"
#include "report/wording.h"
#include "verify/protocol_safety.h"

namespace treaty::cli {
namespace {

// What check explores without being told a limit: more than the protocols that people write need, gone in seconds.
constexpr std::uint64_t default_states = 1'000'000;
constexpr std::chrono::seconds default_time{20};

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
    Checker(Session& session, bool strict) : session_(session), strict_(strict) {
        session.result.extra["protocols"] = report::Json::array();
    }

    // False if the file does not hold what was asked for.
    bool check(const std::string& path, const Loaded& loaded, const std::string& name) {
        if (auto* specification = loaded.get<model::Specification>())
            return check(path, *specification, name);
        summarise(path, loaded);
        if (auto* system = loaded.get<model::System>(); system && closed(*system)) check(*system);
        return true;
    }

    int conclude() {
        if (!faulty_.empty()) return session_.fails(fmt::format("{} can go wrong", fmt::join(faulty_, ", ")));
        if (!violating_.empty())
            return session_.fails(fmt::format("{} in {}", report::counted(session_.diagnostics.errors(), "error"),
                                              fmt::join(violating_, ", ")));
        if (!open_.empty()) {
            session_.result.answer = base::Answer::undecided;
            session_.result.reason = open_;
            return session_.finish();
        }
        return session_.holds("no fault found");
    }

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
        report::Json& entry = session_.result.extra["protocols"].back();
        base::Diagnostics about_data;
        auto run = check_symbolic(session_, specification, protocol, about_data, entry);
        if (take_over(about_data) && run) {
            faulty_.emplace_back(protocol.name());
            if (!session_.result.witness) session_.result.witness = std::move(run);
        }
        base::Diagnostics found;
        choreo::Branching branching = choreo::check_branching(specification, protocol, found);
        entry["well_branched"] = branching.well_branched;
        verify::ProtocolSafety safety = verify::protocol_safety(specification, protocol, branching, options());
        judge(path, protocol, safety, entry);
        std::size_t errors = session_.diagnostics.errors();
        take_over(found, severity(safety.answer));
        if (session_.diagnostics.errors() > errors) violating_.emplace_back(protocol.name());
    }

    // Some notations list roles without saying what they do.
    static bool plays(const model::System& system, model::RoleId role) {
        auto position = system.machine_of(role);
        return position && system.machines()[*position].edge_count() > 0;
    }

    // Whether everybody whom the machines talk to is there. One machine alone cannot be judged.
    static bool closed(const model::System& system) {
        for (const model::Machine& machine : system.machines())
            for (std::size_t s = 0; s < machine.state_count(); ++s)
                for (const model::Edge& edge : machine.out(model::StateId(s))) {
                    const model::Event& event = system.alphabet().event(edge.label);
                    if (event.kind != model::EventKind::send && event.kind != model::EventKind::receive) continue;
                    if (!plays(system, event.from) || !plays(system, event.to)) return false;
                }
        return true;
    }

    // Machines without a protocol: whether they can get into a bad situation.
    void check(const model::System& system) {
        explore::ExploreOptions search;
        search.limits = options().limits;
        explore::SafetyVerdict verdict = explore::judge_safety(system, search);
        if (verdict.report.answer == base::Answer::undecided && open_.empty())
            open_ = fmt::format("{} is not proved safe: {}", system.name(), verdict.report.reason);
        if (verdict.report.answer != base::Answer::fails) return;
        faulty_.push_back(system.name());
        report::Run run = witness_of(system, verdict.report.unsafe.front(), nullptr, session_.sources);
        session_.result.text += fmt::format("    {}\n", run.ending);
        if (!session_.result.witness) session_.result.witness = std::move(run);
    }

    verify::SafetyOptions options() const {
        verify::SafetyOptions options;
        options.limits = session_.options.search_limits();
        if (!session_.options.states) options.limits.states = default_states;
        if (!session_.options.time) options.limits.time = base::Deadline::after_work(default_time);
        return options;
    }

    // How a violated condition of well-branchedness is reported: it explains what was found to go wrong; where nothing
    // can, it is worth a remark; where that is not known, a warning.
    base::Severity severity(base::Answer answer) const {
        if (strict_ || answer == base::Answer::fails) return base::Severity::error;
        return answer == base::Answer::holds ? base::Severity::note : base::Severity::warning;
    }

    void judge(const std::string& path, const model::Protocol& protocol,
               const verify::ProtocolSafety& safety, report::Json& entry) {
        entry["states"] = safety.states;
        entry["proof"] = verify::to_string(safety.proof);
        entry["safe"] = safety.answer == base::Answer::undecided ? report::Json(nullptr)
                                                                 : report::Json(safety.answer == base::Answer::holds);
        entry["safe_reason"] = safety.reason;
        if (safety.answer == base::Answer::undecided) {
            session_.result.text += fmt::format("    not proved safe: {}\n", safety.reason);
            if (open_.empty()) open_ = fmt::format("{} is not proved safe: {}", protocol.name(), safety.reason);
        }
        if (safety.answer != base::Answer::fails) return;
        faulty_.emplace_back(protocol.name());
        report::Run run = safety.unsafe ? witness_of(*safety.system, *safety.unsafe, &protocol, session_.sources)
                                        : run_of(*safety.system, safety.run, &protocol, session_.sources);
        if (!safety.unsafe) {
            run.failing = safety.run.size() - 1;
            run.ending = safety.reason;
        }
        std::string_view term = safety.unsafe && is_scribble(path) ? scribble_term(safety.unsafe->kind) : "";
        session_.result.text += fmt::format("    {}{}\n", run.ending, term);
        if (!session_.result.witness) session_.result.witness = std::move(run);
    }

    // Adds what is not known yet: a protocol that others call is checked on its own and again inside them.
    // Says whether there was anything.
    bool take_over(const base::Diagnostics& found, std::optional<base::Severity> violation = std::nullopt) {
        bool any = false;
        for (const base::Diagnostic& one : found.all()) {
            // Naming a role that does not decide is a mistake of the text, whatever the roles then do.
            bool softened = violation && one.severity == base::Severity::error &&
                            one.code != &choreo::codes::other_decider;
            base::Severity severity = softened ? *violation : one.severity;
            bool known = false;
            for (const base::Diagnostic& other : session_.diagnostics.all())
                known = known || (other.code == one.code && other.span == one.span && other.severity >= severity);
            if (known) continue;
            any = true;
            // Where no run goes wrong, only a role that is left waiting is worth a remark.
            if (severity == base::Severity::note && one.code != &choreo::codes::branch_untold) continue;
            base::Diagnostic& added = session_.diagnostics.report(*one.code, severity, one.span, one.message);
            if (severity == base::Severity::note) {
                added.help("fine if it can stop at any time; --strict makes this an error");
                continue;
            }
            added.labels = one.labels;
            added.hint = one.hint;
        }
        return any;
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
    bool strict_;
    std::vector<std::string> faulty_;     // protocols with a run that goes wrong
    std::vector<std::string> violating_;  // protocols that are not well-branched, if that is asked for
    std::string open_;                    // what could not be proved, of the first such protocol
};

}  // namespace

int verb_check(Arguments arguments) {
    Session session("check");
    CommandLine line(session);
    std::vector<std::string> files;
    std::string protocol;
    line.positionals("FILE", files, "any file that Treaty reads");
    bool strict = false;
    line.option("-p,--protocol", "NAME", protocol, "only this protocol of the file");
    line.flag("--strict", strict, "report every choice that a role is not told of, even if nothing goes wrong");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = files;
    Checker checker(session, strict);
    bool readable = true;
    for (const std::string& path : files) {
        Loaded loaded = load(session, path);
        readable = loaded && checker.check(path, loaded, protocol) && readable;
    }
    return readable ? checker.conclude() : session.finish();
}

}  // namespace treaty::cli
