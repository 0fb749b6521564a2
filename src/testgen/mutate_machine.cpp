#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "choreo/project.h"
#include "testgen/lift_mutants.h"
#include "testgen/mutants.h"

namespace treaty::testgen {
namespace {

using model::EventKind;
using model::StateId;

struct Place {
    StateId state;
    std::uint32_t edge;
};

// The machine with what happens to each of its edges decided by the caller.
template <class EdgeOf>
model::Machine rebuilt(const model::Machine& machine, std::size_t more_states, EdgeOf&& put) {
    model::MachineBuilder builder(machine.name(), machine.alphabet_ptr(), machine.role());
    for (std::size_t s = 0; s < machine.state_count(); ++s) builder.state(machine.final(StateId(s)));
    for (std::size_t s = 0; s < more_states; ++s) builder.state(false);
    for (std::size_t s = 0; s < machine.state_count(); ++s) {
        auto edges = machine.out(StateId(s));
        for (std::uint32_t i = 0; i < edges.size(); ++i) put(builder, Place{StateId(s), i}, edges[i]);
    }
    return builder.finish().value();
}

class MachineMutator {
public:
    explicit MachineMutator(const model::Machine& machine)
        : machine_(machine), alphabet_(*machine.alphabet_ptr()) {}

    std::vector<Mutant> run() {
        for_each_edge([&](Place at, const model::Edge& edge) {
            if (alphabet_.event(edge.label).kind == EventKind::send) remove_output(at, edge);
        });
        for_each_edge([&](Place at, const model::Edge& edge) { change_message(at, edge); });
        for_each_edge([&](Place at, const model::Edge& edge) { change_direction(at, edge); });
        for (std::size_t s = 1; s < machine_.state_count(); ++s) remove_state(StateId(s));
        for_each_edge([&](Place at, const model::Edge& edge) { repeat_transition(at, edge); });
        return std::move(mutants_);
    }

private:
    template <class F>
    void for_each_edge(F&& f) const {
        for (std::size_t s = 0; s < machine_.state_count(); ++s) {
            auto edges = machine_.out(StateId(s));
            for (std::uint32_t i = 0; i < edges.size(); ++i)
                if (edges[i].label != alphabet_.silent()) f(Place{StateId(s), i}, edges[i]);
        }
    }

    void add(Operator op, Place at, std::string what, model::Machine machine, model::LabelId label = {}) {
        model::NodeId node = at.edge == UINT32_MAX ? model::NodeId() : machine_.node(at.state, at.edge);
        mutants_.push_back(
            {op, std::move(machine), std::move(what), node, at.state, at.edge, label, {}, {}, {}, {}, {}});
    }

    model::Machine with_label(Place at, model::LabelId label) const {
        return rebuilt(machine_, 0, [&](model::MachineBuilder& builder, Place here, const model::Edge& edge) {
            bool changed = here.state == at.state && here.edge == at.edge;
            builder.edge(here.state, changed ? label : edge.label, edge.target,
                         machine_.node(here.state, here.edge));
        });
    }

    void remove_output(Place at, const model::Edge& edge) {
        add(Operator::remove_output, at, fmt::format("{} is removed", alphabet_.print(edge.label)),
            rebuilt(machine_, 0, [&](model::MachineBuilder& builder, Place here, const model::Edge& e) {
                if (here.state != at.state || here.edge != at.edge)
                    builder.edge(here.state, e.label, e.target, machine_.node(here.state, here.edge));
            }));
    }

    void change_message(Place at, const model::Edge& edge) {
        model::Event event = alphabet_.event(edge.label);
        std::set<model::MessageId> others;
        for_each_edge([&](Place, const model::Edge& other) {
            const model::Event& e = alphabet_.event(other.label);
            if (e.kind == event.kind && e.from == event.from && e.to == event.to &&
                e.message != event.message)
                others.insert(e.message);
        });
        others.insert(alphabet_.message("(unknown)"));
        for (model::MessageId message : others) {
            event.message = message;
            model::LabelId label = alphabet_.label(event);
            add(Operator::change_message, at,
                fmt::format("{} becomes {}", alphabet_.print(edge.label), alphabet_.print(label)),
                with_label(at, label), label);
        }
    }

    void change_direction(Place at, const model::Edge& edge) {
        const model::Event event = alphabet_.event(edge.label);
        bool send = event.kind == EventKind::send;
        model::LabelId label = send ? alphabet_.receive(event.to, event.from, event.message)
                                    : alphabet_.send(event.to, event.from, event.message);
        add(Operator::change_direction, at,
            fmt::format("{} becomes {}", alphabet_.print(edge.label), alphabet_.print(label)),
            with_label(at, label), label);
    }

    void remove_state(StateId gone) {
        // States keep their numbers; the one that is gone can no longer be reached.
        auto machine =
            rebuilt(machine_, 0, [&](model::MachineBuilder& builder, Place here, const model::Edge& edge) {
                if (here.state != gone && edge.target != gone)
                    builder.edge(here.state, edge.label, edge.target, machine_.node(here.state, here.edge));
            });
        add(Operator::remove_state, {gone, UINT32_MAX}, fmt::format("state {} is removed", gone.index),
            std::move(machine));
    }

    void repeat_transition(Place at, const model::Edge& edge) {
        StateId middle(machine_.state_count());
        add(Operator::repeat_transition, at, fmt::format("{} must happen twice", alphabet_.print(edge.label)),
            rebuilt(machine_, 1, [&](model::MachineBuilder& builder, Place here, const model::Edge& e) {
                bool changed = here.state == at.state && here.edge == at.edge;
                model::NodeId node = machine_.node(here.state, here.edge);
                builder.edge(here.state, e.label, changed ? middle : e.target, node);
                if (changed) builder.edge(middle, e.label, e.target, node);
            }));
    }

    const model::Machine& machine_;
    model::Alphabet& alphabet_;
    std::vector<Mutant> mutants_;
};

}  // namespace

std::string_view to_string(Operator op) {
    switch (op) {
        case Operator::remove_output: return "remove output";
        case Operator::change_message: return "change message";
        case Operator::change_direction: return "change direction";
        case Operator::remove_state: return "remove state";
        case Operator::repeat_transition: return "repeat transition";
        case Operator::drop: return "drop";
        case Operator::duplicate: return "duplicate";
        case Operator::swap: return "swap";
        case Operator::redirect: return "redirect";
        case Operator::move_branch: return "move branch";
        case Operator::change_data: return "change data";
    }
    return {};
}

std::string_view short_name(Operator op) {
    switch (op) {
        case Operator::remove_output: return "RMO";
        case Operator::change_message: return "CML";
        case Operator::change_direction: return "CIT";
        case Operator::remove_state: return "RST";
        case Operator::repeat_transition: return "RTR";
        default: return to_string(op);
    }
}

std::vector<Mutant> mutate_machine(const model::Machine& machine) {
    return MachineMutator(machine).run();
}

std::vector<Mutant> mutate_machine(const Projections& projections, model::RoleId cut) {
    const model::Machine& original = projections.machines[*projections.position(cut)];
    auto mutants = mutate_machine(original);
    if (!projections.has_data) return mutants;
    const model::Specification& specification = *projections.specification;
    auto with_data = choreo::project(specification, *projections.protocol, cut);
    for (Mutant& mutant : mutants)
        if (auto lifted = with_data ? lift(mutant, original, *with_data, specification) : std::nullopt)
            mutant.with_data = std::make_shared<const model::Machine>(std::move(*lifted));
    return mutants;
}

}  // namespace treaty::testgen
