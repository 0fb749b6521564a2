// Kept failures in words and as JSON; shared by the reports of `test` and `replay`.
#pragma once

#include <cstdint>
#include <string>

#include "api/program/kept_failures.h"
#include "report/json.h"

namespace treaty::report {

// The command that tries one of them again.
std::string replay_command(const std::string& store, std::int64_t number);

Json to_json(const api::KeptFailure& failure, const std::string& store);

// What became of one that `test` has tried first; ends with a line break.
std::string print(const api::KeptFailure& failure, const std::string& store);

}  // namespace treaty::report
