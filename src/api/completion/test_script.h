// Tests of `complete` as text: a line for people, a CSPM script that other tools can run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/inquiry.h"
#include "complete/sut.h"
#include "csp/script.h"

namespace treaty::api {

// "(<a, b>, c)", "(<a>, one of {b, its end})"
std::string print(const model::Alphabet& names, const complete::Test& test);

// Whether it asks if the system can end there: that is its offer, or part of it.
bool about_end(const complete::Test& test);

// A script for `path`: a process for each test with the events inc, pass and fail that show its verdict,
// after an include of the script `file` that they are about (an underscore more for each name that the script
// has itself). Nothing after reporting why there is none.
std::optional<std::string> test_script(const Inquiry& inquiry, const model::Alphabet& names,
                                       const std::vector<complete::Test>& tests, const csp::Script& script,
                                       const std::string& file, const std::string& path);

}  // namespace treaty::api
