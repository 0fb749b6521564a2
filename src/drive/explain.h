// What a failure may mean: asynchrony can leave several explanations (Klomp 2018, section 2.4), and a reply
// may be right for an earlier message than the one it follows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drive/outcome.h"
#include "drive/part.h"

namespace treaty::drive {

// The message of the component that came last is wrong. Which message to the component it would have answered
// (its position), if a former one: then the conversation has slipped.
std::optional<std::size_t> answers_earlier(Part& part, std::span<const Exchange> exchanges);

// Where the component itself may have been when it sent what came last, one sentence each with what was
// expected of it there; only if there are several that differ, and where it was expected to say something.
std::vector<std::string> explanations(Part& part, std::span<const Exchange> exchanges);

// "ok to A or no to A", in the order of the protocol.
std::string names_of(const Part& part, std::span<const track::ExpectedOutput> outputs);

}  // namespace treaty::drive
