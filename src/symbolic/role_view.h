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

#include "symbolic/graph.h"

namespace treaty::symbolic {

class RoleView {
public:
    // with_guards: whether what is sent under different guards differs.
    RoleView(const Graph& graph, model::RoleId role, bool with_guards);

    bool mine(const GraphEdge& edge) const {
        return graph_.sender(edge) == role_ || graph_.receiver(edge) == role_;
    }
    // The labels of its first events from a state on, and whether all may end without one.
    struct First {
        std::map<LabelId, std::set<std::size_t>> events;  // and the classes they lead to
        bool end = false;
        bool all_received = true;
    };
    First first(Place s) const;
    std::size_t class_of(Place s) const { return classes_[same_[s]]; }

    template <class Visit>  // visit(label), for each of its first events from the state on
    void each_first(Place s, Visit visit) const {
        for (const Event& event : events_[same_[s]]) visit(event.label);
    }

private:
    struct Event {
        LabelId label;
        std::size_t how = 0;  // number of its conditions and updates, as far as the role has to do with them
        Place target = 0;
        auto operator<=>(const Event&) const = default;
    };
    using How = std::tuple<ExprId, ExprId, std::vector<std::pair<VarId, ExprId>>>;

    Event event_of(const GraphEdge& edge);
    void find_same();
    void find_firsts();
    std::size_t refine();

    const Graph& graph_;
    model::RoleId role_;
    bool with_guards_;
    std::map<How, std::size_t> hows_;
    std::vector<Place> same_;  // by state: the one that represents it
    std::vector<std::set<Event>>
        events_;  // its first events from the state on; of those that represent others
    std::vector<bool> ends_;
    std::vector<std::size_t> classes_;
};

// What somebody may be ready to send to a role before the role itself does anything: by state, the messages
// to it that their senders may send first from there on, or from a state that others come to without it.
class Awaiting {
public:
    // view_of gives the view of each role by its position.
    Awaiting(const Graph& graph, const std::vector<model::RoleId>& roles,
             const std::function<const RoleView&(std::size_t)>& view_of);

    bool may_come(std::size_t role, Place s, LabelId label) const { return labels_[role][s].contains(label); }

private:
    static void carry_back(const Graph& graph, model::RoleId role, std::vector<std::set<LabelId>>& labels);

    std::vector<std::vector<std::set<LabelId>>> labels_;  // by role, by state
};

}  // namespace treaty::symbolic
