// One step of a machine with data, for all values at once: what it asks of them, and what is known after it.
//
// A value is an expression over symbols, one for each field that a sender chose freely. A machine is in a
// state, and knows some of its variables as such expressions. What a step asks of the symbols is a condition.
// The meaning is that of concrete.h: a guard that does not hold, a value that a field does not have and an
// expression without a value leave no step. Numbers are mathematical ones, as the solver has them.
//
// Silent steps are taken together with the step after them. Nothing is guessed: where an expression may have
// no value (a division, an item of a list) or is about reals, unsupported() says so, and nothing that was
// said since then counts. Adds expressions to the pool: not safe for concurrent use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "expr/pool.h"
#include "model/machine.h"
#include "model/specification.h"

namespace treaty::testgen {

// A state and what the machine knows there, by variable, ascending.
struct SymbolicPlace {
    model::StateId state;
    std::vector<std::pair<expr::VarId, expr::ExprId>> known;

    const expr::ExprId* find(expr::VarId variable) const;
    void set(expr::VarId variable, expr::ExprId value);
    friend bool operator==(const SymbolicPlace&, const SymbolicPlace&) = default;
};

// An edge that may be next, after silent ones.
struct SymbolicOption {
    model::Event event;
    model::StateId target;
    const model::EdgeData* data = nullptr;  // none if there is none
    SymbolicPlace from;                     // after the silent steps
    expr::ExprId condition;                 // for the silent steps and for this one's guard
};

// A free field that was sent: the how-manieth message of which machine it was, and where it is in it.
struct FreeField {
    std::uint32_t machine = 0, number = 0;
    model::MessageId message;
    std::uint32_t field = 0;
    friend auto operator<=>(const FreeField&, const FreeField&) = default;
};

struct SymbolicEffect {
    expr::ExprId condition;
    std::vector<expr::ExprId> data;  // of the message, field by field
    std::vector<expr::VarId> fresh;  // symbols that were chosen in this step
    SymbolicPlace after;
};

class SymbolicStep {
public:
    explicit SymbolicStep(model::Specification& specification);

    std::vector<SymbolicOption> options(const model::Machine& machine, const SymbolicPlace& at);
    // The condition under which the machine may have ended here.
    expr::ExprId rests(const model::Machine& machine, const SymbolicPlace& at);
    // A send in which free fields get the symbols of this message of this machine; nothing if it is never
    // possible.
    std::optional<SymbolicEffect> choose(const SymbolicOption& option, std::uint32_t machine,
                                         std::uint32_t number);
    // The same event with data that is given: a receive, or a send that has to be matched.
    std::optional<SymbolicEffect> meet(const SymbolicOption& option, const std::vector<expr::ExprId>& data);

    const std::vector<expr::Field>& fields(model::MessageId message) const;
    const std::map<expr::VarId, FreeField>& symbols() const { return free_fields_; }
    // Why what was said does not count; empty if it does.
    const std::string& unsupported() const { return unsupported_; }
    void forget_unsupported() { unsupported_.clear(); }

    expr::ExprId both(expr::ExprId a, expr::ExprId b);
    expr::ExprId either(expr::ExprId a, expr::ExprId b);
    expr::ExprId opposite(expr::ExprId a);

private:
    std::optional<expr::ExprId> value_of(expr::ExprId expression, const SymbolicPlace& place);
    expr::ExprId condition_of(expr::ExprId expression, const SymbolicPlace& place);
    bool total(expr::ExprId expression);
    expr::ExprId in_range(expr::ExprId value, expr::TypeId type);
    expr::VarId symbol(const FreeField& field, expr::TypeId type);
    bool assign(const model::EdgeData& data, SymbolicPlace& place);
    std::optional<SymbolicEffect> finish(const SymbolicOption& option, SymbolicEffect effect);
    template <class Visit>
    void silently(const model::Machine& machine, const SymbolicPlace& at, Visit&& visit);
    void give_up(std::string why);

    model::Specification& specification_;
    expr::Pool& pool_;
    std::map<FreeField, expr::VarId> by_field_;
    std::map<expr::VarId, FreeField> free_fields_;
    std::map<expr::ExprId, bool> total_;
    std::string unsupported_;
};

}  // namespace treaty::testgen
