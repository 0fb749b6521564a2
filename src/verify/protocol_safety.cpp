#include "verify/protocol_safety.h"

#include <fmt/format.h>

#include "choreo/codes.h"
#include "choreo/pomset_language.h"
#include "choreo/project.h"
#include "choreo/unserved_wait.h"
#include "symbolic/expand_protocol.h"
#include "symbolic/expand_values.h"
#include "symbolic/loop_exits.h"

namespace treaty::verify {
namespace {

using base::Answer;
using model::NodeKind;

// The words of a protocol. Labels of machines that carry values are looked up without them.
class LanguageAcceptor final : public explore::Acceptor {
public:
    LanguageAcceptor(choreo::PomsetLanguage& language, std::span<const model::LabelId> plain)
        : language_(language), plain_(plain) {}

    std::uint32_t initial() override { return language_.start().index; }
    std::uint32_t next(std::uint32_t state, model::LabelId label) override {
        if (!plain_.empty()) label = plain_[label.index];
        auto after = language_.try_after(choreo::Residual(state), label);
        if (!after) return unknown;
        return language_.possible(*after) ? after->index : refused;
    }
    std::string why_unknown() const override {
        return "the protocol lets a role run ahead without bound, and its language is too large";
    }
    bool speaks_of_interactions() const override { return false; }

private:
    choreo::PomsetLanguage& language_;
    std::span<const model::LabelId> plain_;
};

std::vector<base::Span> alike_steps(const symbolic::ExpandedProtocol& expanded) {
    base::Diagnostics found;
    choreo::check_branching(expanded.specification, expanded.protocol(), found);
    std::vector<base::Span> alike;
    for (const base::Diagnostic& one : found.all())
        if (one.code == &choreo::codes::branches_alike)
            for (const base::Label& label : one.labels) alike.push_back(label.span);
    return alike;
}

// Conditions that choose between continuations.
bool decides_by_data(const model::Protocol& protocol) {
    for (std::size_t i = 0; i < protocol.size(); ++i) {
        NodeKind kind = protocol[model::NodeId(i)].kind;
        if (kind == NodeKind::conditional || kind == NodeKind::while_loop) return true;
    }
    return false;
}

bool interrupts(const model::Protocol& protocol) {
    for (std::size_t i = 0; i < protocol.size(); ++i)
        if (protocol[model::NodeId(i)].kind == NodeKind::interrupt) return true;
    return false;
}

explore::ExploreOptions explore_options(const SafetyOptions& options) {
    explore::ExploreOptions result;
    result.jobs = options.jobs;
    result.limits = options.limits;
    result.progress = options.progress;
    return result;
}

// The same machines, whose edges come from other nodes: `source`, by the node they come from now.
model::System with_nodes(const model::System& system, std::span<const model::NodeId> source) {
    std::vector<model::Machine> machines;
    for (const model::Machine& machine : system.machines()) {
        model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
        for (std::size_t s = 0; s < machine.state_count(); ++s)
            builder.state(machine.final(model::StateId(s)));
        for (std::size_t s = 0; s < machine.state_count(); ++s) {
            auto out = machine.out(model::StateId(s));
            for (std::size_t e = 0; e < out.size(); ++e) {
                model::NodeId node = machine.node(model::StateId(s), e);
                builder.edge(model::StateId(s), out[e].label, out[e].target,
                             node ? source[node.index] : node);
            }
        }
        machines.push_back(std::move(*builder.finish()));
    }
    return std::move(*model::make_system(system.name(), std::move(machines), system.channels()));
}

class Judge {
public:
    Judge(const model::Specification& specification, const model::Protocol& protocol,
          const choreo::Branching& branching, const SafetyOptions& options)
        : specification_(specification), protocol_(protocol), branching_(branching), options_(options) {}

