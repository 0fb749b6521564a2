#include "testgen/lift_mutants.h"

#include <map>
#include <utility>
#include <vector>

namespace treaty::testgen {
namespace {

using model::EventKind;
using model::StateId;

class Lifting {
public:
    Lifting(const Mutant& mutant, const model::Machine& original, const model::Machine& with_data,
            const model::Specification& specification)
        : mutant_(mutant),
          original_(original),
          with_data_(with_data),
          specification_(specification),
          builder_(with_data.name(), with_data.alphabet_ptr(), with_data.role(), with_data.pool()) {}

    std::optional<model::Machine> run() {
        meet(with_data_.initial(), original_.initial());
        for (std::size_t i = 0; i < places_.size(); ++i) {
            auto [state, plain] = places_[i];  // a copy: places_ grows
            for (std::size_t e = 0; e < with_data_.out(state).size(); ++e)
                if (!follow(ids_[{state, plain}], state, plain, e)) return std::nullopt;
        }
        return builder_.finish();
    }

private:
    StateId meet(StateId state, StateId plain) {
        auto [place, added] = ids_.try_emplace({state, plain});
        if (added) {
            place->second = builder_.state(with_data_.final(state));
            places_.emplace_back(state, plain);
        }
        return place->second;
    }

    const model::EdgeData& data_of(StateId state, std::size_t e) const {
        static const model::EdgeData none;
        return with_data_.has_data() ? with_data_.data(state, e) : none;
    }

    // Nothing if the machine without data does not go there.
    std::optional<StateId> plain_target(StateId plain, model::LabelId label) const {
        if (label == with_data_.alphabet().silent()) return plain;
        for (const model::Edge& edge : original_.out(plain))
            if (edge.label == label) return edge.target;
        return std::nullopt;
    }

    bool follow(StateId here, StateId state, StateId plain, std::size_t e) {
        const model::Edge& edge = with_data_.out(state)[e];
        auto target = plain_target(plain, edge.label);
        if (!target) return false;
        if (mutant_.op == Operator::remove_state && *target == mutant_.state) return true;
        const model::EdgeData& data = data_of(state, e);
        model::NodeId node = with_data_.node(state, e);
        bool changed = mutant_.op != Operator::remove_state && plain == mutant_.state &&
                       edge.label == original_.out(plain)[mutant_.edge].label;
        if (!changed) {
            builder_.edge(here, edge.label, meet(edge.target, *target), node, data);
            return true;
        }
        if (mutant_.op == Operator::change_direction) {
            builder_.edge(here, mutant_.label, meet(edge.target, *target), node, data);
        } else if (mutant_.op == Operator::change_message) {
            builder_.edge(here, mutant_.label, meet(edge.target, *target), node,
                          data_for(mutant_.label, state, e));
        } else if (mutant_.op == Operator::repeat_transition) {
            model::EdgeData first = data;
            first.assignments.clear();
            StateId middle = builder_.state(false);
            builder_.edge(here, edge.label, middle, node, std::move(first));
            builder_.edge(middle, edge.label, meet(edge.target, *target), node, data);
        }
        return true;
    }

    const std::vector<expr::Field>& fields(model::LabelId label) const {
        static const std::vector<expr::Field> none;
        std::size_t message = with_data_.alphabet().event(label).message.index;
        return message < specification_.messages.size() ? specification_.messages[message].fields : none;
    }

    // Of another message, in the place of this edge.
    model::EdgeData data_for(model::LabelId label, StateId state, std::size_t e) const {
        const model::EdgeData& old = data_of(state, e);
        auto edges = with_data_.out(state);
        model::EdgeData made;
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (edges[i].label == label) {
                made = data_of(state, i);
                made.guard = old.guard;
                made.assignments = old.assignments;
                return made;
            }
        const auto &before = fields(edges[e].label), &now = fields(label);
        made.guard = old.guard;
        made.assignments = old.assignments;
        bool all = before.size() == now.size();
        for (std::size_t f = 0; f < now.size(); ++f) {
            bool same = f < before.size() && f < old.data.size() && before[f].type == now[f].type;
            made.data.push_back(same ? old.data[f] : model::Argument{});
            all = all && same;
        }
        if (all) made.where = old.where;
        return made;
    }

    const Mutant& mutant_;
    const model::Machine& original_;
    const model::Machine& with_data_;
    const model::Specification& specification_;
    model::MachineBuilder builder_;
    std::map<std::pair<StateId, StateId>, StateId> ids_;
    std::vector<std::pair<StateId, StateId>> places_;
};

}  // namespace

std::optional<model::Machine> lift(const Mutant& mutant, const model::Machine& original,
                                   const model::Machine& with_data,
                                   const model::Specification& specification) {
    return Lifting(mutant, original, with_data, specification).run();
}

}  // namespace treaty::testgen
