// A value as JSON: numbers, texts, lists and records as they are, bytes in hexadecimal, members by name.
#pragma once

#include "expr/types.h"
#include "expr/value.h"
#include "report/run.h"

namespace treaty::cli {

report::Json json_of(const expr::Value& value, expr::TypeId type, const expr::Types& types,
                     const base::Names& names);

}  // namespace treaty::cli
