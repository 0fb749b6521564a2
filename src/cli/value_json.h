// A value as JSON: numbers, texts, lists and records as they are, bytes in hexadecimal, members by name. A
// text that is not UTF-8 is {"hex": "9f"}, so that different texts never look alike.
#pragma once

#include <optional>
#include <string>

#include "expr/types.h"
#include "expr/value.h"
#include "report/run.h"

namespace treaty::cli {

report::Json json_of_text(const std::string& text);
// Back: a string, or {"hex": "..."}; nothing for anything else.
std::optional<std::string> text_of_json(const report::Json& json);

report::Json json_of(const expr::Value& value, expr::TypeId type, const expr::Types& types,
                     const base::Names& names);

}  // namespace treaty::cli
