#include "symbolic/smart.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "symbolic/fewest.h"
#include "symbolic/verify.h"

namespace treaty::symbolic {
namespace {

using Kind = Problem::Kind;

constexpr std::size_t max_rounds = 500;
constexpr std::size_t max_rounds_without_gain = 3;
constexpr std::size_t max_rules_without_gain = 20;
// Where addition by addition leads nowhere, sets of up to so many are tried.
constexpr std::size_t max_searched = 6;

// The greatest number in the names of interactions that were added before: it may be a repaired protocol.
std::size_t last_added(const SymbolicGraph& graph) {
    std::size_t last = 0;
    for (const GraphState& state : graph.states)
        for (const GraphEdge& edge : state.out) {
            std::string_view name = graph.alphabet->name(graph.alphabet->event(edge.label).message);
            std::size_t digits = name.find_first_of("0123456789"), number = 0;
            if (name.starts_with("added_") && digits != name.npos && name.size() - digits < 10)
                for (char c : name.substr(digits))
                    number = number * 10 + static_cast<std::size_t>(c >= '0' && c <= '9' ? c - '0' : 0);
            last = std::max(last, number);
        }
    return last;
}

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

class Repairer {
public:
    Repairer(const SymbolicGraph& graph, const GuardFacts& facts, CommunicationMode mode,
             const RepairLimits& limits, const Written& written, solve::SolverContext context)
        : start_(graph),
          facts_(facts),
          mode_(mode),
          limits_(limits),
          written_(written),
          context_(std::move(context)),
          named_before_(last_added(graph)) {}

    Repair run() {
        Repair result;
        result.problems = problems_of(start_);
        Draft best = start_;
        if (start_.graph.edge_count() > limits_.small) {
            result.realizable = by_rule(best, result.additions);
            result.minimal = result.realizable && result.additions.empty();
        } else {
            std::uint8_t worth = stepwise(best, result.additions);
            result.realizable = worth > 0;
            if (result.problems.empty() && (worth == 0 || !result.additions.empty())) {
                result.problems.emplace_back();
                result.problems.back().kind = Kind::together;
            }
            if (worth > 0 && result.additions.empty())
                result.minimal = true;
            else
                find_fewest(result, best, worth);
        }
        result.graph = std::move(best.graph);
        name_apart(result.graph, start_.graph.states.size());
        return result;
    }

private:
    // worth: of what was found already, 0 for nothing.
    void find_fewest(Repair& result, Draft& best, std::uint8_t worth) const {
        Judge judge = [this](const Draft& draft, const auto& additions) { return judged(draft, additions); };
        Fewest fewest(start_, facts_, mode_, named_before_, judge, limits_.work, limits_.deadline);
        auto tried = Fewest::Tried::none;
        std::size_t last = worth > 0 ? result.additions.size() - 1 : max_searched;
        for (std::size_t k = 1; k <= last && tried == Fewest::Tried::none; ++k) tried = fewest.search(k);
        result.minimal = tried == Fewest::Tried::found || (tried == Fewest::Tried::none && worth > 0);
        if (tried == Fewest::Tried::none && worth > 0 && worth < best_worth)
            tried = fewest.search(result.additions.size(), worth);
        if (tried != Fewest::Tried::found) return;
        result.realizable = true;
        result.additions = fewest.additions();
        best = std::move(fewest.draft());
    }

    // A text counts less than that the roles conform to the protocol as it was.
    std::uint8_t judged(const Draft& draft, const std::vector<Addition>& additions) const {
        GraphLimits limits;
        limits.deadline = limits_.deadline;
        switch (verify(start_.graph, draft.graph, limits, context_).verified) {
            case Verified::no: return 0;
            case Verified::undecided: return 1;
            case Verified::with_additions: return best_worth - (can_be_written(additions) ? 2 : 3);
            case Verified::yes: return best_worth - (can_be_written(additions) ? 0 : 1);
        }
        return 0;
    }
    bool can_be_written(const std::vector<Addition>& additions) const {
        return !written_ || additions.empty() || written_(additions);
    }

    void name(Addition& a, std::size_t position) const { name_addition(a, named_before_ + position + 1); }
    std::vector<Problem> problems_of(const Draft& draft) const { return find_problems(draft, facts_, mode_); }

    // A draft with some additions, and what is still wrong with it.
    struct Candidate {
        Draft draft;
        std::vector<Addition> additions;
        std::vector<Problem> problems;
    };

    // Addition by addition, keeping the few drafts with the fewest problems. Some problems take several
    // additions, of which the first ones show no gain; many of those in a row mean that this leads nowhere.
    // Gives the worth of what it found.
    std::uint8_t stepwise(Draft& draft, std::vector<Addition>& additions) {
        std::size_t width = draft.graph.edge_count() <= limits_.compared ? limits_.width : 1;
        std::size_t least = std::numeric_limits<std::size_t>::max(), without_gain = 0;
        std::vector<Candidate> level;
        level.push_back({draft, {}, problems_of(draft)});
        for (std::size_t rounds = 0; rounds < max_rounds; ++rounds) {
            while (!level.empty() && level.front().problems.empty()) {
                Candidate& mended = level.front();
                if (std::uint8_t worth = judged(mended.draft, mended.additions)) {
                    draft = std::move(mended.draft);
                    additions = std::move(mended.additions);
                    return worth;
                }
                level.erase(level.begin());
            }
            if (level.empty()) return 0;
            Candidate& best = level.front();
            without_gain = best.problems.size() < least ? 0 : without_gain + 1;
            least = std::min(least, best.problems.size());
            if (limits_.deadline.passed() || without_gain > max_rounds_without_gain) return 0;
            level = next_level(level, width);
        }
        return 0;
    }

