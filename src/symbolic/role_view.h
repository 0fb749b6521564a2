// What one role sees of a graph.
//
// A role cannot see what others do, so from its point of view a state offers what it can do first after any
// number of their events. States that offer the role the same, now and later, are the same to it: that is
// computed by refining classes of states until they are stable. What it sends is the same only under the same
// conditions; what it receives, if it keeps the same of it.
//
// Cost: states times first events, a few rounds of each. The graph must outlive the view.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "model/symbolic_graph.h"

namespace treaty::symbolic {

using expr::ExprId;
using expr::VarId;
using model::GraphEdge;
using model::GraphState;
using model::GraphStateId;
using model::LabelId;
using model::SymbolicGraph;

class RoleView {
public:
    // with_guards: whether what is sent under different guards differs.
    RoleView(const SymbolicGraph& graph, model::RoleId role, bool with_guards);

    bool mine(const GraphEdge& edge) const {
        return graph_.sender(edge) == role_ || graph_.receiver(edge) == role_;
    }
    // The labels of its first events from a state on, and whether all may end without one.
    struct First {
        std::map<LabelId, std::set<std::size_t>> events;  // and the classes they lead to
        bool end = false;
        bool all_received = true;
    };
    First first(GraphStateId s) const;
    std::size_t class_of(GraphStateId s) const { return classes_[same_[s]]; }

    template <class Visit>  // visit(label), for each of its first events from the state on
    void each_first(GraphStateId s, Visit visit) const {
        for (const Event& event : events_[same_[s]]) visit(event.label);
    }

private:
    struct Event {
        LabelId label;
        std::size_t how = 0;  // number of its conditions and updates, as far as the role has to do with them
        GraphStateId target;
        auto operator<=>(const Event&) const = default;
    };
    using How = std::tuple<ExprId, ExprId, std::vector<std::pair<VarId, ExprId>>>;

    Event event_of(const GraphEdge& edge);
    void find_same();
    void find_firsts();
    std::size_t refine();

    const SymbolicGraph& graph_;
    model::RoleId role_;
    bool with_guards_;
    std::map<How, std::size_t> hows_;
    model::ByGraphState<GraphStateId> same_;  // by state: the one that represents it
    model::ByGraphState<std::set<Event>>
        events_;  // its first events from the state on; of those that represent others
    model::ByGraphState<bool> ends_;
    model::ByGraphState<std::size_t> classes_;
};

// What others may be ready to send to a role before the role itself does anything: by state, the messages
// to it that their senders may send first from there on, or from a state that others come to without it.
class Awaiting {
public:
    // view_of gives the view of each role by its position.
    Awaiting(const SymbolicGraph& graph, const std::vector<model::RoleId>& roles,
             const std::function<const RoleView&(std::size_t)>& view_of);

    bool may_come(std::size_t role, GraphStateId s, LabelId label) const {
        return labels_[role][s].contains(label);
    }

private:
    static void carry_back(const SymbolicGraph& graph, model::RoleId role,
                           model::ByGraphState<std::set<LabelId>>& labels);

    std::vector<model::ByGraphState<std::set<LabelId>>> labels_;  // by role, by state
};

}  // namespace treaty::symbolic
