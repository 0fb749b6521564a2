#include "api/explore.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/input/inputs.h"
#include "api/models/derive.h"
#include "api/witness.h"
#include "explore/judge_safety.h"
#include "formats/load.h"
#include "testgen/translate.h"
#include "verify/protocol_safety.h"

namespace treaty::api {
namespace {

// The machine of that name in the file.
std::optional<model::Machine> load_machine(const Inquiry& inquiry, const std::string& path,
                                           std::string_view role) {
    Loaded loaded = load(inquiry, path);
    if (!loaded) return std::nullopt;
    if (auto* machine = loaded.get<model::Machine>()) return *machine;
    if (auto* system = loaded.get<model::System>()) {
        for (const model::Machine& machine : system->machines())
            if (system->alphabet().name(machine.role()) == role) return machine;
        inquiry.report(codes::bad_replacement, fmt::format("{} has no machine of {}", path, role));
        return std::nullopt;
    }
    inquiry.report(codes::bad_replacement,
                   fmt::format("{} contains {}, not machines", path, formats::describe(loaded)));
    return std::nullopt;
}

bool replace_one(const Inquiry& inquiry, const model::System& system, std::vector<model::Machine>& machines,
                 const std::string& replacement) {
    std::size_t equals = replacement.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == replacement.size()) {
        inquiry.report(codes::bad_usage,
                       fmt::format("--replace {} is not of the form ROLE=FILE", replacement));
        return false;
    }
    std::string name = replacement.substr(0, equals);
    model::RoleId role = system.alphabet().find_role(name);
    auto position = role ? system.machine_of(role) : std::nullopt;
    if (!position) {
        inquiry.report(codes::no_such_role, fmt::format("the system has no role {}", name));
        return false;
    }
    auto machine = load_machine(inquiry, replacement.substr(equals + 1), name);
    if (!machine) return false;
    auto translated = testgen::translate(*machine, role, system.alphabet_ptr());
    if (!translated) {
        inquiry.report(codes::bad_replacement, fmt::format("the machine of {} {}", name, translated.error()));
        return false;
    }
    machines[*position] = std::move(*translated);
    return true;
}

// The system with some roles' machines from other files; each replacement is ROLE=FILE. The machine is the
// file's machine of that role, or its only one; its events are in the system's alphabet. Faults are reported
// and give nothing.
std::optional<model::System> replace_machines(const Inquiry& inquiry, const model::System& system,
                                              const std::vector<std::string>& replacements) {
    std::vector<model::Machine> machines(system.machines().begin(), system.machines().end());
    for (const std::string& replacement : replacements)
        if (!replace_one(inquiry, system, machines, replacement)) return std::nullopt;
    std::string fault;
    auto changed = model::make_system(system.name(), std::move(machines), system.channels(), &fault);
    if (!changed) inquiry.report(codes::bad_replacement, fault);
    return changed;
}

// The system that is asked about, and the protocol that it was projected from, if any.
struct Subject {
    std::optional<ProtocolInput> input;
    std::optional<model::System> system;

    const model::Protocol* protocol() const { return input ? input->protocol : nullptr; }
};

class Explorer {
public:
    Explorer(const Inquiry& inquiry, const ExploreQuestion& question, ExploreAnswer& answer)
        : inquiry_(inquiry), question_(question), answer_(answer) {}

    void run() {
        load_subject();
        if (subject_.system && !question_.replace.empty())
            subject_.system = replace_machines(inquiry_, *subject_.system, question_.replace);
        if (!subject_.system || !inquiry_.diagnostics().ok()) return;
        explore::ExploreOptions options;
        options.reduce = question_.reduce;
        options.compress = question_.compress;
        options.jobs = inquiry_.context.jobs;
        options.limits = inquiry_.context.search_limits();
        options.progress = progress("exploring");
        explore::SafetyVerdict verdict = explore::judge_safety(*subject_.system, options);
        take(verdict);
        compare_words(verdict);
        agree_with_check();
    }

private:
    // --limit-states counts configurations here, not the states of a machine.
    choreo::MachineLimits machine_limits() const {
        choreo::MachineLimits limits = inquiry_.context.machine_limits();
        limits.states = choreo::MachineLimits{}.states;
        return limits;
    }

    model::Channels channels(model::Channels given) const {
        if (question_.mode) given.mode = *question_.mode;
        if (question_.bound) given.bound = question_.bound;
        return given;
    }

    void load_subject() {
        Loaded loaded = load(inquiry_, question_.file);
        if (!loaded) return;
        if (auto* system = loaded.get<model::System>()) {
            subject_.system = explore::with_channels(*system, channels({}));
            return;
        }
        subject_.input = protocol_of(inquiry_, std::move(loaded), question_.file, question_.protocol);
        if (!subject_.input) return;
        answer_.protocol = subject_.input->protocol->name();
        subject_.system = derive_plain_system(inquiry_, *subject_.input, channels({}), machine_limits());
    }

