// The condition of a message (`where`), ready to be asked of fields that were just decoded. Internal to
// wire/.
//
// It takes part in choosing the message: of the layouts that fit the bytes, one whose condition holds is
// preferred. A condition without a value does not hold.
#pragma once

#include <span>

#include "wire/engine.h"
#include "wire/formula.h"

namespace treaty::wire {

class Condition {
public:
    Condition(const expr::Pool& pool, const MessageShape& shape);

    // Uses the scratch's cells. A message without a condition is always right.
    bool holds(std::span<const FieldView> fields, Scratch& scratch) const;

private:
    Formula formula_;
};

// One for each message.
std::vector<Condition> conditions_of(const expr::Pool& pool, std::span<const MessageShape> shapes);

}  // namespace treaty::wire
