#include "api/check.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/input/inputs.h"
#include "api/input/wires.h"
#include "api/models/processes.h"
#include "api/witness.h"
#include "base/wording.h"
#include "choreo/codes.h"
#include "choreo/well_branched.h"
#include "formats/load.h"
#include "formats/names.h"
#include "symbolic/check_data.h"
#include "wire/shapes.h"

namespace treaty::api {
namespace {

bool is_scribble(std::string_view path) {
    return path.ends_with(".scr") || path.ends_with(".nuscr");
}

// Some notations list roles without saying what they do.
bool plays(const model::System& system, model::RoleId role) {
    auto position = system.machine_of(role);
    return position && system.machines()[*position].edge_count() > 0;
}

// Whether all partners of the machines are machines here, too. One machine alone cannot be judged.
bool closed(const model::System& system) {
    for (const model::Machine& machine : system.machines())
        for (std::size_t s = 0; s < machine.state_count(); ++s)
            for (const model::Edge& edge : machine.out(model::StateId(s))) {
                const model::Event& event = system.alphabet().event(edge.label);
                if (event.kind != model::EventKind::send && event.kind != model::EventKind::receive) continue;
                if (!plays(system, event.from) || !plays(system, event.to)) return false;
            }
    return true;
}

CheckedProtocol summary_of(const std::string& path, const model::Specification& specification,
                           const model::Protocol& protocol) {
    CheckedProtocol result;
    result.file = path;
    result.name = protocol.name();
    std::vector<bool> used(specification.alphabet->message_count());
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        const model::Node& node = protocol[model::NodeId(i)];
        if (node.kind != model::NodeKind::interaction) continue;
        ++result.interactions;
        if (!used[node.message.index]) ++result.messages;
        used[node.message.index] = true;
    }
    for (model::RoleId role : protocol.roles()) result.roles.emplace_back(specification.alphabet->name(role));
    return result;
}

CheckedModel summary_of(const std::string& path, const Loaded& loaded) {
    CheckedModel result{path, std::string(formats::describe(loaded)), {}, {}};
    if (auto* net = loaded.get<model::Net>())
        result.sizes = {{net->places().size(), "place"}, {net->transitions().size(), "transition"}};
    if (auto* machine = loaded.get<model::Machine>())
        result.sizes = {{machine->state_count(), "state"}, {machine->edge_count(), "transition"}};
    if (auto* system = loaded.get<model::System>()) result.sizes = {{system->machines().size(), "machine"}};
    return result;
}

class Checker {
public:
    Checker(const Inquiry& inquiry, CheckAnswer& answer, bool strict)
        : inquiry_(inquiry), answer_(answer), strict_(strict) {}

    // False if the file does not hold what was asked for.
    bool check(const std::string& path, const Loaded& loaded, const std::string& name) {
        if (auto* specification = loaded.get<model::Specification>())
            return check(path, *specification, name);
        CheckedModel summary = summary_of(path, loaded);
        if (auto* system = loaded.get<model::System>(); system && closed(*system)) check(*system, summary);
        answer_.checked.emplace_back(std::move(summary));
        return true;
    }

    // A script of processes: the errors of its text, and whether its types fit, without running its
    // assertions.
    bool check_script(const std::string& path) {
        std::unique_ptr<csp::Script> script = load_script(inquiry_, path);
        if (!script) return false;
        std::size_t errors = answer_.diagnostics.errors();
        script->check_types(answer_.diagnostics);
        if (answer_.diagnostics.errors() > errors) return false;
        answer_.checked.emplace_back(CheckedModel{
            path,
            "a script",
            {{script->definitions().size(), "definition"}, {script->assertion_count(), "assertion"}},
            {}});
        return true;
    }

    void conclude() const {
        if (!faulty_.empty()) return inquiry_.fails(fmt::format("{} can go wrong", fmt::join(faulty_, ", ")));
        if (!violating_.empty())
            return inquiry_.fails(fmt::format("{} in {}",
                                              base::counted(answer_.diagnostics.errors(), "error"),
                                              fmt::join(violating_, ", ")));
        if (!open_.empty()) return inquiry_.undecided(open_);
        if (answer_.checked.empty())
            return inquiry_.undecided(
                fmt::format("there is no protocol to check in {}", fmt::join(answer_.inputs, ", ")));
        inquiry_.holds("no fault found");
    }

private:
    bool check(const std::string& path, const model::Specification& specification, const std::string& name) {
        if (name.empty()) {
            for (const wire::Wire& wire : specification.wires)
                report_overlaps(inquiry_, specification,
                                wire::Codec(*specification.pool, wire, wire::message_shapes(specification)),
                                true);
            for (const model::Protocol& protocol : specification.protocols)
                check(path, specification, protocol);
            return true;
        }
        const model::Protocol* protocol = choose_protocol(inquiry_, specification, name);
        if (protocol) check(path, specification, *protocol);
        return protocol != nullptr;
    }

    void check(const std::string& path, const model::Specification& specification,
               const model::Protocol& protocol) {
        CheckedProtocol summary = summary_of(path, specification, protocol);
        if (model::has_data(specification, protocol)) summary.data = check_data(specification, protocol);
        base::Diagnostics found;
        choreo::Branching branching = choreo::check_branching(specification, protocol, found);
        summary.well_branched = branching.well_branched;
        verify::ProtocolSafety safety =
            verify::protocol_safety(specification, protocol, branching, options());
        judge(protocol, safety, summary);
        std::size_t errors = answer_.diagnostics.errors();
        take_over(explaining(found, safety), severity(safety.answer));
        if (answer_.diagnostics.errors() > errors) violating_.emplace_back(protocol.name());
        answer_.checked.emplace_back(std::move(summary));
    }