    explore::ProgressCallback progress(std::string_view doing) const {
        if (!inquiry_.context.progress) return {};
        return [sink = inquiry_.context.progress, doing](const explore::Progress& p) {
            sink(SearchProgress{doing, p.states, p.states_per_second, p.frontier, p.depth, p.bytes});
        };
    }

    void take(const explore::SafetyVerdict& verdict) {
        const explore::ExploreReport& report = verdict.report;
        answer_.verdict = report.answer;
        answer_.reason = report.reason;
        answer_.states = report.states;
        answer_.transitions = report.transitions;
        answer_.depth = report.depth;
        answer_.bytes = report.bytes;
        answer_.complete = report.complete;
        answer_.reduced = report.reduced;
        if (report.stopped != base::StopReason::none) {
            answer_.bound.stopped(report.stopped);
            answer_.bound.add("states", report.states);
            answer_.bound.add("depth", std::uint64_t{report.depth});
        }
        for (const explore::Unsafe& unsafe : report.unsafe) {
            model::Run run = witness_of(*subject_.system, unsafe, subject_.protocol(), inquiry_.sources());
            if (!answer_.witness) {
                answer_.reason = run.ending;
                answer_.witness = run;
            }
            answer_.unsafe.push_back({unsafe.kind, unsafe.shortest, std::move(run)});
        }
        // A channel that can grow for ever is not a fault, but people want to know.
        if (!verdict.growth) return;
        answer_.growth =
            witness_of(*subject_.system, *verdict.growth, subject_.protocol(), inquiry_.sources());
        if (verdict.exact_bound) answer_.exact_bound = verdict.bound;
    }

    // The second half of the question, for what is safe: does the system do only what the protocol allows?
    void compare_words(const explore::SafetyVerdict& verdict) {
        if (!subject_.input || answer_.verdict != Verdict::holds) return;
        verify::SafetyOptions options;
        options.jobs = inquiry_.context.jobs;
        options.limits = inquiry_.context.search_limits();
        options.progress = progress("comparing");
        const model::Protocol& protocol = *subject_.protocol();
        model::System system =
            verdict.exact_bound ? explore::with_channels(*subject_.system, {model::Mode::fifo, verdict.bound})
                                : *subject_.system;
        auto report = verify::realizes(subject_.input->specification, protocol, system, options);
        answer_.compared = true;
        if (report.answer == Verdict::undecided) {
            answer_.realizes_reason = report.reason;
            return;
        }
        answer_.realizes = report.answer == Verdict::holds;
        if (*answer_.realizes) {
            answer_.reason += fmt::format(", and every run is one of {}", protocol.name());
            return;
        }
        answer_.verdict = Verdict::fails;
        answer_.reason = fmt::format("a run that {} does not allow", protocol.name());
        answer_.witness = run_of(*subject_.system, report.run, &protocol, inquiry_.sources());
        if (!report.run.empty()) answer_.witness->failing = report.run.size() - 1;
        answer_.witness->ending = answer_.reason;
    }

    bool contains(std::initializer_list<model::NodeKind> kinds) const {
        const model::Protocol& protocol = *subject_.protocol();
        for (std::size_t i = 0; i < protocol.size(); ++i)
            if (std::find(kinds.begin(), kinds.end(), protocol[model::NodeId(i)].kind) != kinds.end())
                return true;
        return false;
    }

    // The machines have no data and no semaphores, and messages that cross an interruption are not sorted
    // out. For the protocol as it is written, over channels that only grow, the question is that of `check`,
    // and so is the answer. A limit that was reached remains the answer: the question was a search.
    void agree_with_check() {
        if (!subject_.input || inquiry_.context.deadline.interrupted()) return;
        bool limited = answer_.verdict == Verdict::undecided && !answer_.growth;
        bool decides = contains({model::NodeKind::conditional, model::NodeKind::while_loop});
        bool data = model::has_data(subject_.input->specification, *subject_.protocol());
        bool beyond_machines = data || contains({model::NodeKind::interrupt, model::NodeKind::wait});
        if (question_.mode || question_.bound || !question_.replace.empty()) {
            if (decides) believe_less("unless the data, which is ignored, forbids this run");
            if (contains({model::NodeKind::interrupt}))
                believe_less("unless the roles can handle messages that cross an interruption");
            if (data) believe_only_without_data(decides);
            return;
        }
        // Within a capacity that is large enough for faults, words may be missing.
        bool words_missing = answer_.realizes == true && answer_.growth;
        bool settled = answer_.verdict != Verdict::undecided && !beyond_machines && !words_missing;
        if (limited || settled) return;
        verify::SafetyOptions options;
        options.jobs = inquiry_.context.jobs;
        options.limits =
            beyond_machines ? inquiry_.context.everyday_limits() : inquiry_.context.search_limits();
        take(verify::protocol_safety(subject_.input->specification, *subject_.protocol(), options));
        if (answer_.verdict == Verdict::holds && data) look_for_nothing_to_send();
    }

