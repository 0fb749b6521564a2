// Bytes that are two messages: layouts of one wire that fit the same bytes, and both conditions (`where`)
// hold.
//
// Over lines the answer is exact for messages without a condition, as long as the patterns' automata are of a
// bounded size. Otherwise (over a stream, with a length before each message, over http, and where conditions
// count) messages of both kinds are made, crossed with what seems fixed of the other kind, and made so that
// they satisfy both conditions where fields are in the same place; what is found is real, and what such a
// search does not find is not reported. Over json a message is named, so there is nothing to find. All work
// is bounded, and ends early at the deadline.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/limits.h"
#include "wire/codec.h"
#include "wire/sampler.h"

namespace treaty::wire {

struct Overlap {
    MessageIndex first = 0;  // the one that wins
    MessageIndex second = 0;
    std::string example;            // without the line's end
    bool first_is_special = false;  // what is the first is also the second: an exception before the rule
};

// rules: by MessageIndex, all messages of the specification.
std::vector<Overlap> overlaps(expr::Pool& pool, const Codec& codec, std::span<const MessageRules> rules,
                              const base::Deadline& deadline = {});

}  // namespace treaty::wire
