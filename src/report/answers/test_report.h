// The answer of `test` for a terminal, as JSON, as a page and for CI systems.
#pragma once

#include <chrono>
#include <string>

#include "api/test_component.h"
#include "base/limits.h"
#include "report/answers/coverage_report.h"
#include "report/html_page.h"
#include "report/result.h"

namespace treaty::report {

// The verdict comes first, then what explains it and the failing run, then how to repeat it, coverage and
// numbers.
Own own_part(const api::TestAnswer& answer, const draw::Style& style,
             ValueClasses values = ValueClasses::left_out);

// While a component that should run already is not there: where it is looked for, and how long.
std::string waiting_line(const std::string& where, std::chrono::milliseconds at_most);

// request: what was tested. The answer has details, if it has any session; drawing the machine ends with the
// deadline.
CampaignPage page_of(const api::TestAnswer& answer, const api::TestRequest& request,
                     const base::Deadline& deadline);

}  // namespace treaty::report
