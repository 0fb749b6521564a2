// Tests of `treaty complete` as people and programs read them: a line, JSON, a file.
#pragma once

#include <string>

#include "cli/session.h"
#include "complete/sut.h"
#include "csp/script.h"
#include "report/run.h"

namespace treaty::cli {

// "(<a, b>, c)", "(<a>, one of {b, its end})"
std::string print(const model::Alphabet& names, const complete::Test& test);
report::Json to_json(const model::Alphabet& names, const complete::Test& test);

// What the tests are about: the file, and the script that was read from it, if it is one.
struct TestsOf {
    const std::string& file;
    const csp::Script* script;
};

// Writes tests to a file by its extension: .txt, a line each; .json; .csp, a process each with the events
// inc, pass and fail that tell its verdict, behind the script they are about (an underscore more for each
// name that the script has itself). False after reporting why nothing was written.
bool write_tests(Session& session, const model::Alphabet& names, const std::vector<complete::Test>& tests,
                 const TestsOf& of, const std::string& path);

}  // namespace treaty::cli
