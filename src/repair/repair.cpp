#include "repair/repair.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "repair/relevance.h"
#include "repair/suggest.h"

namespace treaty::repair {
namespace {

using model::GraphEdge;
using model::GraphEdgeId;
using model::GraphState;
using model::GraphStateId;
using model::GuardPart;
using model::SymbolicGraph;
using symbolic::CommunicationMode;
using symbolic::GuardFacts;
using symbolic::Verified;
using Kind = Problem::Kind;
using Position = Addition::Position;

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
// The width of the first pass that compares; each later one is so many times wider. Beyond the last width
// there is not enough memory.
constexpr std::size_t widening = 16;
constexpr std::size_t last_width = std::size_t{1} << 24;
// A pass ends when the fewest problems of a draft have not become fewer for so many levels.
constexpr std::size_t patience = 20;
// Verifying a draft costs as much as checking it for problems so many times.
constexpr std::size_t work_of_verifying = 100;

// Equal for drafts that differ only in the names of additions and the order in which they were made: states
// are numbered as they are met on a walk, and edges stay in the order of the text.
class DraftKey {
public:
    explicit DraftKey(const SymbolicGraph& graph) {
        model::ByGraphState<std::size_t> number(graph.states.size(), 0);
        std::vector<GraphStateId> walk{graph.initial};
        number[graph.initial] = 1;
        for (std::size_t at = 0; at < walk.size(); ++at) {
            const GraphState& state = graph.states[walk[at]];
            add(state.out.size());
            add(state.terminates ? state.terminates.index + 1u : 0u);
            for (const GraphEdge& edge : state.out) {
                add_event(graph, edge);
                if (number[edge.target] == 0) {
                    walk.push_back(edge.target);
                    number[edge.target] = walk.size();
                }
                add(number[edge.target]);
            }
        }
    }
    friend bool operator==(const DraftKey&, const DraftKey&) = default;
    template <class H>
    friend H AbslHashValue(H h, const DraftKey& k) {
        return H::combine(std::move(h), k.first_, k.second_);
    }

private:
    void add_event(const SymbolicGraph& graph, const GraphEdge& edge) {
        if (edge.added) {
            add(graph.sender(edge).index * 4096u + graph.receiver(edge).index);
            add(edge.data.empty() ? 0u : edge.data[0].value.index + 1u);
        } else {
            add(edge.label.index + (std::uint64_t{1} << 40));
        }
        add(edge.guards.size());
        for (const GuardPart& part : edge.guards) add(part.condition.index);
    }
    void add(std::uint64_t x) {
        first_ = (first_ ^ x) * 0x9e3779b97f4a7c15u;
        first_ ^= first_ >> 29;
        second_ = (second_ + x) * 0xd1b54a32d192ed03u;
        second_ ^= second_ >> 31;
    }

    std::uint64_t first_ = 0, second_ = 0;
};

// What additions that are made at once have changed. One after an edge leaves the edges from its state as
// they are.
class Changes {
public:
    bool may_repair(const Problem& p) const {
        if (p.kind == Kind::deciders && decided_.contains(p.state)) return false;
        if (states_.contains(p.state) || edges_.contains({p.state, p.edge})) return false;
        if (p.kind == Kind::order)
            return !states_.contains(p.before) && !edges_.contains({p.before, p.before_edge});
        return p.kind == Kind::data || !edges_.contains({p.state, p.other});
    }
    // False if it changes what was changed before.
    bool add(const Addition& a) {
        Edge edge{a.state, a.edge};
        // Where several roles decide: the role with a part in most branches takes one more, branch by branch.
        if (a.why == Kind::deciders) decided_.insert(a.state);
        switch (a.position) {
            case Position::before_edge: return edges_.insert(edge).second;
            case Position::after_edge: return told_.insert({edge, a.to}).second;
            default: return states_.insert(a.state).second;
        }
    }

private:
    using Edge = std::pair<GraphStateId, GraphEdgeId>;
    std::set<GraphStateId> states_;
    std::set<Edge> edges_;
    std::set<std::pair<Edge, model::RoleId>> told_;
    std::set<GraphStateId> decided_;
};

// A state that came with an addition is called like the one it was added at, with a dash; with more of them
// where that name is taken.
void name_apart(SymbolicGraph& graph, std::size_t before) {
    std::set<std::string> taken;
    for (GraphStateId s : graph.states.ids()) {
        std::string& name = graph.states[s].name;
        if (s.index >= before && !name.empty())
            while (taken.contains(name)) name += '\'';
        taken.insert(graph.state_name(s));
    }
}

class Search {
public:
    Search(const SymbolicGraph& graph, GuardFacts facts, CommunicationMode mode, const RepairLimits& limits,
           const RepairHooks& hooks, solve::SolverContext context)
        : start_(graph),
          facts_(std::move(facts)),
          mode_(mode),
          limits_(limits),
          hooks_(hooks),
          context_(std::move(context)),
          messages_(graph) {}

