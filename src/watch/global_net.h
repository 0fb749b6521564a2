// The nets that monitors follow: without data, or with interactions that last.
#pragma once

#include <optional>

#include "model/net.h"

namespace treaty::watch {

// The same net with conditions as choices and without data.
model::Net without_data(const model::Net& net);

// Each interaction becomes two steps, its sending (which takes the tokens, with its data) and its reception
// (which gives them on), so that what follows in the protocol begins after the reception.
model::Net lasting(const model::Net& net);

}  // namespace treaty::watch
