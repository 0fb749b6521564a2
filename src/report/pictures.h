// Pictures that belong to an answer: written to a file by its extension, or put into the text.
#pragma once

#include <string>

#include "api/answer.h"
#include "base/limits.h"
#include "draw/chart.h"
#include "report/result.h"

namespace treaty::report {

// What is wanted: `output` is a path or empty; `format` (svg, dot, txt) is for standard output.
struct Wanted {
    std::string output;
    std::string format;
};

// All return false after reporting to the answer what went wrong; it has no verdict then. Without a path the
// picture becomes the text.
bool write_graph(api::Answer& answer, Own& own, const std::string& dot, const Wanted& wanted,
                 const base::Deadline& deadline);  // .svg or .dot
bool write_chart(api::Answer& answer, Own& own, const draw::Chart& chart,
                 const Wanted& wanted);  // .svg or .txt
bool write_chart(api::Answer& answer, Own& own, const draw::Chart& chart, const std::string& output);

}  // namespace treaty::report
