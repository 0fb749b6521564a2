#include "api/models/compare_parts.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/wording.h"
#include "choreo/project.h"
#include "explore/refine/refine.h"
#include "symbolic/conform.h"
#include "symbolic/machine_graph.h"
#include "symbolic/restrict.h"

namespace treaty::api {

std::string signature_of(const model::Specification& specification, model::MessageId message) {
    std::string fields;
    for (const expr::Field& field : specification.message(message).fields)
        fields += fmt::format("{}{}: {}", fields.empty() ? "" : ", ", specification.names->text(field.name),
                              specification.types->print(field.type, *specification.names));
    return fmt::format("{}({})", specification.alphabet->name(message), fields);
}

namespace {

using model::LabelId;
using model::MessageId;
using model::StateId;

// The part of the role in one version. Labels are compared by their text, so a message that has other fields
// in the other version gets another name here: "charge (old.treaty)" is not "charge (new.treaty)".
class Part {
public:
    Part(const PartVersion& version, model::Machine machine)
        : version_(version), machine_(std::move(machine)), alphabet_(std::make_shared<model::Alphabet>()) {
        const model::Alphabet& own = machine_.alphabet();
        for (std::size_t i = 1; i < own.label_count(); ++i) {
            model::Event event = own.event(LabelId(i));
            if (event.from) event.from = alphabet_->role(own.name(event.from));
            if (event.to) event.to = alphabet_->role(own.name(event.to));
            event.message = renamed(event.message);
            labels_.push_back(alphabet_->label(event));
        }
    }

    const PartVersion& version() const { return version_; }

    // Whether values can decide what the role does.
    bool has_data() const {
        if (machine_.has_data()) return true;
        for (StateId s(0u); s.index < machine_.state_count(); ++s.index)
            for (const model::Edge& edge : machine_.out(s)) {
                MessageId message = machine_.alphabet().event(edge.label).message;
                if (message && version_.specification.message(message).where) return true;
            }
        return false;
    }

    model::Machine without_data() const {
        model::MachineBuilder builder(machine_.name(), alphabet_);
        for (StateId s(0u); s.index < machine_.state_count(); ++s.index) builder.state(machine_.final(s));
        for (StateId s(0u); s.index < machine_.state_count(); ++s.index)
            for (std::size_t i = 0; i < machine_.out(s).size(); ++i) {
                const model::Edge& edge = machine_.out(s)[i];
                builder.edge(s, label(edge.label), edge.target, machine_.node(s, i));
            }
        return builder.finish().value();
    }

    model::SymbolicGraph with_data() const {
        model::SymbolicGraph graph = symbolic::machine_graph(machine_, &version_.specification);
        for (model::GraphState& state : graph.states)
            for (model::GraphEdge& edge : state.out) edge.label = label(edge.label);
        auto payload = std::exchange(graph.payload, {});
        for (auto& [message, variables] : payload)
            if (auto known = messages_.find(message); known != messages_.end())
                graph.payload[known->second] = std::move(variables);
        graph.alphabet = alphabet_;
        return graph;
    }

    bool silent() const {
        for (StateId s(0u); s.index < machine_.state_count(); ++s.index)
            for (const model::Edge& edge : machine_.out(s))
                if (edge.label == machine_.alphabet().silent()) return true;
        return false;
    }

    // An event of a run, with the message's own name and the line of its step.
    model::RunEvent event(const model::Alphabet& alphabet, LabelId label, model::NodeId node,
                          const base::SourceMap& sources) const {
        model::RunEvent event = model::event_of(alphabet, label);
        // It is the role's run, so there is no need to tell what it sends from what it receives.
        if (event.direction != model::Direction::none) event.direction = model::Direction::both;
        if (auto known = names_.find(event.message); known != names_.end())
            event.message = version_.specification.alphabet->name(known->second);
        event.line = model::line_of(&version_.protocol, node, sources);
        return event;
    }

    // What only this version allows at the end of a run; `last` is the event, or none for an end.
    std::string only_here(const model::Alphabet& alphabet, LabelId last) const {
        if (!last) return fmt::format("only {} lets it end here", version_.file);
        auto known = names_.find(model::event_of(alphabet, last).message);
        if (known == names_.end()) return fmt::format("only {} allows this", version_.file);
        return fmt::format("only {} has this declaration of {}", version_.file,
                           version_.specification.alphabet->name(known->second));
    }

private:
    LabelId label(LabelId own) const { return own.index == 0 ? own : labels_[own.index - 1]; }

