// What an event may carry, value by value, where every value that matters is tried (value_choice.h).
//
// A row holds the values of the fields of one message that are tested, in the order of the fields; the other
// fields are left out. Safe to use from one thread at a time; what it refers to must outlive it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/evaluate.h"
#include "model/machine.h"
#include "model/specification.h"
#include "symbolic/value_choice.h"
#include "symbolic/value_sets.h"

namespace treaty::symbolic {

class MessageValues {
public:
    using Row = std::vector<expr::Value>;

    struct Limits {
        std::size_t values = 64;  // of one field
        std::size_t rows = 5000;
    };

    MessageValues(const model::Specification& specification, const ValueChoice& choice)
        : specification_(specification), pool_(*specification.pool), choice_(choice) {}

    // What a sender could put into the message: each free field with every value that is tried; or why they
    // cannot be tried. Adds to the pool.
    base::Result<std::vector<Row>> rows(model::MessageId message, const model::EdgeData& data,
                                        const expr::Environment& environment, const Limits& limits) const;

    // Whether the event may carry the row; then `environment` holds the variables after it.
    bool fits(model::MessageId message, const model::EdgeData& data, const Row& row,
              expr::Environment& environment) const;

    // The variables after the computations of a step; those that no test depends on are left out.
    void assign(const model::EdgeData& data, expr::Environment& environment) const;

    // "m(3, _)": the message with its values as the name of a message of its own.
    std::string name(model::MessageId message, const Row& row) const;

private:
    struct Sending;
    struct Draft;
    std::optional<Draft> begun(const Sending& sending, const expr::Environment& environment) const;
    void choose(const Sending& sending, Draft& draft, std::size_t i, const expr::Value& value) const;
    std::array<NamedCondition, 2> conditions(const Sending& sending, std::size_t field) const;
    struct FieldOptions;
    base::Result<FieldOptions> next_field(const Sending& sending, const Draft& draft, std::size_t most) const;
    std::vector<std::size_t> tested_fields(model::MessageId message) const;
    const std::vector<expr::Field>& fields(model::MessageId message) const;

    const model::Specification& specification_;
    expr::Pool& pool_;
    const ValueChoice& choice_;
};

}  // namespace treaty::symbolic
