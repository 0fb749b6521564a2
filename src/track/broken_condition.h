// Which condition an event breaks, for messages to people: `amount == n * 10 = 100`.
//
// Asked when a tracker has refused an event whose label it expects, now or after outputs on other channels
// that have not arrived yet: the steps that have this label are known, and so are the values that the
// conversation has had so far. For each of them the first condition that the event's values break is found
// and printed with what it comes to. Cost: as much as one step of tracking.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/specification.h"
#include "track/tracker.h"

namespace treaty::track {

struct BrokenCondition {
    model::NodeId node;  // the step that has it
    std::string text;    // in terms of the message's fields

    friend bool operator==(const BrokenCondition&, const BrokenCondition&) = default;
};

// One for each step that would take the event with other values; none where what is wrong is not its data.
std::vector<BrokenCondition> broken_conditions(const model::Specification& specification, Tracker& tracker,
                                               model::LabelId label, std::span<const expr::Value> values);

// What these values break of the message's own declaration: the type of a field or the `where`; empty if
// nothing.
std::string broken_declaration(const model::Specification& specification, model::MessageId message,
                               std::span<const expr::Value> values);

// A value for a line of text: long ones are cut.
std::string print_short(const model::Specification& specification, const expr::Value& value,
                        expr::TypeId type);

}  // namespace treaty::track