    // Well-branchedness does not look at values. Where they were considered and a run fails, branches
    // that their values tell apart are not the reason.
    base::Diagnostics explaining(const base::Diagnostics& violations,
                                 const verify::ProtocolSafety& safety) const {
        base::Diagnostics explaining;
        for (const base::Diagnostic& one : violations.all()) {
            auto still_alike = [&](const base::Label& label) {
                return std::ranges::find(*safety.alike, label.span) != safety.alike->end();
            };
            if (!strict_ && safety.alike && one.code == &choreo::codes::branches_alike &&
                std::ranges::none_of(one.labels, still_alike))
                continue;
            explaining.report(*one.code, one.severity, one.span, one.message) = one;
        }
        return explaining;
    }

    CheckedData check_data(const model::Specification& specification, const model::Protocol& protocol) {
        base::Diagnostics about_data;
        symbolic::DataCheck found =
            symbolic::check_data(specification, protocol, about_data, inquiry_.context.deadline);
        CheckedData result{found.complete, found.reason,         found.unreachable, {},
                           found.coherent, found.coherent_reason};
        for (model::NodeId id : found.open) {
            const model::Node& node = protocol[id];
            const model::Alphabet& names = *specification.alphabet;
            result.open.push_back({fmt::format("{} -> {}: {}", names.name(node.role), names.name(node.to),
                                               names.name(node.message)),
                                   model::line_of(&protocol, id, inquiry_.sources())});
        }
        if (take_over(about_data) && found.coherent == Verdict::fails) {
            faulty(protocol.name());
            witness(witness_of(found, protocol, inquiry_.sources()));
        }
        return result;
    }

    // Machines without a protocol: whether they can get into a bad situation.
    void check(const model::System& system, CheckedModel& summary) {
        explore::ExploreOptions search;
        search.limits = options().limits;
        explore::SafetyVerdict verdict = explore::judge_safety(system, search);
        if (verdict.report.answer == Verdict::undecided && open_.empty())
            open_ = fmt::format("{} is not proved safe: {}", system.name(), verdict.report.reason);
        if (verdict.report.answer != Verdict::fails) return;
        faulty(system.name());
        model::Run run = witness_of(system, verdict.report.unsafe.front(), nullptr, inquiry_.sources());
        summary.fault = run.ending;
        witness(std::move(run));
    }

    verify::SafetyOptions options() const {
        verify::SafetyOptions options;
        options.limits = inquiry_.context.everyday_limits();
        return options;
    }

    // How a violated condition of well-branchedness is reported: it explains a fault that was found;
    // where nothing can, it is a remark; where that is not known, a warning.
    base::Severity severity(Verdict safe) const {
        if (strict_ || safe == Verdict::fails) return base::Severity::error;
        return safe == Verdict::holds ? base::Severity::note : base::Severity::warning;
    }

    void judge(const model::Protocol& protocol, const verify::ProtocolSafety& safety,
               CheckedProtocol& summary) {
        summary.states = safety.states;
        summary.proof = safety.proof;
        summary.safe = safety.answer;
        summary.safe_reason = safety.reason;
        if (safety.answer == Verdict::undecided && open_.empty()) {
            open_ = fmt::format("{} is not proved safe: {}", protocol.name(), safety.reason);
            if (safety.endless)
                open_ +=
                    fmt::format(" (line {})", model::line_of(&protocol, safety.endless, inquiry_.sources()));
        }
        if (safety.answer != Verdict::fails) return;
        faulty(protocol.name());
        model::Run run = witness_of(safety, protocol, inquiry_.sources());
        if (safety.unsafe && is_scribble(summary.file)) summary.scribble_kind = safety.unsafe->kind;
        summary.fault = run.ending;
        witness(std::move(run));
    }

    // The first failing run is shown.
    void witness(model::Run run) const {
        if (!answer_.witness) answer_.witness = std::move(run);
    }

    bool known(const base::Diagnostic& one, base::Severity severity) const {
        for (const base::Diagnostic& other : answer_.diagnostics.all())
            if (other.code == one.code && other.span == one.span && other.severity >= severity) return true;
        return false;
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
            if (known(one, severity)) continue;
            any = true;
            // Where no run fails, only a role that is left waiting gets a remark.
            if (severity == base::Severity::note && one.code != &choreo::codes::branch_untold) continue;
            base::Diagnostic& added = answer_.diagnostics.report(*one.code, severity, one.span, one.message);
            if (severity == base::Severity::note) {
                added.help("this is fine if it can stop at any time; --strict makes it an error");
                continue;
            }
            added.labels = one.labels;
            added.hint = one.hint;
        }
        return any;
    }

    // Named once, even if both its data and its roles have faults.
    void faulty(std::string_view name) {
        if (faulty_.empty() || faulty_.back() != name) faulty_.emplace_back(name);
    }

    const Inquiry& inquiry_;
    CheckAnswer& answer_;
    bool strict_;
    std::vector<std::string> faulty_;     // protocols with a failing run
    std::vector<std::string> violating_;  // protocols that are not well-branched, if that is asked for
    std::string open_;                    // what could not be proved, of the first such protocol
};

}  // namespace

CheckAnswer check(const Workspace& workspace, const CheckQuestion& question, const Context& context) {
    CheckAnswer answer;
    answer.inputs = question.files;
    Inquiry inquiry(workspace, context, answer);
    Checker checker(inquiry, answer, question.strict);
    bool readable = true;
    for (const std::string& path : question.files) {
        if (formats::extension_of(path) == "csp") {
            readable = checker.check_script(path) && readable;
            continue;
        }
        Loaded loaded = load(inquiry, path);
        readable = loaded && checker.check(path, loaded, question.protocol) && readable;
    }
    if (readable) checker.conclude();
    return answer;
}

}  // namespace treaty::api
