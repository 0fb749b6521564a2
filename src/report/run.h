// Runs as JSON and as text.
#pragma once

#include <string>

#include "draw/style.h"
#include "model/run.h"
#include "report/json.h"

namespace treaty::report {

Json to_json(const expr::Datum& datum);
Json to_json(const expr::DatumFields& fields);
Json to_json(const model::Run& run);

// One event per line, numbered, with the source line where known; then the ending.
std::string print(const model::Run& run, const draw::Style& style);

}  // namespace treaty::report