    ProtocolSafety run() {
        choreo::MachineLimits limits;
        limits.deadline = options_.limits.time;
        auto made = choreo::make_plain_system(specification_, protocol_, {}, limits);
        if (!made) {
            result_.reason = made.reason;
            return by_condition();
        }
        judge(std::move(*made.system), specification_, protocol_);
        if (model::has_data(specification_, protocol_)) look_at_data();
        return result_.answer == Answer::undecided ? by_condition() : std::move(result_);
    }

private:
    // The words that are allowed are those of the protocol that is given here.
    void judge(model::System system, const model::Specification& specification,
               const model::Protocol& protocol) {
        result_.system = std::move(system);
        explore();
        if (result_.answer == Answer::holds) compare_words(specification, protocol);
        if (result_.answer == Answer::undecided && result_.growth) try_words(specification, protocol);
        if (result_.answer != Answer::fails) look_at_waits(specification, protocol);
        // Real programs handle messages that cross an interruption in ways that no machine here has.
        if (result_.answer == Answer::fails && interrupts(protocol_))
            give_up(fmt::format("{}, unless the roles can handle messages that cross an interruption",
                                result_.reason));
    }

    void explore() {
        explore::SafetyVerdict found = explore::judge_safety(*result_.system, explore_options(options_));
        result_.answer = found.report.answer;
        result_.reason = found.report.reason;
        result_.states = found.report.states;
        result_.transitions = found.report.transitions;
        result_.depth = found.report.depth;
        result_.bound = found.bound;
        result_.growth = std::move(found.growth);
        same_words_ = found.same_words && (!found.bound || branching_.separate_messages);
        if (result_.answer == Answer::undecided) return;
        result_.proof = found.exact_bound ? Proof::bounded_exploration : Proof::exploration;
        if (found.report.unsafe.empty()) return;
        result_.unsafe = std::move(found.report.unsafe.front());
        result_.run = result_.unsafe->run;
    }

    // Safe is not enough: the roles must do only what the protocol allows.
    void compare_words(const model::Specification& specification, const model::Protocol& protocol) {
        model::System system =
            result_.bound ? explore::with_channels(*result_.system, {model::Mode::fifo, result_.bound})
                          : *result_.system;
        explore::InclusionReport report = realizes(specification, protocol, system, options_, plain_);
        if (report.answer == Answer::fails) return not_allowed(std::move(report.run));
        if (report.answer == Answer::undecided) {
            result_.realizes_reason = report.reason;
        } else if (same_words_ || (branching_.well_branched && branching_.separate_messages)) {
            result_.realizes = true;
        } else {
            result_.realizes_reason = "parallel branches share a channel that grows without bound";
            give_up(
                "parallel branches share a channel that grows without bound; its contents were not compared "
                "with the "
                "protocol");
        }
    }

    void look_at_waits(const model::Specification& specification, const model::Protocol& protocol) {
        choreo::MachineLimits limits;
        limits.deadline = options_.limits.time;
        choreo::WaitResult found = choreo::find_unserved_wait(specification, protocol, limits);
        if (!found.reason.empty())
            return give_up(fmt::format("whether every `wait` is served is not known: {}", found.reason));
        if (!found.unserved) return;
        result_.answer = Answer::fails;
        result_.proof = Proof::exploration;
        result_.unserved = found.unserved->wait;
        std::string_view name = protocol.semaphore_name(protocol[found.unserved->wait].semaphore);
        result_.reason = fmt::format("`wait {0}` waits for ever: nothing signals {0} any more", name);
        result_.run = by_machines(*specification.alphabet, found.unserved->run);
    }

    // Interactions as the machines take part in them: sent, then received.
    explore::Run by_machines(const model::Alphabet& names,
                             std::span<const model::LabelId> interactions) const {
        const model::System& system = *result_.system;
        explore::Run run;
        std::vector<model::StateId> at;
        for (const model::Machine& machine : system.machines()) at.push_back(machine.initial());
        auto step = [&](model::RoleId role, model::EventKind kind, const model::Event& interaction) {
            std::size_t position = *system.machine_of(role);
            for (const model::Edge& edge : system.machines()[position].out(at[position])) {
                const model::Event& event = names.event(edge.label);
                if (event.kind != kind || event.from != interaction.from || event.to != interaction.to ||
                    event.message != interaction.message)
                    continue;
                at[position] = edge.target;
                run.push_back({edge.label, static_cast<std::uint32_t>(position), edge.target});
                return;
            }
        };
        for (model::LabelId label : interactions) {
            const model::Event& event = names.event(label);
            step(event.from, model::EventKind::send, event);
            step(event.to, model::EventKind::receive, event);
        }
        return run;
    }