    void believe_less(std::string_view unless) {
        if (answer_.verdict != Verdict::fails || answer_.unsafe.empty()) return;
        answer_.verdict = Verdict::undecided;
        answer_.reason += fmt::format(" ({})", unless);
    }

    // What is safe without its data is safe with it if data never decides what happens: no condition does, no
    // role may have nothing to send, and messages are not distinguished by their values.
    void believe_only_without_data(bool decides) {
        if (answer_.verdict != Verdict::holds) return;
        bool can_always_send = question_.replace.empty() && look_for_nothing_to_send() == Verdict::holds;
        if (answer_.verdict != Verdict::holds) return;
        if (can_always_send && !decides && !values_tell_steps_apart()) return;
        answer_.verdict = Verdict::undecided;
        answer_.reason += "; its data is ignored with --mode, --bound and --replace, and may change that";
    }

    // Whether the same message is sent at two steps, at one of them with a value that is given there.
    bool values_tell_steps_apart() const {
        const model::Protocol& protocol = *subject_.protocol();
        std::map<std::tuple<model::RoleId, model::RoleId, model::MessageId>, std::pair<int, bool>> steps;
        for (std::size_t i = 0; i < protocol.size(); ++i) {
            const model::Node& n = protocol[model::NodeId(i)];
            if (n.kind != model::NodeKind::interaction) continue;
            auto& [count, given] = steps[{n.role, n.to, n.message}];
            ++count;
            given = given || n.guard;
            for (const model::Argument& a : protocol.arguments(model::NodeId(i))) given = given || a.value;
        }
        return std::any_of(steps.begin(), steps.end(),
                           [](const auto& s) { return s.second.first > 1 && s.second.second; });
    }

    void take(verify::ProtocolSafety safety) {
        if (!safety.growth) forget_growth();
        if (safety.states > answer_.states) {
            answer_.states = safety.states;
            answer_.transitions = safety.transitions;
            answer_.depth = safety.depth;
        }
        bool same = safety.answer == answer_.verdict && safety.proof != verify::Proof::values;
        if (same && safety.answer != Verdict::undecided) return;
        answer_.verdict = safety.answer;
        answer_.reason = safety.reason;
        if (!safety.realizes && answer_.realizes == true) {
            answer_.realizes.reset();
            answer_.exact_bound.reset();
            answer_.realizes_reason = safety.realizes_reason;
        }
        if (safety.answer == Verdict::undecided) return;
        answer_.unsafe.clear();
        answer_.witness.reset();
        if (safety.answer == Verdict::holds) {
            if (safety.proof == verify::Proof::values)
                answer_.reason = "with all values of the data, every reachable configuration is safe";
            return;
        }
        answer_.witness = witness_of(safety, *subject_.protocol(), inquiry_.sources());
        answer_.reason = answer_.witness->ending;
        if (safety.unsafe)
            answer_.unsafe.push_back({safety.unsafe->kind, safety.unsafe->shortest, *answer_.witness});
    }

    // Without its data a channel may grow that does not with it.
    void forget_growth() {
        answer_.growth.reset();
        answer_.exact_bound.reset();
    }

    // A role that must send, and that no data allows to, stops the conversation as a deadlock does. Holds:
    // this never happens.
    Verdict look_for_nothing_to_send() {
        base::Diagnostics found_in_text;
        symbolic::DataCheck found =
            symbolic::check_data(subject_.input->specification, *subject_.protocol(), found_in_text,
                                 inquiry_.context.everyday_limits().time);
        if (found.coherent != Verdict::fails) return found.coherent;
        answer_.verdict = Verdict::fails;
        answer_.compared = false;
        answer_.realizes.reset();
        inquiry_.diagnostics().append(std::move(found_in_text));
        answer_.witness = witness_of(found, *subject_.protocol(), inquiry_.sources());
        answer_.reason = answer_.witness->ending;
        return Verdict::fails;
    }

    const Inquiry& inquiry_;
    const ExploreQuestion& question_;
    ExploreAnswer& answer_;
    Subject subject_;
};

}  // namespace

ExploreAnswer explore(const Workspace& workspace, const ExploreQuestion& question, const Context& context) {
    ExploreAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    Explorer(inquiry, question, answer).run();
    return answer;
}

}  // namespace treaty::api
