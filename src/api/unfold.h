// unfold: a protocol without loops, each unrolled a number of times (choreo/unfold.h), as text.
//
// Holds with the text. A protocol that cannot be unfolded, or does not fit the notation, is reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"

namespace treaty::api {

struct UnfoldQuestion {
    std::string file;
    std::string protocol;     // empty: the last one of the file
    std::uint64_t times = 1;  // rounds of each loop, at most
    // An extension of files: "treaty", "gc", "json"; what it cannot carry is an error. None: in the language
    // of .treaty, for people, even if it is not one that could be read again.
    std::optional<std::string> notation;
};

struct UnfoldAnswer : Answer {
    bool unfolded = false;   // false: what follows is not known
    std::size_t steps = 0;   // of the unfolded protocol
    bool truncated = false;  // a part ends early, because a loop could not be left there
    std::string text;
};

UnfoldAnswer unfold(const Workspace& workspace, const UnfoldQuestion& question, const Context& context);

}  // namespace treaty::api
