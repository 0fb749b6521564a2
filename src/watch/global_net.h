// The nets that monitors follow: without data, or with as little as counts, or with interactions that last.
#pragma once

#include <cstdint>
#include <vector>

#include "model/net.h"

namespace treaty::watch {

// The same net with conditions as choices and without data.
model::Net without_data(const model::Net& net);

// The same net without what its data is never asked for: values are not bound to variables that nothing
// reads, and an event whose data nothing looks at takes any, as long as there are so many values.
constexpr std::uint32_t any_arity = ~0u;
struct ReducedNet {
    model::Net net;
    std::vector<std::uint32_t> arity;  // by label: how many values an event must have, or any
};
ReducedNet without_unread(const model::Net& net);

// Each interaction becomes two steps, its sending (which takes the tokens, with its data) and its reception
// (which gives them on), so that what follows in the protocol begins after the reception.
model::Net lasting(const model::Net& net);

}  // namespace treaty::watch
