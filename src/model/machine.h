// Machine: states and labelled transitions, with or without data. Frozen once built.
//
// A CFSM, an LTS, a symbolic transition graph and a CSP process are all machines. State 0 is initial.
// out(s) is sorted by (label, target) and has no duplicates, so the same machine prints the same bytes
// whatever order it was built in. Reading it from many threads is safe. Cost: 8 bytes per edge, 4 per state,
// plus 4 an edge when it carries data; out(s) is O(1). Configurations of several machines: explore/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/pool.h"
#include "model/alphabet.h"
#include "model/net.h"
#include "model/protocol.h"

namespace treaty::model {

using StateId = base::Id<struct StateTag>;

struct Edge {
    LabelId label;
    StateId target;
    friend auto operator<=>(const Edge&, const Edge&) = default;
};

// What an edge of a machine with data adds to its label.
struct EdgeData {
    expr::ExprId guard;
    std::vector<Argument> data;
    expr::ExprId where;
    std::vector<Assignment> assignments;
    friend bool operator==(const EdgeData& a, const EdgeData& b);
    bool empty() const { return !guard && data.empty() && !where && assignments.empty(); }
    template <typename H>
    friend H AbslHashValue(H h, const EdgeData& d) {
        for (const Argument& a : d.data) h = H::combine(std::move(h), a.bind, a.value);
        for (const Assignment& a : d.assignments) h = H::combine(std::move(h), a.variable, a.value);
        return H::combine(std::move(h), d.guard, d.where, d.data.size());
    }
};

class Machine {
public:
    const std::string& name() const { return name_; }
    RoleId role() const { return role_; }  // whose machine it is; none for global ones
    const Alphabet& alphabet() const { return *alphabet_; }
    const std::shared_ptr<Alphabet>& alphabet_ptr() const { return alphabet_; }
    const std::shared_ptr<expr::Pool>& pool() const { return pool_; }  // null without data

    // The same over copies of its tables, in which all ids mean the same.
    Machine over(std::shared_ptr<Alphabet> alphabet, std::shared_ptr<expr::Pool> pool) const;

    std::size_t state_count() const { return rows_.size() - 1; }
    std::size_t edge_count() const { return edges_.size(); }
    StateId initial() const { return StateId(0u); }
    std::span<const Edge> out(StateId s) const {
        return std::span(edges_).subspan(rows_[s.index], rows_[s.index + 1] - rows_[s.index]);
    }
    bool final(StateId s) const { return finals_[s.index]; }
    bool has_data() const { return !data_.empty(); }
    // Of the i-th edge of out(s); valid only if has_data().
    const EdgeData& data(StateId s, std::size_t i) const { return data_[edge_data_[rows_[s.index] + i]]; }
    // The steps of the protocol the i-th edge of out(s) comes from; none where unknown.
    NodeId node(StateId s, std::size_t i) const {
        return edge_nodes_.empty() ? NodeId() : edge_nodes_[rows_[s.index] + i];
    }
    // The state's name in the file it came from; empty if it had none.
    std::string_view state_name(StateId s) const {
        return state_names_.empty() ? std::string_view() : std::string_view(state_names_[s.index]);
    }

private:
    friend class MachineBuilder;
    std::string name_;
    RoleId role_;
    std::shared_ptr<Alphabet> alphabet_;
    std::shared_ptr<expr::Pool> pool_;
    std::vector<std::uint32_t> rows_{0};
    std::vector<Edge> edges_;
    std::vector<bool> finals_;
    std::vector<EdgeData> data_;            // distinct ones; [0] is empty
    std::vector<std::uint32_t> edge_data_;  // parallel to edges_, or empty
    std::vector<NodeId> edge_nodes_;        // parallel to edges_, or empty
    std::vector<std::string> state_names_;
};

// Structural equality: same states in the same order, same edges, same finals; names of states and source
// nodes do not count. Labels are compared by their text if the alphabets differ.
bool same_machine(const Machine& a, const Machine& b);

class MachineBuilder {
public:
    MachineBuilder(std::string name, std::shared_ptr<Alphabet> alphabet, RoleId role = {},
                   std::shared_ptr<expr::Pool> pool = nullptr);

    StateId state(bool final = false, std::string name = {});  // the first is state 0
    void set_final(StateId s, bool final = true);
    void edge(StateId from, LabelId label, StateId to, NodeId node = {}, EdgeData data = {});
    void set_initial(StateId s) { initial_ = s; }  // states are renumbered so that this one is 0
    Alphabet& alphabet() { return *machine_.alphabet_; }
    std::size_t state_count() const { return finals_.size(); }

    // Refuses edges to unknown states, unknown labels, and a machine without a state.
    std::optional<Machine> finish();
    const std::string& fault() const { return fault_; }

private:
    struct Pending {
        StateId from;
        Edge edge;
        std::uint32_t data;
        NodeId node;
    };
    Machine machine_;
    std::vector<Pending> pending_;
    absl::flat_hash_map<EdgeData, std::uint32_t> data_ids_;
    std::vector<bool> finals_;
    std::vector<std::string> names_;
    StateId initial_{0u};
    std::string fault_;
    bool any_node_ = false;
};

}  // namespace treaty::model
