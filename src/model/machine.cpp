#include "model/machine.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace treaty::model {

bool operator==(const EdgeData& a, const EdgeData& b) {
    auto same_argument = [](const Argument& x, const Argument& y) {
        return x.bind == y.bind && x.value == y.value;
    };
    return a.guard == b.guard && a.where == b.where && a.assignments == b.assignments &&
           std::equal(a.data.begin(), a.data.end(), b.data.begin(), b.data.end(), same_argument);
}

Machine Machine::over(std::shared_ptr<Alphabet> alphabet, std::shared_ptr<expr::Pool> pool) const {
    Machine result = *this;
    result.alphabet_ = std::move(alphabet);
    result.pool_ = std::move(pool);
    return result;
}

bool same_machine(const Machine& a, const Machine& b) {
    if (a.state_count() != b.state_count() || a.edge_count() != b.edge_count()) return false;
    bool one_alphabet = a.alphabet_ptr() == b.alphabet_ptr();
    for (std::size_t i = 0; i < a.state_count(); ++i) {
        StateId s(i);
        if (a.final(s) != b.final(s)) return false;
        auto x = a.out(s), y = b.out(s);
        if (x.size() != y.size()) return false;
        auto text = [&](const Machine& m, std::span<const Edge> edges) {
            std::vector<std::pair<std::string, std::uint32_t>> all;
            for (const Edge& e : edges) all.emplace_back(m.alphabet().print(e.label), e.target.index);
            std::sort(all.begin(), all.end());
            return all;
        };
        bool equal = one_alphabet ? std::equal(x.begin(), x.end(), y.begin()) : text(a, x) == text(b, y);
        if (!equal) return false;
    }
    return true;
}

MachineBuilder::MachineBuilder(std::string name, std::shared_ptr<Alphabet> alphabet, RoleId role,
                               std::shared_ptr<expr::Pool> pool) {
    machine_.name_ = std::move(name);
    machine_.alphabet_ = std::move(alphabet);
    machine_.role_ = role;
    machine_.pool_ = std::move(pool);
}

StateId MachineBuilder::state(bool final, std::string name) {
    finals_.push_back(final);
    if (!name.empty() || !names_.empty()) {
        names_.resize(finals_.size());
        names_.back() = std::move(name);
    }
    return StateId(finals_.size() - 1);
}

void MachineBuilder::set_final(StateId s, bool final) {
    finals_[s.index] = final;
}

void MachineBuilder::edge(StateId from, LabelId label, StateId to, NodeId node, EdgeData data) {
    std::uint32_t data_index = 0;
    if (!data.empty()) {
        if (machine_.data_.empty()) machine_.data_.emplace_back();
        auto [known, added] = data_ids_.try_emplace(data, static_cast<std::uint32_t>(machine_.data_.size()));
        data_index = known->second;
        if (added) machine_.data_.push_back(std::move(data));
    }
    if (node) any_node_ = true;
    pending_.push_back({from, {label, to}, data_index, node});
}

std::optional<Machine> MachineBuilder::finish() {
    std::size_t states = finals_.size();
    if (states == 0)
        fault_ = "a machine needs a state";
    else if (initial_.index >= states)
        fault_ = "the initial state is unknown";
    for (const Pending& p : pending_) {
        if (p.from.index >= states || p.edge.target.index >= states) fault_ = "an edge uses an unknown state";
        if (p.edge.label.index >= machine_.alphabet_->label_count()) fault_ = "an edge has an unknown label";
    }
    if (!fault_.empty()) return std::nullopt;

    // The initial state becomes 0 by changing places with it.
    auto renumber = [&](StateId s) { return s == initial_ ? StateId(0u) : s.index == 0 ? initial_ : s; };
    for (Pending& p : pending_) {
        p.from = renumber(p.from);
        p.edge.target = renumber(p.edge.target);
    }
    std::vector<bool>::swap(finals_[0], finals_[initial_.index]);
    if (!names_.empty()) {
        names_.resize(states);
        std::swap(names_[0], names_[initial_.index]);
    }

    auto key = [](const Pending& p) { return std::tuple(p.from, p.edge, p.data); };
    std::stable_sort(pending_.begin(), pending_.end(),
                     [&](const Pending& a, const Pending& b) { return key(a) < key(b); });
    auto last = std::unique(pending_.begin(), pending_.end(),
                            [&](const Pending& a, const Pending& b) { return key(a) == key(b); });
    pending_.erase(last, pending_.end());

    machine_.rows_.assign(states + 1, 0);
    machine_.edges_.reserve(pending_.size());
    for (const Pending& p : pending_) {
        ++machine_.rows_[p.from.index + 1];
        machine_.edges_.push_back(p.edge);
        if (!machine_.data_.empty()) machine_.edge_data_.push_back(p.data);
        if (any_node_) machine_.edge_nodes_.push_back(p.node);
    }
    for (std::size_t s = 0; s < states; ++s) machine_.rows_[s + 1] += machine_.rows_[s];
    machine_.finals_ = std::move(finals_);
    machine_.state_names_ = std::move(names_);
    return std::move(machine_);
}

}  // namespace treaty::model
