// Every model as JSON, out and in: {"treaty": 1, "model": "specification" | "net" | "machine" | "system",
// ...}.
//
// The schema and its version are documented in docs/json.md. Reading what was written gives the same model up
// to source positions, and writing that gives the same bytes. Reading checks everything: a missing or wrong
// value is a diagnostic with its place and JSON pointer, unknown keys are ignored. Cost: linear both ways.
// Bounded: depth and number of values (json_tree.h), depth of protocols, types and expressions.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/source.h"
#include "formats/loaded.h"

namespace treaty::formats {

constexpr int json_version = 1;

std::string write_json(const model::Specification& specification);
std::string write_json(const model::Net& net);
std::string write_json(const model::Machine& machine);
std::string write_json(const model::System& system);

// Holds std::monostate if an error was reported.
Loaded read_json(const base::SourceMap& sources, base::FileId file, base::Diagnostics& diagnostics);

}  // namespace treaty::formats
