// The answer of `complete` for a terminal, as JSON, and its tests as files.
#pragma once

#include <string>

#include "api/complete.h"
#include "report/result.h"

namespace treaty::report {

// What is known before the first test: the alphabet, and whether testing ends. Tests may take long, so it is
// printed before they are run.
std::string text_before_tests(const api::CompleteAnswer& answer);

// shown_before: whether text_before_tests() was printed already.
Own own_part(const api::CompleteAnswer& answer, bool shown_before);

// Writes a plan by the extension of `path`: .txt, a line each; .json; .csp, if the specification is a script.
// What goes wrong is reported to the answer, which then has no verdict.
void write_tests(api::CompleteAnswer& answer, const std::string& path);

}  // namespace treaty::report
