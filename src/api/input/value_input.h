// Values that a person types: JSON, with bare words where they are clear.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "expr/value.h"
#include "model/specification.h"

namespace treaty::api {

// A value of the type, the inverse of json_of (value_json.h): numbers, true, false, texts in quotes or as
// they are, members of enumerations by name, bytes as hexadecimal digits, lists and objects, null for none.
// Nothing if the text is not a value of the type.
std::optional<expr::Value> read_value(const model::Specification& specification, expr::TypeId type,
                                      std::string_view text);

// How such a value is asked for: "int", "text", "one of red, green".
std::string describe_type(const model::Specification& specification, expr::TypeId type);

}  // namespace treaty::api
