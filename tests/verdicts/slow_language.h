// The words that a protocol allows, found by taking events out of an expression, one after the other.
//
// The places of the flow graph are eliminated one by one, as in the textbook proof that automata have regular
// expressions; a `par` is a shuffle. What is left is an expression over interactions. A word is followed by
// taking its events out of the expression in turn: an event of a role may be taken out of a later part of a
// sequence if the parts before can do without that role; of these only the ways without the role remain.
//
// Residuals are numbers; equal numbers have equal futures. Their count is bounded: `exhausted`.
#pragma once

#include <map>
#include <vector>

#include "slow_projection.h"

namespace treaty::verdicts {

class SlowLanguage {
public:
    explicit SlowLanguage(const Flow& flow, std::size_t max_terms = 10'000);

    int start() const { return start_; }
    int after(int residual, const Event& event);
    bool possible(int residual) const { return residual != fail; }
    bool exhausted() const { return terms_.size() > max_terms_; }

private:
    enum class Kind { fail, empty, never, whole, received, sequence, choice, shuffle, star };
    struct Term {
        Kind kind;
        int interaction;
        std::vector<int> parts;
        friend auto operator<=>(const Term&, const Term&) = default;
    };
    static constexpr int fail = 0, empty = 1, never = 2;

    int make(Kind kind, int interaction, std::vector<int> parts);
    int sequence(const std::vector<int>& parts);
    int choice(const std::vector<int>& parts);
    int shuffle(std::vector<int> parts);
    int star(int part);
    int expression(int graph);
    int item(const FlowEdge& edge);
    Role subject(const Event& event) const;
    int take(int term, const Event& event);
    int taken_from(const Term& term, int id, const Event& event);
    int without(int term, Role role);
    int stripped(const Term& term, int id, Role role);

    const Flow& flow_;
    std::size_t max_terms_;
    std::vector<Term> terms_;
    std::map<Term, int> ids_;
    std::map<int, int> expressions_;  // by graph
    std::map<std::pair<int, Event>, int> taken_;
    std::map<std::pair<int, Role>, int> without_;
    int start_ = 0;
};

}  // namespace treaty::verdicts
