// Any answer as JSON and on a terminal: what all answers have in common, with what is particular to one.
//
// The JSON envelope is version 1; fields are added, never renamed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "base/source.h"
#include "draw/style.h"
#include "report/json.h"
#include "report/run.h"

namespace treaty::report {

// What is particular to one answer, beside what all answers have.
struct Own {
    std::string text;              // on a terminal, before the verdict: ends with a line break if not empty
    bool quiet = false;            // the text is complete: no line for the verdict
    Json fields = Json::object();  // beside those of the envelope
    Json stats = Json::object();
    // Where the verdict comes first, everything is after it: what explains it, before the run that shows it,
    // and what is less urgent, after the run. Each ends with a line break if not empty.
    std::string details = {}, rest = {};
};

// An answer whose own part is filled in by a verb.
struct Result : api::Answer {
    std::string verb;
    Json stats = Json::object();
    Json extra = Json::object();  // the verb's own fields, beside the envelope's
    std::string text;             // the verb's own output on a terminal: ends with a line break if not empty
    bool quiet = false;           // the text is complete: no line for the answer

    Own own() const { return {text, quiet, extra, stats, {}, {}}; }
};

constexpr int envelope_version = 1;

Json to_json(std::string_view verb, const api::Answer& answer, const Own& own,
             const base::SourceMap& sources);

// As text, bytes that are not UTF-8 replaced; ends with a line break.
std::string to_json_text(std::string_view verb, const api::Answer& answer, const Own& own,
                         const base::SourceMap& sources);

// What standard output shows: the text, the verdict and its reason, the condition, the bound, the details,
// the witness, the rest.
std::string to_terminal(const api::Answer& answer, const Own& own, const draw::Style& style);

}  // namespace treaty::report