    Repair run() {
        result_.graph = start_.graph;
        result_.problems = find_problems(start_, facts_, mode_);
        if (result_.problems.empty()) {
            if (consider(start_, {})) {
                result_.minimal = true;
                return std::move(result_);
            }
            result_.problems.push_back(roles_differ());
        }
        pass(0);
        bool proved = improve(limits_.work);
        result_.minimal = proved && result_.worth.conforms && fewest_undecided_ >= result_.additions.size();
        if (result_.found) {
            as_many_ = true;
            improve(limits_.polish);
        }
        return std::move(result_);
    }

private:
    // A set of additions with which some problems are left.
    struct Node {
        std::vector<Addition> additions;
        std::vector<Problem> problems;
    };

    static Problem roles_differ() {
        Problem p;
        p.kind = Kind::together;
        return p;
    }

    bool stopped() const { return work_left_ == 0 || limits_.graph.deadline.passed(); }
    void spend(std::size_t work) {
        if (work_left_ != no_limit) work_left_ -= std::min(work_left_, work);
    }

    // How many additions a set may have that is looked for.
    std::size_t most() const {
        if (!result_.found) return depth_;
        std::size_t now = result_.additions.size();
        if (!as_many_) return now - 1;
        return result_.worth == Worth{true, now, true, true} ? 0 : now;
    }

    // Passes of growing width. True if they prove that there is no such set.
    bool improve(std::size_t work) {
        std::size_t levels = result_.found ? result_.additions.size() : result_.problems.size();
        // What it takes to follow one draft.
        if (levels * widening * start_.graph.edge_count() > work) return false;
        work_left_ = work;
        for (std::size_t width = widening; width <= last_width && !stopped(); width *= widening)
            if (pass(width)) return true;
        return false;
    }

    // Width 0: nothing is compared. True if nothing was left out that could be better than the best.
    bool pass(std::size_t width) {
        width_ = width;
        depth_ = width == 0 ? no_limit : std::max(width, result_.problems.size());
        left_out_ = false;
        seen_.clear();
        std::vector<Node> level{{{}, result_.problems}};
        std::size_t least = no_limit, without_gain = 0;
        while (!level.empty()) {
            std::size_t now = no_limit;
            for (const Node& node : level) now = std::min(now, node.problems.size());
            without_gain = now < least ? 0 : without_gain + 1;
            least = std::min(least, now);
            if (without_gain > patience) return false;
            std::vector<Node> next;
            for (const Node& node : level) {
                if (stopped()) return false;
                if (width == 0)
                    extend_at_once(node, next);
                else
                    extend(node, width, next);
                if (width > 0 && next.size() >= 2 * width) narrow(next, width);
            }
            if (width > 0 && next.size() > width) narrow(next, width);
            level = std::move(next);
        }
        return result_.found && !left_out_;
    }

    void narrow(std::vector<Node>& nodes, std::size_t width) {
        std::stable_sort(nodes.begin(), nodes.end(),
                         [](const Node& a, const Node& b) { return a.problems.size() < b.problems.size(); });
        nodes.resize(width);
        left_out_ = true;
    }

