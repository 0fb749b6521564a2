#include "api/explore.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "api/derive.h"
#include "api/inputs.h"
#include "api/replacement.h"
#include "api/witness.h"
#include "explore/judge_safety.h"
#include "verify/protocol_safety.h"

namespace treaty::api {
namespace {

// As `check` has it, unless the context has a limit.
constexpr std::chrono::seconds time_for_data{20};

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
        look_at_data();
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

    // The machines have no data, and messages that cross an interruption are not sorted out: where roles do
    // either, a run that was found may not be one, and where none was found the data may still forbid all
    // steps that are left. Then the question is that of `check`, with all values.
    void look_at_data() {
        if (!subject_.input) return;
        const model::Protocol& protocol = *subject_.protocol();
        bool as_written = !question_.mode && !question_.bound && question_.replace.empty();
        bool decides = contains({model::NodeKind::conditional, model::NodeKind::while_loop});
        if (answer_.verdict == Verdict::holds && as_written && protocol.has_data()) {
            if (decides) {
                verify::ProtocolSafety safety = with_all_values();
                if (safety.answer == Verdict::fails) return take(std::move(safety));
            }
            return look_for_nothing_to_send();
        }
        if (answer_.verdict != Verdict::fails || answer_.unsafe.empty()) return;
        if (decides) {
            if (as_written) {
                verify::ProtocolSafety safety = with_all_values();
                if (safety.answer != Verdict::undecided) return take(std::move(safety));
            }
            answer_.verdict = Verdict::undecided;
            answer_.reason += " (unless the data, which is ignored, forbids this run)";
        } else if (contains({model::NodeKind::interrupt})) {
            answer_.verdict = Verdict::undecided;
            answer_.reason += " (unless the roles can handle messages that cross an interruption)";
        }
    }

    verify::ProtocolSafety with_all_values() const {
        verify::SafetyOptions options;
        options.jobs = inquiry_.context.jobs;
        options.limits = inquiry_.context.search_limits();
        return verify::protocol_safety(subject_.input->specification, *subject_.protocol(), options);
    }

    void take(verify::ProtocolSafety safety) {
        answer_.unsafe.clear();
        answer_.witness.reset();
        // Without its data a channel may grow that does not with it.
        answer_.growth.reset();
        answer_.exact_bound.reset();
        if (safety.growth) {
            answer_.growth =
                witness_of(*safety.system, *safety.growth, subject_.protocol(), inquiry_.sources());
            answer_.exact_bound = safety.bound;
        }
        answer_.verdict = safety.answer;
        answer_.reason = safety.reason;
        answer_.states = std::max(answer_.states, safety.states);
        if (safety.answer == Verdict::holds) {
            answer_.reason = "with all values of the data, every reachable configuration is safe";
            return;
        }
        answer_.witness =
            safety.unsafe
                ? witness_of(*safety.system, *safety.unsafe, subject_.protocol(), inquiry_.sources())
                : run_of(*safety.system, safety.run, subject_.protocol(), inquiry_.sources());
        if (safety.unsafe) {
            answer_.reason = answer_.witness->ending;
            answer_.unsafe.push_back({safety.unsafe->kind, safety.unsafe->shortest, *answer_.witness});
        } else {
            answer_.witness->failing = safety.run.size() - 1;
            answer_.witness->ending = answer_.reason;
        }
    }

    // A role that must send, and that no data allows to, stops the conversation as a deadlock does.
    void look_for_nothing_to_send() {
        base::Diagnostics found_in_text;
        base::Deadline deadline = inquiry_.context.deadline;
        if (!inquiry_.context.time_limited) deadline = deadline.part_of_work(time_for_data);
        symbolic::DataCheck found = symbolic::check_data(subject_.input->specification, *subject_.protocol(),
                                                         found_in_text, deadline);
        if (found.coherent != Verdict::fails) return;
        answer_.verdict = Verdict::fails;
        answer_.compared = false;
        answer_.realizes.reset();
        inquiry_.diagnostics().append(std::move(found_in_text));
        answer_.witness = witness_of(found, *subject_.protocol(), inquiry_.sources());
        answer_.reason = answer_.witness->ending;
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
