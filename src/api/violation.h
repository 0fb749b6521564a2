// What a process did and its specification does not allow, with the names of the events.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "explore/refine/refine.h"
#include "model/alphabet.h"

namespace treaty::api {

std::vector<std::string> names_of(const model::Alphabet& alphabet, std::span<const model::LabelId> trace);

// What an implementation did and a specification does not allow (explore/refine/refine.h), with the names of
// the events. A successful end is "tick".
struct RefinementViolation {
    explore::Violation kind = explore::Violation::event;
    std::vector<std::string> trace;
    std::vector<std::string> allowed;  // what the specification offers there
    // Of a refusal: what the implementation offers, what it refuses, and sets of which it must not refuse
    // everything.
    std::vector<std::string> offers, refuses;
    std::vector<std::vector<std::string>> must_offer_one_of;
};
RefinementViolation violation_of(const model::Alphabet& alphabet, const explore::Counterexample& found);

}  // namespace treaty::api
