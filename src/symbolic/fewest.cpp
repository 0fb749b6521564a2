#include "symbolic/fewest.h"

#include <algorithm>

#include "symbolic/relevance.h"

namespace treaty::symbolic {
namespace {

using Tried = Fewest::Tried;

// Of drafts that are worth something, so many are compared; and judging one costs as much as checking it for
// problems so many times.
constexpr std::size_t max_judged = 20;
constexpr std::size_t work_of_judging = 10;
// Of all work, this part is spent on finding something better than what there is.
constexpr std::size_t part_for_better = 150;

// The problem that the fewest additions have a part in repairing.
std::size_t hardest(const std::vector<AdditionSet>& relevant) {
    auto least = std::min_element(relevant.begin(), relevant.end(),
                                  [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return static_cast<std::size_t>(least - relevant.begin());
}

// Whether the problems in which the addition has no part could be repaired by `left` others: one must have a
// part in all of them, several at least one in each of those that are apart.
bool others_may_do(const std::vector<Problem>& problems, const std::vector<AdditionSet>& relevant,
                   std::size_t place, std::size_t saying, std::size_t left) {
    std::vector<const Problem*> rest;
    std::vector<const AdditionSet*> sets;
    for (std::size_t p = 0; p < problems.size(); ++p)
        if (!relevant[p].has(place, saying)) {
            rest.push_back(&problems[p]);
            sets.push_back(&relevant[p]);
        }
    if (rest.empty()) return true;
    if (left > 1) return at_least(rest, sets) <= left;
    AdditionSet common = *sets.front();
    for (const AdditionSet* one : sets) common.meet(*one);
    return left == 1 && common.size() > 0;
}

}  // namespace

// Names of additions and numbers of states depend on the order in which they came, so they are left out:
// states are numbered as they are met on a walk, and edges stay in the order of the text.
Fewest::Key Fewest::key_of(const SymbolicGraph& graph) {
    Key key;
    auto add = [&](std::uint64_t x) {
        key.first = (key.first ^ x) * 0x9e3779b97f4a7c15u;
        key.first ^= key.first >> 29;
        key.second = (key.second + x) * 0xd1b54a32d192ed03u;
        key.second ^= key.second >> 31;
    };
    model::ByGraphState<std::size_t> number(graph.states.size(), 0);
    std::vector<GraphStateId> walk{graph.initial};
    number[graph.initial] = 1;
    for (std::size_t at = 0; at < walk.size(); ++at) {
        const GraphState& state = graph.states[walk[at]];
        add(state.out.size());
        add(state.terminates ? state.terminates.index + 1u : 0u);
        for (const GraphEdge& edge : state.out) {
            if (edge.added) {
                add(graph.sender(edge).index * 4096u + graph.receiver(edge).index);
                add(edge.data.empty() ? 0u : edge.data[0].value.index + 1u);
            } else {
                add(edge.label.index + (std::uint64_t{1} << 40));
            }
            add(edge.guards.size());
            for (const GuardPart& part : edge.guards) add(part.condition.index);
            if (number[edge.target] == 0) {
                walk.push_back(edge.target);
                number[edge.target] = walk.size();
            }
            add(number[edge.target]);
        }
    }
    return key;
}

Tried Fewest::search(std::size_t count, std::uint8_t more_than) {
    chosen_.clear();
    worth_ = more_than;
    judged_ = 0;
    if (more_than > 0) look_for_better();
    Tried tried = go_on(start_, count);
    if (worth_ > more_than) return Tried::found;
    return tried == Tried::found ? Tried::cut : tried;  // enough of them, and none was better
}

Tried Fewest::go_on(const Draft& draft, std::size_t left) {
    Key key = key_of(draft.graph);
    if (auto known = hopeless_.find(key); known != hopeless_.end() && known->second >= left)
        return Tried::none;
    std::size_t work = draft.graph.edge_count();
    if (work_left_ < work || deadline_.passed()) return Tried::cut;
    work_left_ -= work;
    // Without an addition left one problem is as bad as many.
    auto problems = find_problems(draft, facts_, mode_, left == 0 ? 1 : static_cast<std::size_t>(-1));
    Tried tried = Tried::none;
    if (problems.empty())
        tried = judged(draft, left);
    else if (left > 0)
        tried = try_all(draft, problems, left);
    if (tried == Tried::none) {
        std::size_t& known = hopeless_[key];
        known = std::max(known, left);
    }
    return tried;
}

void Fewest::look_for_better() {
    work_left_ = std::min(work_left_, work_ / part_for_better);
}

// `found` means that nothing better is looked for.
Tried Fewest::judged(const Draft& draft, std::size_t left) {
    std::size_t work = draft.graph.edge_count() * work_of_judging;
    if (work_left_ < work) return Tried::cut;
    work_left_ -= work;
    std::uint8_t worth = judge_(draft, chosen_);
    if (worth > 0) {
        if (judged_++ == 0) look_for_better();
        if (worth > worth_) {
            worth_ = worth;
            found_ = draft;
            additions_ = chosen_;
        }
        return worth_ == best_worth || judged_ == max_judged ? Tried::found : Tried::none;
    }
    Problem nobody_knows_why;
    nobody_knows_why.kind = Problem::Kind::together;
    return left == 0 ? Tried::none : try_all(draft, {nobody_knows_why}, left);
}

Tried Fewest::try_all(const Draft& draft, const std::vector<Problem>& problems, std::size_t left) {
    AdditionSpace space(draft);
    Relevance relevance(draft.graph, space);
    std::vector<AdditionSet> relevant;
    for (const Problem& p : problems) relevant.push_back(relevance.to(p));
    std::vector<const Problem*> all_problems;
    std::vector<const AdditionSet*> all_relevant;
    for (std::size_t k = 0; k < problems.size(); ++k) {
        all_problems.push_back(&problems[k]);
        all_relevant.push_back(&relevant[k]);
    }
    if (at_least(all_problems, all_relevant) > left) return Tried::none;
    std::size_t problem = hardest(relevant);
    AdditionSet promising = relevant[problem];
    // The last one must repair everything that is left.
    if (left == 1)
        for (const Problem& p : problems) promising.meet(relevance.alone(p, mode_));
    Tried tried = Tried::none;
    promising.each([&](std::size_t place, std::size_t saying) {
        if (tried != Tried::none) return;
        if (deadline_.passed() || work_left_ == 0) {
            tried = Tried::cut;
            return;
        }
        --work_left_;
        if (!others_may_do(problems, relevant, place, saying, left - 1)) return;
        Addition a = space.at(place, saying);
        a.why = problems[problem].kind;
        name_addition(a, named_before_ + chosen_.size() + 1);
        Draft next = draft;
        apply(next, a);
        chosen_.push_back(std::move(a));
        tried = go_on(next, left - 1);
        chosen_.pop_back();
    });
    return tried;
}

}  // namespace treaty::symbolic
