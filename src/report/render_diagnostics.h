// Diagnostics as a person reads them on a terminal.
//
//     error[T0312]: `D` is not a role of `Withdraw`
//      --> atm.treaty:3:10
//       |
//     1 | protocol Withdraw(C, A, B) {
//       |          -------- declared here
//     ...
//     3 |     C -> D: withdraw
//       |          ^
//       |
//       = help: did you mean `C`?
//
// Carets are under the right columns whatever the line contains: tabs count four columns, wide characters
// two. Only a window of a very long line is shown. Nothing from the file reaches the terminal as a control
// character. Cost: linear in what is printed plus the lines looked at.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "base/source.h"
#include "draw/style.h"

namespace treaty::report {

// One diagnostic; ends with a line break.
std::string render(const base::Diagnostic& diagnostic, const base::SourceMap& sources,
                   const draw::Style& style);

// All of them, a blank line after each, then the summary line. Empty if there are none.
std::string render(const base::Diagnostics& diagnostics, const base::SourceMap& sources,
                   const draw::Style& style);

// "2 errors, 1 warning"; empty if there is neither.
std::string summary(const base::Diagnostics& diagnostics);

// The message of the first error; empty if there is none.
std::string first_error(const base::Diagnostics& diagnostics);

}  // namespace treaty::report
