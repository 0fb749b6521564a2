// OpenAPI 3.0 and 3.1, in only: the operations of a service as a protocol between a client and a server.
//
// Each operation is a request message, and each of its responses a message; their layouts over HTTP with JSON
// bodies are a wire. Schemas become types and conditions: type, enum, const, ranges, lengths, pattern, format
// (date, date-time, uuid), required, nullable, arrays, objects, allOf; oneOf and anyOf of a whole body become
// one message each. `$ref` is followed in the document and to files beside it. Links become order: after the
// response, the client may call the linked operation with the values that the link names.
//
// The reader makes a .treaty text, with comments where the document does not state something, and reads that
// like any other; steps and messages point at the lines of the document. So what comes back obeys the rules
// of the language, and `treaty convert api.yaml -o api.treaty` writes that text. What has no counterpart is
// reported (T0863), never left out silently. Bounded: formats/yaml_tree.h, and 20,000 schemas with references
// replaced.
#pragma once

#include <string_view>

#include "formats/notation.h"

namespace treaty::formats {

bool is_openapi(std::string_view text);
Loaded load_openapi(const Loading& loading);

}  // namespace treaty::formats
