// Values for which nothing that is offered can be done: some values of the given variables such that no offer
// has a choice of its own variables that satisfies its condition.
//
// Works by counterexamples. The solver proposes values; where an offer still has a choice, that choice, and
// what it looks like in terms of the values (the same element, the same distance from another number), is
// held against all values it might propose next. `yes` was confirmed for every offer, `no` rests on choices
// that are always there; `unknown` when the rounds are used up, the time is, or the solver gives up and no
// simple value will do. What was learnt stays for the next question. An offer whose condition has a fault
// cannot be taken.
#pragma once

#include <vector>

#include "base/limits.h"
#include "solve/generate.h"
#include "symbolic/logic.h"

namespace treaty::symbolic {

struct Offer {
    ExprId condition;
    std::vector<VarId> chosen;  // by the role that takes the offer
};

class StuckSearch {
public:
    StuckSearch(Logic& logic, std::vector<Offer> offers, const base::Deadline& deadline);

    // Values for which this condition holds, under what the solver assumes, and no offer can be taken.
    solve::SolverAnswer find(ExprId condition);

private:
    enum class Open : std::uint8_t { yes, no, unknown };

    Open open(const Offer& offer, const expr::Environment& values);
    Open open_by_generating(const Offer& offer, ExprId condition, const expr::Environment& values);
    Open any_open(const expr::Environment& values);
    void complete(expr::Environment& values);
    solve::SolverAnswer guess(ExprId condition, solve::SolverAnswer otherwise);
    void remember(ExprId possible);
    void eliminate(const Offer& offer);
    void learn(const Offer& offer, const expr::Environment& values, const expr::Environment& choice);
    std::vector<ExprId> alike(const Offer& offer, VarId chosen, const expr::Environment& all);
    ExprId extended(ExprId term, const expr::Value& wanted, const expr::Environment& all);
    ExprId at_distance(ExprId term, std::int64_t wanted, const expr::Environment& all);
    ExprId taken(const Offer& offer, VarId chosen, ExprId with);

    Logic& logic_;
    expr::Pool& pool_;
    solve::Generator generator_;  // for conditions that the solver has no theory for
    std::vector<Offer> offers_;
    std::vector<VarId> given_;  // what the offers read and do not choose
    absl::flat_hash_map<VarId, std::vector<expr::Value>>
        simple_;  // values of these to try, the simplest first
    base::Deadline deadline_;
    std::vector<ExprId> possible_;  // each of them implies that some offer can be taken
    std::string reason_;
};

}  // namespace treaty::symbolic
