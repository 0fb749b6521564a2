// -o and --format of `tests`: cases, or a component that passes them, written to files.
#pragma once

#include <string>

#include "api/adherence.h"
#include "api/tests.h"
#include "cli/session.h"

namespace treaty::cli {

struct TestOutput {
    std::string path;    // FILE.json, or a folder
    std::string format;  // of the cases in a folder: fsa or json; empty: what fits
};

// False after reporting that the cases that are asked for cannot be written so.
bool usable(Session& session, const TestOutput& output, const api::TestsQuestion& question);

// Writes the cases. A fault of the environment is reported to the answer, which then has no verdict; when
// interrupted it is undecided.
void write_tests(api::TestsAnswer& answer, report::Own& own, const api::RoleTests& tests,
                 const TestOutput& output, const base::Deadline& deadline);

// Writes the component as a picture (.svg, .dot), or together with the case that it is seen in.
void write_component(api::AdherenceAnswer& answer, report::Own& own, const api::WrongComponent& wrong,
                     const std::string& path, const base::Deadline& deadline);

}  // namespace treaty::cli