    Draft draft_of(const Node& node) const {
        Draft draft = start_;
        for (const Addition& a : node.additions) apply(draft, a);
        return draft;
    }

    void make(Draft& draft, Node& node, Addition a) {
        a.id = AdditionId(node.additions.size());
        a.message = messages_.of(a.why, a.id);
        apply(draft, a);
        node.additions.push_back(a);
    }

    // The first suggestion for each problem of one kind, as far as they do not interfere. What is repaired
    // first is not broken later: telling others comes after the branching edges, and what creates order is
    // between them and the interaction before.
    void extend_at_once(const Node& node, std::vector<Node>& next) {
        Draft draft = draft_of(node);
        Advisor advisor(draft, mode_);
        Node more{node.additions, {}};
        for (Kind kind : {Kind::data, Kind::deciders, Kind::untold, Kind::order}) {
            Changes changes;
            for (const Problem& p : node.problems) {
                if (p.kind != kind || !changes.may_repair(p)) continue;
                auto suggested = advisor.suggestions(p);
                if (!suggested.empty() && changes.add(suggested.front()))
                    make(draft, more, suggested.front());
            }
            if (more.additions.size() > node.additions.size()) break;
        }
        if (more.additions.size() > node.additions.size()) check(draft, std::move(more), next);
    }

    // One addition more: those that are relevant to the problem to which the fewest are.
    void extend(const Node& node, std::size_t width, std::vector<Node>& next) {
        std::size_t size = node.additions.size();
        if (size >= most()) return;
        Draft draft = draft_of(node);
        AdditionSpace space(draft);
        Relevance relevance(draft.graph, space);
        std::vector<AdditionSet> sets;
        for (const Problem& p : node.problems) sets.push_back(relevance.to(p));
        std::vector<RelevantProblem> problems;
        for (std::size_t k = 0; k < sets.size(); ++k) problems.push_back({&node.problems[k], &sets[k]});
        if (size + lower_bound(problems) > most()) return;
        const RelevantProblem& hardest = *std::min_element(
            problems.begin(), problems.end(),
            [](const auto& a, const auto& b) { return a.relevant->size() < b.relevant->size(); });
        AdditionSet promising = *hardest.relevant;
        // The last one must repair everything that is left.
        if (size + 1 == most())
            for (const Problem& p : node.problems) promising.meet(relevance.alone(p, mode_));
        bool left_out = false;
        for (const Choice& choice :
             choices(node, draft, space, *hardest.problem, std::move(promising), width, left_out)) {
            if (size >= most()) return;
            if (stopped()) {
                left_out_ = true;
                return;
            }
            spend(1);
            if (!may_be_completed(problems, choice.index, most() - size - 1)) continue;
            Addition a = space.at(choice.index);
            a.why = choice.why;
            Draft changed = draft;
            Node more{node.additions, {}};
            make(changed, more, a);
            if (seen_.insert(DraftKey(changed.graph)).second) check(changed, std::move(more), next);
        }
        left_out_ = left_out_ || left_out;
    }

    struct Choice {
        AdditionSpace::Index index;
        Kind why;
    };
    // What is relevant to the hardest problem, the suggested first. If that is more than the pass is wide,
    // something is left out, and what is suggested for the other problems may lead to a repair sooner.
    std::vector<Choice> choices(const Node& node, const Draft& draft, const AdditionSpace& space,
                                const Problem& hardest, AdditionSet promising, std::size_t width,
                                bool& left_out) const {
        std::vector<Choice> out;
        Advisor advisor(draft, mode_);
        for (const Addition& a : advisor.suggestions(hardest)) {
            auto index = space.find(a);
            if (!index || !promising.has(*index)) continue;
            promising.remove(*index);
            out.push_back({*index, hardest.kind});
        }
        left_out = out.size() + promising.size() > width;
        if (left_out) {
            AdditionSet taken(space.positions().size(), space.sayings().size());
            for (const Choice& choice : out) taken.add(choice.index);
            for (const Problem& p : node.problems)
                for (const Addition& a : advisor.suggestions(p)) {
                    auto index = space.find(a);
                    if (!index || taken.has(*index)) continue;
                    taken.add(*index);
                    promising.remove(*index);
                    out.push_back({*index, p.kind});
                }
        }
        promising.each([&](AdditionSpace::Index i) {
            if (!left_out || out.size() < width) out.push_back({i, hardest.kind});
        });
        return out;
    }

