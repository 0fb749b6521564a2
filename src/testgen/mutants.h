// Components that are wrong in one place: the operators of Coto 2023, table 3.2, on the role's machine, and
// changes of the protocol itself that reach the role's machine.
//
// On the machine, for each place where it applies:
//   remove output      a send is taken away
//   change message     another message: each one that this channel has, and one that no role knows
//   change direction   a send becomes a receive from the same role, a receive a send to it
//   remove state       a state other than the first is taken away, with all its edges
//   repeat transition  an edge must be taken twice, with a new state between
// On the protocol, only what changes the role's machine:
//   drop, duplicate    an interaction is left out, or happens twice
//   swap               two steps that follow each other change places
//   redirect           an interaction goes to, or comes from, another role
//   move branch        what follows the first step in two branches of a choice changes places
//   change data        a condition or a value is changed: negated, moved by one, `and` and `or` exchanged
// A step of a loop is changed in all rounds at once, as if the protocol had been written so.
// Tests leave data aside, so what a change of data does is looked at by itself (judge_with_data.h). Values
// that may show it are kept with it: those with which the two expressions differ, which the solver finds, and
// the neighbours of what they mention.
//
// The same machine and protocol always give the same mutants in the same order. New labels are added to the
// alphabet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "testgen/projections.h"

namespace treaty::testgen {

enum class Operator : std::uint8_t {
    remove_output,
    change_message,
    change_direction,
    remove_state,
    repeat_transition,
    drop,
    duplicate,
    swap,
    redirect,
    move_branch,
    change_data,
};
inline constexpr std::size_t operator_count = 11;
std::string_view to_string(Operator op);   // "change message"
std::string_view short_name(Operator op);  // as in Coto 2023, table 3.2, where it has one: "CML"
inline bool on_machine(Operator op) {
    return op <= Operator::repeat_transition;
}

// What a change is judged by if there is data: all machines of the protocol with chosen values.
struct DataSetting {
    Projections projections;                  // concrete
    std::optional<model::Machine> component;  // the mutant, concrete
    std::optional<model::Machine> reference;  // what must pass a test, if it is not the role's projection
    std::string values;                       // "0, 1, 2"
    bool all_values = false;                  // there are no others
    bool starved = false;                     // a sender may have a value, and none was found (concrete.h)
};

struct Mutant {
    Operator op = Operator::remove_output;
    model::Machine machine;
    std::string what;                 // what was changed, in one line
    model::NodeId node;               // the step it is about; none if unknown
    model::StateId state;             // of the original machine, where one place of it was changed
    std::uint32_t edge = UINT32_MAX;  // of that state
    model::LabelId label;             // what its label becomes, where that is changed
    // With data only: the mutant as it is. A change of data is judged by this alone, other changes if without
    // data nothing is wrong.
    std::shared_ptr<const model::Machine> with_data;
    std::vector<std::pair<expr::TypeId, expr::Value>> values;  // that may show it, if one must choose
    std::string same;     // not empty: why the changed expression always means the same
    std::string unseen;   // not empty: why no role that follows the protocol can tell
    std::string unknown;  // not empty: why there are no machines to judge
};

std::vector<Mutant> mutate_machine(const model::Machine& machine);
// The same of a role's projection, with data where there is some (lift_mutants.h).
std::vector<Mutant> mutate_machine(const Projections& projections, model::RoleId cut);
// After the deadline mutants have no machines of their own any more: `unknown` says so.
std::vector<Mutant> mutate_protocol(const Projections& projections, model::RoleId cut,
                                    base::Deadline deadline = {});
// Only the changes of data; mutate_protocol() ends with them.
std::vector<Mutant> mutate_data(const Projections& projections, model::RoleId cut,
                                base::Deadline deadline = {});

// Whether the mutant only does less of its own choosing than the original: a simulation in which it may leave
// out sends as long as one is left where the original must send, receives exactly what the original does, and
// ends only where the original may. Such a component is correct wherever the original is. The original is
// deterministic. With `taken` (by state and edge of the mutant), an edge that is never taken and that the
// original does not have counts for nothing: the answer is then about the runs that `taken` was found in.
using TakenEdges = std::vector<std::vector<bool>>;
bool refines(const model::Machine& mutant, const model::Machine& original, const TakenEdges* taken = nullptr);

}  // namespace treaty::testgen
