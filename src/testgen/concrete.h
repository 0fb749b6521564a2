// Machines with data told without: each message together with its values is a message of its own.
//
// Tests leave data aside; where data is what is tested, a few values are chosen and all machines are made for
// them. A field that a sender is free to choose takes each of these values, a computed one what is computed,
// and a receiver knows every message that some sender can send. So the machines fit each other although each
// was made by itself. A guard is evaluated, and the edge is there or not. Messages are named "req(3)". Where
// none of the values chosen is one that a sender may send, the solver is asked for one: a sender is left
// without only if there is none, or if the solver does not find it (`starved`).
//
// Exact for the values that are chosen, silent about all others. Machines without cycles stay finite. Bounded
// by work, one unit an edge with its values: beyond it, and beyond a number of messages, there is no result.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "expr/evaluate.h"
#include "model/specification.h"
#include "solve/solver.h"
#include "testgen/projections.h"

namespace treaty::testgen {

// A value that a message carries in one of its fields.
struct FieldValue {
    model::MessageId message;
    std::size_t field = 0;
    expr::Value value;
};

// Values by type (without integer ranges); those that a field's own type does not have are left out there.
// Or, narrow: for each field those that were given, and one where none was.
class ChosenValues {
public:
    explicit ChosenValues(const model::Specification& specification) : specification_(&specification) {}

    // Adds, unless there are max_values of that type already.
    void add(expr::TypeId type, expr::Value value);
    // Those that the conditions speak of, for each type that a message carries.
    void add_mentioned(std::span<const expr::ExprId> conditions);
    void add_narrow(const std::vector<FieldValue>& values);
    // At least one.
    std::vector<expr::Value> of(model::MessageId message, std::size_t field) const;
    // Whether these are all values of the type.
    bool all_of(expr::TypeId type) const;
    std::string print() const;  // "0, 1, 2 and true, false"

    static constexpr std::size_t max_values = 4;

private:
    std::vector<expr::Value> of(expr::TypeId type) const;

    const model::Specification* specification_;
    std::map<expr::TypeId, std::vector<expr::Value>> values_;
    bool narrow_ = false;
    std::map<std::pair<model::MessageId, std::size_t>, std::vector<expr::Value>> narrow_values_;
};

struct ConcreteMachines {
    std::vector<model::Machine> machines;  // parallel to those given; deterministic and minimal
    std::string reason;                    // empty exactly if there are machines
    bool starved = false;                  // a sender may have a value to send, and none was found
};

// All machines of one protocol, and others of its roles beside them. New messages are added to the alphabet.
// Takes what it needs from `work`.
ConcreteMachines make_concrete(model::Specification& specification,
                               const std::vector<const model::Machine*>& machines, const ChosenValues& values,
                               solve::Solver& solver, std::size_t& work, const base::Deadline& deadline = {});

}  // namespace treaty::testgen