    MessageId renamed(MessageId own) {
        std::string name(machine_.alphabet().name(own));
        if (version_.changed_messages.contains(name)) {
            name = fmt::format("{} ({})", signature_of(version_.specification, own), version_.file);
            names_[name] = own;
        }
        return messages_[own] = alphabet_->message(name);
    }

    const PartVersion& version_;
    model::Machine machine_;
    std::shared_ptr<model::Alphabet> alphabet_;
    std::vector<LabelId> labels_;                         // by own label, the silent one left out
    absl::flat_hash_map<MessageId, MessageId> messages_;  // by own message
    absl::flat_hash_map<std::string, MessageId> names_;   // own messages that are called differently here
};

PartComparison undecided(std::string reason) {
    return {Verdict::undecided, std::move(reason), {}, {}};
}

// The steps of a counterexample: those with an event, in order.
model::Run run_of(const Part& part, const model::Machine& machine, const explore::Counterexample& found,
                  const base::SourceMap& sources) {
    model::Run run;
    std::size_t events = 0;
    auto add = [&](StateId from, std::optional<StateId> to) {
        auto edges = machine.out(from);
        for (std::size_t i = 0; events < found.trace.size() && i < edges.size(); ++i) {
            if (edges[i].label != found.trace[events] || (to && edges[i].target != *to)) continue;
            run.events.push_back(
                part.event(machine.alphabet(), edges[i].label, machine.node(from, i), sources));
            ++events;
            return;
        }
    };
    for (std::size_t i = 0; i + 1 < found.states.size(); ++i) add(found.states[i], found.states[i + 1]);
    bool event = found.violation == explore::Violation::event;
    if (event) {
        add(found.states.back(), std::nullopt);
        run.failing = run.events.size() - 1;
    }
    run.ending = part.only_here(machine.alphabet(), event ? found.trace.back() : LabelId());
    return run;
}

// "only new.treaty allows B -> A: partly (line 9), after 2 events"
std::string describe(const model::Run& run, const std::string& file) {
    std::size_t before = run.events.size() - (run.failing ? 1 : 0);
    std::string what = "it to end";
    if (run.failing) {
        const model::RunEvent& last = run.events.back();
        what = model::print(last);
        if (last.line > 0) what += fmt::format(" (line {})", last.line);
    }
    return fmt::format("only {} allows {}{}", file, what,
                       before == 0 ? "" : fmt::format(", after {}", base::counted(before, "event")));
}

void conclude(PartComparison& found, const PartVersion& before, const PartVersion& after) {
    found.verdict = Verdict::fails;
    if (found.only_after) found.reason = describe(*found.only_after, after.file);
    if (!found.only_before) return;
    if (!found.reason.empty()) found.reason += "; ";
    found.reason += describe(*found.only_before, before.file);
}

PartComparison compare_events(const Inquiry& inquiry, const Part& before, const Part& after) {
    model::Machine old_machine = before.without_data(), new_machine = after.without_data();
    explore::RefineOptions options;
    options.limits = inquiry.context.search_limits();
    PartComparison found;
    auto more = [&](const model::Machine& less, const model::Machine& machine, const Part& part,
                    std::optional<model::Run>& run) {
        explore::MachineGraph allowed(less), doing(machine);
        explore::RefineReport report = explore::refines(allowed, doing, options);
        if (report.counterexample) run = run_of(part, machine, *report.counterexample, inquiry.sources());
        if (report.answer == Verdict::undecided) found = undecided(report.reason);
    };
    more(old_machine, new_machine, after, found.only_after);
    more(new_machine, old_machine, before, found.only_before);
    if (found.only_after || found.only_before) conclude(found, before.version(), after.version());
    return found;
}

// Conformance hides what the specification does not mention. A state that nothing leads to mentions it all.
void mention(model::SymbolicGraph& graph, const model::SymbolicGraph& other) {
    model::GraphStateId unreached = graph.states.next_id();
    graph.states.emplace_back();
    for (LabelId label : symbolic::labels_of(other)) {
        if (label.index == 0) continue;
        model::Event event = other.alphabet->event(label);
        event.from = graph.alphabet->role(other.alphabet->name(event.from));
        event.to = graph.alphabet->role(other.alphabet->name(event.to));
        event.message = graph.alphabet->message(other.alphabet->name(event.message));
        model::GraphEdge edge;
        edge.label = graph.alphabet->label(event);
        edge.target = unreached;
        graph.states[unreached].out.push_back(std::move(edge));
    }
}

PartComparison compare_values(const Inquiry& inquiry, const Part& before, const Part& after) {
    // Only the implementation may have silent steps.
    bool swapped = before.silent();
    const Part& implementation = swapped ? before : after;
    const Part& specification = swapped ? after : before;
    model::SymbolicGraph mine = implementation.with_data(), theirs = specification.with_data();
    mention(theirs, mine);
    symbolic::ConformReport report = symbolic::conform(mine, theirs, inquiry.context.conformance_limits());
    if (!report.incomparable.empty()) return undecided(report.incomparable);
    const symbolic::Conformance& outcome = report.conformance;
    if (outcome.answer == Verdict::holds) return {};
    if (outcome.answer == Verdict::undecided) return undecided(outcome.reason);
    const symbolic::Mismatch& mismatch = outcome.mismatch;
    const model::Alphabet& alphabet = *report.specification.alphabet;
    auto part_of = [&](symbolic::Mover mover) -> const Part& {
        return mover == symbolic::Mover::implementation ? implementation : specification;
    };
    model::Run run;
    for (const symbolic::ConformanceStep& step : mismatch.run) {
        run.events.push_back(part_of(step.mover).event(alphabet, step.label, step.node, inquiry.sources()));
        model::add_values(run.events.back(), *report.specification.pool, step.data);
    }
    PartComparison found;
    if (!mismatch.alone) {
        run.ending = "the versions differ from here on";
        found.verdict = Verdict::fails;
        found.reason = fmt::format("they differ after {}", base::counted(run.events.size(), "event"));
        found.only_after = std::move(run);
        return found;
    }
    const Part& alone = part_of(*mismatch.alone);
    if (!mismatch.ending) run.failing = run.events.size() - 1;
    run.ending = alone.only_here(alphabet, mismatch.ending ? LabelId() : mismatch.run.back().label);
    (&alone == &after ? found.only_after : found.only_before) = std::move(run);
    conclude(found, before.version(), after.version());
    return found;
}

// The messages of the role, with how long their senders may take.
std::set<std::pair<std::string, std::int64_t>> time_limits(const PartVersion& version, model::RoleId role) {
    std::set<std::pair<std::string, std::int64_t>> all;
    const model::Alphabet& names = *version.specification.alphabet;
    for (model::NodeId id(0u); id.index < version.protocol.size(); ++id.index) {
        const model::Node& node = version.protocol[id];
        if (node.kind != model::NodeKind::interaction || (node.role != role && node.to != role)) continue;
        all.emplace(
            fmt::format("{} -> {}: {}", names.name(node.role), names.name(node.to), names.name(node.message)),
            node.within_ns);
    }
    return all;
}

}  // namespace

PartComparison compare_parts(const Inquiry& inquiry, const PartVersion& before, const PartVersion& after,
                             const std::string& role) {
    auto role_in = [&](const PartVersion& version) {
        return version.specification.alphabet->find_role(role);
    };
    auto project = [&](const PartVersion& version) {
        return choreo::project(version.specification, version.protocol, role_in(version),
                               inquiry.context.machine_limits());
    };
    choreo::MachineResult old_machine = project(before), new_machine = project(after);
    if (!old_machine) return undecided(fmt::format("{}: {}", before.file, old_machine.reason));
    if (!new_machine) return undecided(fmt::format("{}: {}", after.file, new_machine.reason));
    Part old_part(before, std::move(*old_machine.machine)), new_part(after, std::move(*new_machine.machine));
    PartComparison found = old_part.has_data() || new_part.has_data()
                               ? compare_values(inquiry, old_part, new_part)
                               : compare_events(inquiry, old_part, new_part);
    if (found.verdict != Verdict::holds) return found;
    auto old_times = time_limits(before, role_in(before)), new_times = time_limits(after, role_in(after));
    std::vector<std::pair<std::string, std::int64_t>> differ;
    std::ranges::set_symmetric_difference(old_times, new_times, std::back_inserter(differ));
    if (differ.empty()) return found;
    return {Verdict::fails, fmt::format("the time limit (within) of {} changed", differ[0].first), {}, {}};
}

}  // namespace treaty::api
