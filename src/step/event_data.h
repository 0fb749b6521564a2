// Data for events that a person chooses: values that satisfy the step and the message's declaration.
//
// Unlike roles/message_maker.h it knows no wire, and tells "there are no such values" from "none was found".
// Not safe for concurrent use.
#pragma once

#include <vector>

#include <absl/container/flat_hash_map.h>

#include "model/net.h"
#include "model/specification.h"
#include "solve/generate.h"

namespace treaty::step {

class EventData {
public:
    // Both must outlive it.
    EventData(model::Specification& specification, const model::Net& net);

    struct Made {
        solve::Found found = solve::Found::unknown;
        std::vector<expr::Value> values;                // if found
        std::vector<std::optional<expr::Value>> fixed;  // one per field: values known beforehand
    };
    Made make(model::TransitionId transition, const expr::Environment& known, solve::Choices& choices);

    // Whether there is a value of its type for each field, and what the message's declaration says of them
    // holds.
    bool declared(model::MessageId message, const std::vector<expr::Value>& values) const;

private:
    struct Recipe {
        std::vector<expr::VarId> variables;  // one per field
        expr::ExprId condition;
    };
    const Recipe& recipe(model::TransitionId transition);

    model::Specification& specification_;
    const model::Net& net_;
    solve::Generator generator_;
    absl::flat_hash_map<model::TransitionId, Recipe> recipes_;
};

}  // namespace treaty::step
