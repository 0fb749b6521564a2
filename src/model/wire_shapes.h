// The messages of a specification as codecs want to know them, by MessageId.
#pragma once

#include <vector>

#include "model/specification.h"
#include "wire/codec.h"
#include "wire/sampler.h"

namespace treaty::model {

std::vector<wire::MessageShape> wire_shapes(const Specification& specification);

// What the specification, which must outlive them, says of its messages' data.
std::vector<wire::MessageRules> wire_rules(const Specification& specification);

// The wire of that name, or without a name the last one; null if there is none.
const wire::Wire* find_wire(const Specification& specification, std::string_view name);

}  // namespace treaty::model
