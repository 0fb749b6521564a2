// States are finished in the order in which a depth-first walk over silent edges leaves them, so the edges
// after a silent edge are already without foldable silent ones when it is folded.
#include "choreo/fold_silent_data.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "base/check.h"
#include "choreo/edge_symbols.h"
#include "choreo/remove_silent.h"

namespace treaty::choreo {
namespace {

using expr::ExprId;
using expr::VarId;
using model::EdgeData;
using model::Machine;
using model::StateId;

struct DataEdge {
    model::LabelId label;
    StateId target;
    model::NodeId node;
    EdgeData data;
};

class Folder {
public:
    explicit Folder(const Machine& machine)
        : machine_(machine), pool_(*machine.pool()), mark_(machine.state_count(), 0) {
        edges_.resize(machine.state_count());
        for (std::size_t s = 0; s < machine.state_count(); ++s) {
            auto out = machine.out(StateId(s));
            for (std::size_t i = 0; i < out.size(); ++i)
                edges_[s].push_back(
                    {out[i].label, out[i].target, machine.node(StateId(s), i), machine.data(StateId(s), i)});
        }
        budget_ = 4 * machine.edge_count() + 64;
    }

    Machine run() {
        for (std::size_t s = 0; s < edges_.size(); ++s) visit(static_cast<std::uint32_t>(s));
        model::MachineBuilder builder(machine_.name(), machine_.alphabet_ptr(), machine_.role(),
                                      machine_.pool());
        for (std::size_t s = 0; s < edges_.size(); ++s)
            builder.state(machine_.final(StateId(s)), std::string(machine_.state_name(StateId(s))));
        for (std::size_t s = 0; s < edges_.size(); ++s)
            for (DataEdge& e : edges_[s])
                builder.edge(StateId(s), e.label, e.target, e.node, std::move(e.data));
        auto result = builder.finish();
        TREATY_CHECK(result.has_value());
        return remove_silent(*result);  // drops what cannot be reached any more
    }

private:
    static bool silent(const DataEdge& e) { return e.label.index == 0; }

    // Depth-first over silent edges, with a stack of its own.
    void visit(std::uint32_t root) {
        if (mark_[root] != 0) return;
        std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
        mark_[root] = open;
        while (!stack.empty()) {
            auto& [s, i] = stack.back();
            if (i < edges_[s].size()) {
                const DataEdge& e = edges_[s][i++];
                if (silent(e) && mark_[e.target.index] == 0) {
                    mark_[e.target.index] = open;
                    stack.push_back({e.target.index, 0});
                }
            } else {
                fold(s);
                mark_[s] = done;
                stack.pop_back();
            }
        }
    }

    void fold(std::uint32_t s) {
        std::vector<DataEdge> result;
        for (DataEdge& e : edges_[s]) {
            auto rest = silent(e) ? compose(e) : std::nullopt;
            if (!rest)
                result.push_back(std::move(e));
            else
                result.insert(result.end(), std::make_move_iterator(rest->begin()),
                              std::make_move_iterator(rest->end()));
        }
        edges_[s] = std::move(result);
    }

    std::optional<std::vector<DataEdge>> compose(const DataEdge& first) {
        const auto& rest = edges_[first.target.index];
        if (mark_[first.target.index] != done || machine_.final(first.target) || rest.size() > budget_)
            return std::nullopt;
        absl::flat_hash_map<VarId, ExprId> values;
        std::vector<VarId> touched;
        for (const model::Assignment& a : first.data.assignments) {
            auto read = pool_.variables_of(a.value);
            touched.insert(touched.end(), read.begin(), read.end());
            touched.push_back(a.variable);
            values[a.variable] = expr::substitute(pool_, a.value, values);
        }
        std::vector<DataEdge> result;
        for (const DataEdge& second : rest) {
            for (const model::Argument& a : second.data.data)
                if (a.bind && std::find(touched.begin(), touched.end(), a.bind) != touched.end())
                    return std::nullopt;
            result.push_back(together(first, second, values));
        }
        budget_ -= rest.size();
        return result;
    }

    DataEdge together(const DataEdge& first, const DataEdge& second,
                      const absl::flat_hash_map<VarId, ExprId>& values) {
        auto after = [&](ExprId e) { return e ? expr::substitute(pool_, e, values) : e; };
        DataEdge both = second;
        both.data.guard = after(second.data.guard);
        if (first.data.guard)
            both.data.guard =
                both.data.guard ? pool_.logical_and(first.data.guard, both.data.guard) : first.data.guard;
        both.data.where = after(second.data.where);
        for (model::Argument& a : both.data.data) a.value = after(a.value);
        both.data.assignments = first.data.assignments;
        both.data.assignments.insert(both.data.assignments.end(), second.data.assignments.begin(),
                                     second.data.assignments.end());
        return both;
    }

    static constexpr char open = 1, done = 2;
    const Machine& machine_;
    expr::Pool& pool_;
    std::vector<std::vector<DataEdge>> edges_;
    std::vector<char> mark_;
    std::size_t budget_ = 0;
};

}  // namespace

Machine fold_silent_data(const Machine& machine) {
    if (!machine.has_data() || !machine.pool()) return machine;
    return Folder(machine).run();
}

}  // namespace treaty::choreo
