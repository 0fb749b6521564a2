// Pomsets as a picture: one cluster for each branch, an arrow where one event is directly before another.
#pragma once

#include <string>

#include "choreo/pomset.h"
#include "model/specification.h"

namespace treaty::api {

std::string write_dot(const model::Specification& specification, const model::Protocol& protocol,
                      const choreo::PomsetFamily& family);

}  // namespace treaty::api
