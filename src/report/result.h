// The result of any verb: one answer, what it rests on, and how it looks as JSON and on a terminal.
//
// Either the question has an answer, or there was none to give: the input was bad, or the world failed. The
// exit code is computed from that and from nothing else, so the two always agree. The JSON envelope is
// version 1; fields are added, never renamed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/answer.h"
#include "base/diagnostic.h"
#include "base/source.h"
#include "report/run.h"
#include "report/style.h"

namespace treaty::report {

struct Result {
    std::string verb;
    std::vector<std::string> inputs;
    std::optional<base::Answer> answer;  // none: bad input, or the world failed
    bool world_failed = false;
    std::string reason;     // one line: why this answer
    std::string condition;  // under which it holds
    Json bound;             // what was reached when it is undecided; null: nothing to say
    std::optional<Run> witness;
    Json stats = Json::object();
    Json extra = Json::object();  // the verb's own fields, beside the envelope's

    std::string text;    // the verb's own output on a terminal: ends with a line break if not empty
    bool quiet = false;  // the text says it all: no line for the answer

    base::Exit exit() const;
};

constexpr int envelope_version = 1;

Json to_json(const Result& result, const base::Diagnostics& diagnostics, const base::SourceMap& sources);

// As text, bytes that are not UTF-8 replaced; ends with a line break.
std::string to_json_text(const Result& result, const base::Diagnostics& diagnostics,
                         const base::SourceMap& sources);

// What standard output shows: the text, the answer and its reason, the condition, the bound, the witness.
std::string to_terminal(const Result& result, const Style& style);

}  // namespace treaty::report