    // What is not allowed within a small capacity is not allowed without a bound.
    void try_words(const model::Specification& specification, const model::Protocol& protocol) {
        for (std::uint32_t capacity = 1; capacity <= 3 && result_.answer == Answer::undecided; ++capacity) {
            model::System system = explore::with_channels(*result_.system, {model::Mode::fifo, capacity});
            explore::InclusionReport report = realizes(specification, protocol, system, options_, plain_);
            if (report.answer == Answer::fails) not_allowed(std::move(report.run));
        }
    }

    void not_allowed(explore::Run run) {
        result_.realizes = false;
        result_.answer = Answer::fails;
        result_.proof = Proof::exploration;
        result_.reason = fmt::format("the roles can do something that {} does not allow", protocol_.name());
        result_.run = std::move(run);
    }

    // Without its data a protocol has more runs, and more that serves a role which waits. So a fault may be
    // one that the data forbids, and what holds may fail where the data never lets a loop end, or tells
    // branches apart that look alike without it. With all values in sight it is decided.
    void look_at_data() {
        bool plain_run = result_.answer == Answer::fails && !depends_on_data();
        ProtocolSafety without = std::move(result_);
        result_ = {};
        std::string reason = judge_expanded(without);
        bool decided = reason.empty();
        if (decided && !(plain_run && result_.answer == Answer::fails)) return;
        result_ = std::move(without);
        if (decided || plain_run) return;
        if (result_.answer == Answer::holds && branching_.conditions_known) return look_at_loops();
        look_at_roles(std::move(reason));
    }

    // Without data, every loop can end.
    void look_at_loops() {
        auto endless = symbolic::find_endless_loop(specification_, protocol_, options_.limits.time);
        if (!endless) return;
        give_up(endless->reason);
        result_.endless = endless->node;
    }

    // The protocol with all values of its data, as a protocol without data. Comes back with the reason if
    // that decides nothing.
    std::string judge_expanded(const ProtocolSafety& without) {
        symbolic::ExpandProtocolLimits limits;
        limits.deadline = options_.limits.time;
        auto expanded = symbolic::expand_protocol(specification_, protocol_, limits);
        if (!expanded) return expanded.error();
        choreo::MachineLimits machine;
        machine.deadline = options_.limits.time;
        auto made = choreo::make_plain_system(expanded->specification, expanded->protocol(), {}, machine);
        if (!made) return made.reason;
        judge(with_nodes(*made.system, expanded->source), expanded->specification, expanded->protocol());
        if (result_.answer == Answer::undecided) return result_.reason;
        result_.proof = Proof::values;
        if (result_.unserved) result_.unserved = expanded->source[result_.unserved.index];
        if (result_.answer == Answer::fails) {
            result_.alike = alike_steps(*expanded);
            return {};
        }
        if (without.answer == Answer::holds) {
            bool grows = result_.growth.has_value();
            result_ = without;
            if (!grows) result_.growth.reset();
        }
        if (!branching_.conditions_known)
            give_up("a role must act by a condition whose values it does not know");
        return {};
    }

    // Each role by itself, with all values that it may know or get. It may wait for more than can come.
    void look_at_roles(std::string reason) {
        ProtocolSafety without = std::move(result_);
        result_ = {};
        symbolic::ExpandLimits limits;
        limits.machine.deadline = options_.limits.time;
        auto expanded = symbolic::expand_values(specification_, protocol_, {}, limits);
        if (expanded) {
            plain_ = std::move(expanded->plain);
            judge(std::move(expanded->system), specification_, protocol_);
            if (result_.answer != Answer::undecided) result_.proof = Proof::values;
            if (result_.answer != Answer::holds || branching_.conditions_known) return;
            give_up("a role must act by a condition whose values it does not know");
            return;
        }
        result_ = std::move(without);
        if (result_.answer == Answer::fails)
            give_up(fmt::format("{}, unless the data forbids this run ({})", result_.reason, reason));
        else if (result_.answer == Answer::holds)
            give_up("a role must act by a condition whose values it does not know");
    }

