// What a test has covered, in words and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/program/tested_coverage.h"
#include "report/json.h"

namespace treaty::report {

// One sentence for each step that was never seen, and one for each field of which classes of values were
// never seen.
std::vector<std::string> never_seen(const api::TestedCoverage& coverage, std::string_view component);

// Whether classes of field values are listed: those of identifiers and tags are noise, so only on request.
enum class ValueClasses : std::uint8_t { left_out, shown };

// all_passed: of a campaign that failed it is not known what the component never does.
std::string print(const api::TestedCoverage& coverage, std::string_view component, bool all_passed,
                  ValueClasses values);

Json to_json(const api::TestedCoverage& coverage, std::string_view component);

}  // namespace treaty::report
