// The data of the messages that the tester sends: made from the protocol, so that the component may expect
// them.
//
// For each transition that receives a message, the conditions on its fields are put together once: what the
// step says (known values, `where`), what the message's declaration says, what the wire can carry. Values
// then come from expr::Generator. Not safe for concurrent use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "expr/generate.h"
#include "model/net.h"
#include "model/specification.h"
#include "wire/codec.h"

namespace treaty::drive {

class MessageMaker {
public:
    // All of them must outlive it. wire: none means no further conditions.
    MessageMaker(model::Specification& specification, const model::Net& net, const wire::Wire* wire,
                 std::span<const wire::MessageShape> shapes);

    // One value a field. Nothing, and the reason in `why`, if the conditions cannot be met or it is not known
    // how.
    std::optional<std::vector<expr::Value>> make(model::TransitionId transition,
                                                 const expr::Environment& known, expr::Choices& choices,
                                                 std::string& why);

private:
    struct Recipe {
        std::vector<expr::VarId> variables;  // one a field
        expr::ExprId condition;
    };
    const Recipe& recipe(model::TransitionId transition);

    model::Specification& specification_;
    const model::Net& net_;
    const wire::Wire* wire_;
    std::span<const wire::MessageShape> shapes_;
    expr::Generator generator_;
    absl::flat_hash_map<model::TransitionId, Recipe> recipes_;
};

}  // namespace treaty::drive
