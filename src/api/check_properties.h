// check_properties: whether a protocol satisfies the properties in its file, without any traffic
// (watch/property_check.h).
//
// Each property is correct, violated by some run of the protocol, never decided by any, or not decided within
// the limits. The verdict: fails if one is violated or vacuous; else undecided if one is; else holds. The
// first violation is the witness.
#pragma once

#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"
#include "watch/property_check.h"

namespace treaty::api {

struct CheckPropertiesQuestion {
    std::string file;
    std::string protocol;  // empty: the last one of the file
};

struct CheckedProperty {
    std::string name;
    watch::PropertyStatus status = watch::PropertyStatus::undecided;
    std::string reason;
    model::Run run;  // violated: that run; correct: one that passes
};

struct CheckPropertiesAnswer : Answer {
    std::vector<CheckedProperty> properties;  // in the order of the file
};

CheckPropertiesAnswer check_properties(const Workspace& workspace, const CheckPropertiesQuestion& question,
                                       const Context& context);

}  // namespace treaty::api
