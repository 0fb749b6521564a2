// Arazzo 1.0, in only: the workflows over the services of OpenAPI documents as protocols, one for each
// workflow.
//
// A step is a request and its responses: those that meet the success criteria lead to the next step, or where
// an action says; the others end the workflow, or go where a failure action says (goto, retry, end). What a
// step puts out is bound by `let` and given to later steps. The messages and the wire are those of the
// OpenAPI documents (formats/openapi), which are files beside this one.
//
// What has no counterpart is reported (T0863). Bounded as formats/openapi is; a workflow nests at most 150
// steps and becomes at most 20,000 lines, since a step that several others lead to is written several times.
#pragma once

#include <string_view>

#include "formats/notation.h"

namespace treaty::formats {

bool is_arazzo(std::string_view text);
Loaded load_arazzo(const Loading& loading);

}  // namespace treaty::formats
