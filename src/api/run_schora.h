// The commands of a SChorA script, for `run`.
#pragma once

#include <string>

#include "api/inquiry.h"
#include "api/run.h"

namespace treaty::api {

void run_schora(const Inquiry& inquiry, const std::string& path, RunAnswer& answer);

}  // namespace treaty::api
