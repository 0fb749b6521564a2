// The equations are solved from above. Every pair starts with `true` and is computed from the pairs it leads
// to, deepest first; a pair whose condition became stronger makes those that depend on it be computed again.
// What is reached when nothing changes any more is the greatest fixpoint, exactly. Every condition on the
// way is implied by it, so a `no` along the way is final.
//
// Where that does not come to rest, a guess is tried (induction.h).

#include "symbolic/conformance.h"

#include <algorithm>
#include <deque>

#include "expr/simplify.h"
#include "symbolic/induction.h"
#include "symbolic/logic.h"
#include "symbolic/mismatch.h"
#include "symbolic/pair_equations.h"
#include "symbolic/stopping.h"

namespace treaty::symbolic {
namespace {

using base::Answer;
using solve::Satisfiable;

class Fixpoint {
public:
    Fixpoint(const SymbolicGraph& implementation, const SymbolicGraph& specification, solve::Solver& solver,
             const ConformanceLimits& limits)
        : logic_(*implementation.pool, solver),
          equations_(implementation, specification, logic_),
          limits_(limits) {}

    Conformance run() {
        if (!discover()) return give_up("too many pairs of states");
        bool settled = iterate();
        result_.pairs = pairs_.size();
        ExprId initial = logic_.tidy(history_[0].back().condition);
        if (!settled && !logic_.pool().is_false(initial)) {
            if (proved_by_induction(equations_, logic_, pairs_, limits_.deadline)) {
                result_.answer = Answer::holds;
                return std::move(result_);
            }
            return give_up(result_.reason);
        }
        return judge(initial);
    }

private:
    Conformance give_up(std::string why) {
        result_.answer = Answer::undecided;
        result_.reason = std::move(why);
        return std::move(result_);
    }

    Conformance judge(ExprId initial) {
        solve::Solver& solver = logic_.solver();
        if (logic_.pool().is_true(initial)) {
            result_.answer = Answer::holds;
        } else if (equations_.paths_cut()) {
            return give_up("silent steps with computations form a loop");
        } else if (logic_.pool().is_false(initial)) {
            result_.answer = Answer::fails;
        } else if (solver.check(initial).satisfiable == Satisfiable::yes &&
                   solver.check(logic_.negation(initial)).satisfiable == Satisfiable::yes) {
            result_.answer = Answer::conditional;
            result_.condition = logic_.minimal(initial);
        } else {
            return give_up("the solver cannot decide the condition: " + solver.check(initial).reason);
        }
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            result_.equations.push_back(
                {pairs_[i].implementation, pairs_[i].specification, history_[i].back().condition});
        if (result_.answer != Answer::holds)
            result_.mismatch = find_mismatch(
                equations_, logic_, [this](StatePair p, std::size_t time) { return known_before(p, time); });
        return std::move(result_);
    }

    // All pairs that can meet, numbered from the initial one, and the order to compute them in: depth first,
    // a pair after those it leads to.
    bool discover() {
        add({SymbolicGraph::initial, SymbolicGraph::initial});
        std::vector<std::pair<std::size_t, std::size_t>> calls{{0, 0}};
        while (!calls.empty()) {
            auto [p, next] = calls.back();
            if (next == 0) next_[p] = equations_.successors(pairs_[p]);
            if (next < next_[p].size()) {
                ++calls.back().second;
                StatePair target = next_[p][next];
                bool fresh = !ids_.contains(target);
                std::size_t t = add(target);
                users_[t].push_back(p);
                if (fresh) calls.emplace_back(t, 0);
                if (pairs_.size() > limits_.pairs) return false;
                continue;
            }
            order_.push_back(p);
            calls.pop_back();
        }
        return true;
    }

    std::size_t add(StatePair pair) {
        auto [entry, fresh] = ids_.try_emplace(pair, pairs_.size());
        if (fresh) {
            pairs_.push_back(pair);
            next_.emplace_back();
            users_.emplace_back();
            history_.push_back({{0, logic_.yes()}});
        }
        return entry->second;
    }

    ExprId known(StatePair pair) const { return history_[ids_.at(pair)].back().condition; }

    // What was known of a pair before a moment; a pair that is false at a moment is so because of what was
    // known before it, so following these leads to the root of the matter.
    std::pair<ExprId, std::size_t> known_before(StatePair pair, std::size_t time) const {
        const auto& all = history_[ids_.at(pair)];
        std::size_t i = all.size();
        while (i > 1 && all[i - 1].time >= time) --i;
        return {all[i - 1].condition, all[i - 1].time};
    }

    bool iterate() {
        std::deque<std::size_t> pending(order_.begin(), order_.end());
        std::vector<bool> waiting(pairs_.size(), true);
        std::vector<std::size_t> rounds(pairs_.size());
        auto now = [this](StatePair p) { return known(p); };
        while (!pending.empty()) {
            std::size_t p = pending.front();
            pending.pop_front();
            waiting[p] = false;
            if (limits_.deadline.passed()) {
                result_.reason = why_stopped(limits_.deadline);
                return false;
            }
            if (rounds[p]++ > limits_.rounds) {
                result_.reason = "the conditions of a loop do not converge";
                return false;
            }
            ++result_.evaluations;
            auto value = equations_.evaluate(pairs_[p], now);
            if (!value) {
                result_.reason = equations_.problem();
                return false;
            }
            ExprId before = history_[p].back().condition;
            ExprId after = logic_.tidy(*value);
            if (after == before) continue;
            switch (logic_.solver().valid(logic_.implies(before, after))) {
                case Satisfiable::yes: continue;
                case Satisfiable::unknown:
                    result_.reason = "the solver cannot compare two conditions";
                    return false;
                case Satisfiable::no: break;
            }
            history_[p].push_back({++time_, after});
            for (std::size_t user : users_[p])
                if (!waiting[user]) {
                    waiting[user] = true;
                    pending.push_back(user);
                }
        }
        return true;
    }

    struct Version {
        std::size_t time;
        ExprId condition;
    };

    Logic logic_;
    PairEquations equations_;
    ConformanceLimits limits_;
    Conformance result_;
    std::vector<StatePair> pairs_;
    absl::flat_hash_map<StatePair, std::size_t> ids_;
    std::vector<std::vector<StatePair>> next_;
    std::vector<std::vector<std::size_t>> users_;  // the pairs that lead to it
    std::vector<std::size_t> order_;
    std::vector<std::vector<Version>> history_;
    std::size_t time_ = 0;
};

}  // namespace

Conformance conformance(const SymbolicGraph& implementation, const SymbolicGraph& specification,
                        solve::Solver& solver, const ConformanceLimits& limits) {
    return Fixpoint(implementation, specification, solver, limits).run();
}

}  // namespace treaty::symbolic
