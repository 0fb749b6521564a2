// Runs a helper program to its end: text in, text out.
//
// Started with exec (posix_spawn), so it may be called from any thread of a program with many: nothing of
// ours runs between fork and exec. It gets three pipes and no other descriptor of ours, and signals as a new
// program has them. It is killed when the deadline passes. Unlike a component (component.h) it is trusted:
// what it starts is its own matter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"

namespace treaty::process {

struct RunResult {
    // killed: because the deadline passed; the deadline knows whether by time or by request.
    enum class End : std::uint8_t { exited, signalled, killed } end = End::killed;
    int number = 0;  // exit status, or the signal
    std::string output, errors;
};

// words: the path of the program and its arguments. input: what it reads from its standard input. A fault if
// the program cannot be started.
base::Result<RunResult> run(const std::vector<std::string>& words, std::string_view input,
                            const base::Deadline& deadline);

}  // namespace treaty::process
