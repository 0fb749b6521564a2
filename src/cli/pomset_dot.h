// Pomsets as a picture: one cluster a branch, an arrow where one event stands directly before another.
#pragma once

#include <string>

#include "choreo/pomset.h"
#include "model/specification.h"

namespace treaty::cli {

std::string write_dot(const model::Specification& specification, const model::Protocol& protocol,
                      const choreo::PomsetFamily& family);

}  // namespace treaty::cli