    void give_up(std::string reason) {
        result_.answer = Answer::undecided;
        result_.proof = Proof::none;
        result_.reason = std::move(reason);
    }

    // Whether a condition takes part in the run that was found.
    bool depends_on_data() const {
        if (decides_by_data(protocol_)) return true;
        std::vector<model::StateId> at(result_.system->machines().size(), model::StateId(0u));
        for (const explore::Step& step : result_.run) {
            const model::Machine& machine = result_.system->machines()[step.machine];
            auto edges = machine.out(at[step.machine]);
            for (std::size_t i = 0; i < edges.size(); ++i) {
                if (edges[i].label != step.label || edges[i].target != step.target) continue;
                model::NodeId node = machine.node(at[step.machine], i);
                if (!node || conditional(protocol_[node])) return true;
            }
            at[step.machine] = step.target;
        }
        return false;
    }

    // A message with a condition of its own, or one that only its values distinguish from others.
    bool conditional(const model::Node& node) const {
        if (node.guard) return true;
        const auto& declared = specification_.messages[node.message.index];
        if (declared.where) return true;
        for (std::size_t i = 0; i < protocol_.size(); ++i) {
            const model::Node& other = protocol_[model::NodeId(i)];
            if (other.kind != NodeKind::interaction || &other == &node) continue;
            if (other.role == node.role && other.to == node.to && other.message == node.message &&
                node.argument_count > 0)
                return true;
        }
        return false;
    }

    ProtocolSafety by_condition() {
        bool judged = !interrupts(protocol_) && !choreo::has_waits(protocol_) && branching_.well_branched &&
                      branching_.separate_channels;
        if (judged && !result_.endless && model::has_data(specification_, protocol_)) look_at_loops();
        if (judged && !result_.endless) {
            result_.answer = Answer::holds;
            result_.proof = Proof::condition;
            result_.reason = "every decision is made by one role and understood by the others";
            result_.unsafe.reset();
            result_.run.clear();
        }
        return std::move(result_);
    }

    const model::Specification& specification_;
    const model::Protocol& protocol_;
    const choreo::Branching& branching_;
    const SafetyOptions& options_;
    bool same_words_ = true;
    std::vector<model::LabelId>
        plain_;  // by label of the system: the label without values; empty: there are none
    ProtocolSafety result_;
};

}  // namespace

std::string_view to_string(Proof proof) {
    switch (proof) {
        case Proof::none: return "none";
        case Proof::exploration: return "exploration";
        case Proof::bounded_exploration: return "bounded exploration";
        case Proof::values: return "values";
        case Proof::condition: return "condition";
    }
    return "";
}

explore::InclusionReport realizes(const model::Specification& specification, const model::Protocol& protocol,
                                  const model::System& system, const SafetyOptions& options,
                                  std::span<const model::LabelId> plain) {
    explore::InclusionReport report;
    auto language = choreo::PomsetLanguage::of(specification, protocol);
    if (!language) {
        report.reason = language.error();
        return report;
    }
    LanguageAcceptor acceptor(*language, plain);
    explore::InclusionOptions inclusion;
    inclusion.jobs = options.jobs;
    inclusion.limits = options.limits;
    inclusion.progress = options.progress;
    return explore::included(system, acceptor, inclusion);
}

ProtocolSafety protocol_safety(const model::Specification& specification, const model::Protocol& protocol,
                               const choreo::Branching& branching, const SafetyOptions& options) {
    return Judge(specification, protocol, branching, options).run();
}

ProtocolSafety protocol_safety(const model::Specification& specification, const model::Protocol& protocol,
                               const SafetyOptions& options) {
    base::Diagnostics unused;
    return protocol_safety(specification, protocol, choreo::check_branching(specification, protocol, unused),
                           options);
}

}  // namespace treaty::verify