    // The best drafts with one addition more, the best of them first.
    std::vector<Candidate> next_level(const std::vector<Candidate>& level, std::size_t width) const {
        std::vector<Candidate> next;
        for (const Candidate& from : level) {
            Advisor advisor(from.draft, mode_);
            for (const Problem& problem : from.problems) {
                for (Addition& a : advisor.suggestions(problem)) {
                    name(a, from.additions.size());
                    Candidate tried{from.draft, from.additions, {}};
                    apply(tried.draft, a);
                    tried.problems = problems_of(tried.draft);
                    tried.additions.push_back(std::move(a));
                    keep(next, std::move(tried), width);
                }
                // With one draft at a time, the first problem for which something gains.
                if (width == 1 && !next.empty() && next.front().problems.size() < from.problems.size()) break;
            }
        }
        return next;
    }

    // The same additions in another order are the same draft.
    static void keep(std::vector<Candidate>& best, Candidate tried, std::size_t width) {
        if (best.size() == width && best.back().problems.size() <= tried.problems.size()) return;
        for (const Candidate& other : best)
            if (other.problems.size() == tried.problems.size() && alike(other.additions, tried.additions))
                return;
        auto at = std::upper_bound(best.begin(), best.end(), tried, [](const auto& a, const auto& b) {
            return a.problems.size() < b.problems.size();
        });
        best.insert(at, std::move(tried));
        if (best.size() > width) best.pop_back();
    }
    static bool alike(const std::vector<Addition>& some, const std::vector<Addition>& others) {
        auto key = [](const Addition& a) {
            return std::tuple(a.position, a.state, a.edge, a.from, a.to, a.variable);
        };
        auto keys = [&](const std::vector<Addition>& all) {
            std::set<decltype(key(all[0]))> out;
            for (const Addition& a : all) out.insert(key(a));
            return out;
        };
        return keys(some) == keys(others);
    }

    // The first suggestion for each problem of one kind, round by round; in a round, nothing is changed
    // twice. What is repaired first is not broken later: telling others comes after the branching
    // edges, and what creates order is between them and the interaction before.
    bool by_rule(Draft& draft, std::vector<Addition>& additions) {
        std::size_t least = std::numeric_limits<std::size_t>::max(), without_gain = 0;
        for (std::size_t rounds = 0; rounds < max_rounds; ++rounds) {
            auto problems = problems_of(draft);
            if (problems.empty()) return true;
            without_gain = problems.size() < least ? 0 : without_gain + 1;
            least = std::min(least, problems.size());
            if (limits_.deadline.passed() || without_gain > max_rules_without_gain) return false;
            bool changed = false;
            for (Kind kind : {Kind::data, Kind::deciders, Kind::untold, Kind::order})
                changed = changed || mend_by_rule(draft, problems, kind, additions);
            if (!changed) return false;
        }
        return false;
    }
    bool mend_by_rule(Draft& draft, const std::vector<Problem>& problems, Kind kind,
                      std::vector<Addition>& additions) const {
        Advisor advisor(draft, mode_);
        Changed changed;
        std::size_t before = additions.size();
        for (const Problem& p : problems) {
            if (p.kind != kind || !changed.may(p)) continue;
            auto suggested = advisor.suggestions(p);
            if (suggested.empty() || !changed.add(suggested.front())) continue;
            if (kind == Kind::deciders) changed.decided.insert(p.state);
            name(suggested.front(), additions.size());
            apply(draft, suggested.front());
            additions.push_back(std::move(suggested.front()));
        }
        return additions.size() > before;
    }

    // What a round has changed. An addition after an edge leaves the edges from its state as they are.
    struct Changed {
        using Way = std::pair<GraphStateId, GraphEdgeId>;
        std::set<GraphStateId> states;
        std::set<Way> edges;
        std::set<std::pair<Way, model::RoleId>> told;
        // Where several roles decide: the role with a part in most branches takes one more, branch by branch.
        std::set<GraphStateId> decided;

        bool may(const Problem& p) const {
            if (p.kind == Kind::deciders && decided.contains(p.state)) return false;
            if (states.contains(p.state) || edges.contains({p.state, p.edge})) return false;
            if (p.kind == Kind::order)
                return !states.contains(p.before) && !edges.contains({p.before, p.before_edge});
            return p.kind == Kind::data || !edges.contains({p.state, p.other});
        }
        bool add(const Addition& a) {
            Way way{a.state, a.edge};
            switch (a.position) {
                case Addition::Position::on_edge: return edges.insert(way).second;
                case Addition::Position::behind_edge: return told.insert({way, a.to}).second;
                default: return states.insert(a.state).second;
            }
        }
    };

    Draft start_;
    const GuardFacts& facts_;
    CommunicationMode mode_;
    RepairLimits limits_;
    const Written& written_;
    solve::SolverContext context_;
    std::size_t named_before_;
};

}  // namespace

Repair repair(const SymbolicGraph& graph, const Reachability& reach, CommunicationMode mode,
              solve::Solver& solver, const RepairLimits& limits, const Written& written) {
    GuardFacts facts = guard_facts(graph, reach, solver);
    return Repairer(graph, facts, mode, limits, written, solver.context()).run();
}

}  // namespace treaty::symbolic
