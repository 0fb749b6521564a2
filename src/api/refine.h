// refine: is everything that one process can do, or refuse, allowed by another (explore/refine/refine.h)?
//
// Ends are compared only if both notations can write them; data is left aside. Fails with the shortest run
// that is not allowed. At most 5,000,000 states, unless the context has another limit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/models/processes.h"
#include "api/workspace.h"
#include "explore/refine/refine.h"

namespace treaty::api {

struct RefineQuestion {
    std::string specification = {}, implementation = {};  // FILE or FILE:NAME (api/models/processes.h)
    explore::Observation observation = explore::Observation::traces;
    bool antichain = true;  // leave out pairs that a stricter one covers
};

struct RefineAnswer : Answer {
    explore::Observation observation = explore::Observation::traces;
    std::vector<ProcessName> chosen;  // files without a name, and the definition that was taken
    bool ends_compared = true;
    bool data_left_aside = false;
    bool compared = false;  // else one of the two could not be read
    std::uint64_t pairs = 0, transitions = 0;
    std::uint32_t depth = 0;                          // visible events
    std::shared_ptr<const model::Alphabet> alphabet;  // for the labels of the counterexample
    std::optional<explore::Counterexample> counterexample;
};

RefineAnswer refine(const Workspace& workspace, const RefineQuestion& question, const Context& context);

}  // namespace treaty::api