    void check(const Draft& draft, Node node, std::vector<Node>& next) {
        spend(draft.graph.edge_count());
        bool last = node.additions.size() >= most();
        // Without an addition left one problem is as bad as many.
        node.problems = find_problems(draft, facts_, mode_, last ? 1 : no_limit);
        if (node.problems.empty()) {
            if (consider(draft, node.additions)) return;
            node.problems.push_back(roles_differ());
        }
        if (last) return;
        // What one more addition must complete is tried at once: it would only take room among those kept.
        if (width_ > 0 && node.additions.size() + 1 == most())
            extend(node, width_, next);
        else
            next.push_back(std::move(node));
    }

    // Compares a set that leaves no problems with the best one, once for all passes. False if the roles do
    // something else.
    bool consider(const Draft& draft, const std::vector<Addition>& additions) {
        DraftKey key(draft.graph);
        auto known = considered_.find(key);
        if (known == considered_.end()) known = considered_.emplace(key, compare(draft, additions)).first;
        return known->second;
    }
    bool compare(const Draft& draft, const std::vector<Addition>& additions) {
        spend(draft.graph.edge_count() * work_of_verifying);
        symbolic::Verification verification =
            hooks_.verify ? hooks_.verify(draft.graph)
                          : symbolic::verify(start_.graph, draft.graph, limits_.graph, context_);
        Verified verified = verification.verified;
        if (verified == Verified::no) return false;
        Worth worth{verified != Verified::undecided, additions.size(), verified == Verified::yes, true};
        if (!worth.conforms) fewest_undecided_ = std::min(fewest_undecided_, additions.size());
        if (result_.found && worth <= result_.worth) return true;
        if (!additions.empty() && hooks_.can_be_written) worth.written = hooks_.can_be_written(additions);
        if (result_.found && worth <= result_.worth) return true;
        result_.found = true;
        result_.worth = worth;
        result_.verification = std::move(verification);
        result_.additions = additions;
        result_.graph = draft.graph;
        name_apart(result_.graph, start_.graph.states.size());
        if (hooks_.found_better) hooks_.found_better(result_);
        return true;
    }

    Draft start_;
    GuardFacts facts_;
    CommunicationMode mode_;
    const RepairLimits& limits_;
    const RepairHooks& hooks_;
    solve::SolverContext context_;
    AddedMessages messages_;

    Repair result_;                            // with the best set so far
    std::size_t fewest_undecided_ = no_limit;  // additions of a set that could not be verified
    absl::flat_hash_map<DraftKey, bool> considered_;
    bool as_many_ = false;  // looking for a better set of as many additions; otherwise of fewer
    std::size_t work_left_ = no_limit;
    // Of a pass.
    std::size_t width_ = 0;
    std::size_t depth_ = no_limit;
    bool left_out_ = false;
    absl::flat_hash_set<DraftKey> seen_;
};

}  // namespace

std::strong_ordering operator<=>(const Worth& a, const Worth& b) {
    return std::tuple(a.conforms, b.additions, a.as_it_was, a.written) <=>
           std::tuple(b.conforms, a.additions, b.as_it_was, b.written);
}

Repair repair(const SymbolicGraph& graph, const symbolic::Reachability& reach, CommunicationMode mode,
              solve::Solver& solver, const RepairLimits& limits, const RepairHooks& hooks) {
    GuardFacts facts = symbolic::guard_facts(graph, reach, solver);
    return Search(graph, std::move(facts), mode, limits, hooks, solver.context()).run();
}

}  // namespace treaty::repair
