// Pictures, written to a file by its extension or put into the result.
#pragma once

#include <string>

#include "cli/session.h"
#include "report/chart.h"

namespace treaty::cli {

// What is wanted: `output` is a path or empty; `format` (svg, dot, txt) is for standard output.
struct Wanted {
    std::string output;
    std::string format;
};

// All return false after reporting what went wrong. Without a path the picture becomes the result's text.
bool write_graph(Session& session, const std::string& dot, const Wanted& wanted);      // .svg or .dot
bool write_chart(Session& session, const report::Chart& chart, const Wanted& wanted);  // .svg or .txt
bool write_chart(Session& session, const report::Chart& chart, const std::string& output);

}  // namespace treaty::cli
