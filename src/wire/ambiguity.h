// Bytes that are two messages: layouts of one wire that fit the same bytes.
//
// Over lines the answer is exact as long as the patterns' automata are of a bounded size. Over a stream, with
// a length before each message, and over http, messages of both kinds are made, and crossed with what seems
// fixed of the other kind; what is found is real, and what such a search does not find is not. Over json a
// message is named, so there is nothing to find. All work is bounded.
#pragma once

#include <span>
#include <string>
#include <vector>

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
std::vector<Overlap> overlaps(expr::Pool& pool, const Codec& codec, std::span<const MessageRules> rules);

}  // namespace treaty::wire
