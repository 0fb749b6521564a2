// What a test has covered, in words and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/campaign/tested_coverage.h"
#include "report/json.h"

namespace treaty::report {

// One sentence for each step that was never seen, and one for each field of which classes of values were
// never seen.
std::vector<std::string> never_seen(const api::TestedCoverage& coverage, std::string_view component);

// all_passed: of a campaign that failed it is not known what the component never does.
std::string print(const api::TestedCoverage& coverage, std::string_view component, bool all_passed);

Json to_json(const api::TestedCoverage& coverage, std::string_view component);

}  // namespace treaty::report
