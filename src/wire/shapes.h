// The messages of a specification as codecs and samplers want to know them, by MessageId.
#pragma once

#include <vector>

#include "model/specification.h"
#include "wire/codec.h"
#include "wire/sampler.h"

namespace treaty::wire {

std::vector<MessageShape> message_shapes(const model::Specification& specification);

// What the specification, which must outlive them, states about its messages' data.
std::vector<MessageRules> message_rules(const model::Specification& specification);

}  // namespace treaty::wire
