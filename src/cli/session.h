// One run of one verb: what it read, what it found wrong, what it answers.
//
// A verb fills in the result and returns finish(), which prints it and gives the exit code: with --json only
// the envelope on standard output; else diagnostics to standard error and the rest to standard output.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/source.h"
#include "cli/options.h"
#include "report/result.h"

namespace treaty::cli {

class Session {
public:
    explicit Session(std::string_view verb);

    Options options;
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    report::Result result;

    // Ends with the result as it stands. A result without an answer whose diagnostics have no error is ours
    // to mend, so that is checked.
    int finish();
    int holds(std::string reason = {});
    int fails(std::string reason);

    // Writes a file; the world's refusal is reported and makes the run end with "the world failed".
    bool write(const std::string& path, std::string_view text);

    base::Diagnostic& report(const base::Code& code, std::string message);
    report::Style style() const;  // of standard output
    bool on_terminal() const;     // whether a person watches standard error

private:
    std::chrono::steady_clock::time_point started_;
};

}  // namespace treaty::cli
