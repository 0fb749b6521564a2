// The data of the messages that the tester sends: made from the protocol, so that they are valid for the
// component.
//
// For each transition that receives a message, the conditions on its fields are collected once: those of the
// step (known values, `where`), of the message's declaration, and of the wire. Values then come from
// solve::Generator; sometimes one of them is moved to a value that programs often get wrong (near_value.h),
// if the conditions allow it. Not safe for concurrent use.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "model/net.h"
#include "model/specification.h"
#include "roles/combinations.h"
#include "solve/generate.h"
#include "solve/solver.h"
#include "wire/codec.h"
#include "wire/number_pattern.h"
#include "wire/profile.h"

namespace treaty::roles {

class MessageMaker {
public:
    // All of them must outlive it. wire: none means no further conditions.
    MessageMaker(model::Specification& specification, const model::Net& net, const wire::Wire* wire,
                 std::span<const wire::MessageShape> shapes);

    enum class Data : std::uint8_t {
        plain,      // as the generator makes it
        searching,  // sometimes moved to a boundary, or next to a value that is known
    };

    // Values are drawn by its weights, if the conditions allow it; null: the generator chooses.
    void use(const wire::Profile* profile) { profile_ = profile; }

    // Values are combined by this array, if the conditions allow it; null: they are not combined.
    void use(Combinations* combinations) { combinations_ = combinations; }

    // One value per field; a fault if the conditions cannot be satisfied or no values were found. key: the
    // step for which values are combined; none: the transition itself.
    base::Result<std::vector<expr::Value>> make(model::TransitionId transition,
                                                const expr::Environment& known, solve::Choices& choices,
                                                Data data = Data::plain,
                                                std::optional<model::TransitionId> key = std::nullopt);

    // Values for which this holds as well; later: variables in it that need values too. Nothing if none are
    // found.
    std::optional<std::vector<expr::Value>> make_for(model::TransitionId transition, expr::ExprId condition,
                                                     std::span<const expr::VarId> later,
                                                     const expr::Environment& known, solve::Choices& choices);
    // Values that are allowed, and as many of the wanted ones among them as are allowed together; nothing if
    // none are found.
    std::optional<std::vector<expr::Value>> make_near(model::TransitionId transition,
                                                      std::span<const expr::Value> wanted,
                                                      const expr::Environment& known);
    // The variables for the fields of the message of this step.
    std::span<const expr::VarId> fields(model::TransitionId transition) {
        return recipe(transition).variables;
    }

    // Values that break exactly one of the conditions, which `broken` names; nothing if none can be broken
    // alone.
    std::optional<std::vector<expr::Value>> make_wrong(model::TransitionId transition,
                                                       const expr::Environment& known,
                                                       solve::Choices& choices, std::string& broken);
    // Whether a field of the message can have a value of this class (value_class.h) by its declaration, the
    // wire and the steps it is part of, whatever came before; `no` is proved. `questions` is decreased for
    // each question to the generator; at 0 the answer is `unknown`.
    solve::Found possible(model::MessageId message, std::size_t field, std::string_view value_class,
                          std::size_t& questions);
    // Questions to the solver so far, those to which the answer was known not counted.
    std::size_t solver_calls() const;
    // Values that satisfy only the declaration of the message and the wire.
    std::optional<std::vector<expr::Value>> make_declared(model::TransitionId transition,
                                                          solve::Choices& choices);

private:
    struct Recipe {
        std::vector<expr::VarId> variables;  // one per field
        expr::ExprId condition;
        std::vector<expr::ExprId> of_step, of_declaration, of_wire;  // its parts
    };
    const Recipe& recipe(model::TransitionId transition);
    const std::vector<Recipe>& occurrences(model::MessageId message);
    Recipe declared(model::MessageId message, wire::Side side);
    void add_step(Recipe& recipe, const model::Transition& transition);
    expr::ExprId all_of(std::initializer_list<std::span<const expr::ExprId>> lists);
    solve::Generated generate(const Recipe& recipe, wire::MessageIndex message,
                              const expr::Environment& known, solve::Choices& choices);
    solve::Generated combined(const Recipe& recipe, model::TransitionId transition, model::TransitionId key,
                              const expr::Environment& known, solve::Choices& choices);
    std::vector<Combinations::Levels> levels(const Recipe& recipe, model::TransitionId transition,
                                             const expr::Environment& known);
    void move_one(const Recipe& recipe, const expr::Environment& known, expr::Environment& made,
                  solve::Choices& choices);

    model::Specification& specification_;
    const model::Net& net_;
    const wire::Wire* wire_;
    std::span<const wire::MessageShape> shapes_;
    solve::Generator generator_;
    std::optional<solve::Solver> solver_;  // of what is possible
    const wire::Profile* profile_ = nullptr;
    Combinations* combinations_ = nullptr;
    absl::flat_hash_map<model::TransitionId, Recipe> recipes_;
    absl::flat_hash_map<model::MessageId, std::vector<Recipe>> occurrences_;  // at each step
    std::vector<expr::VarId> bound_;  // variables of the net: what was sent and received is known by them
};

}  // namespace treaty::roles
