// Values as JSON: numbers, texts, lists and records as they are, bytes in hexadecimal, members by name. A
// text that is not UTF-8 is {"hex": "9f"}, so that different texts never look alike.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "expr/datum.h"
#include "expr/types.h"
#include "expr/value.h"

namespace treaty::api {

nlohmann::ordered_json json_of(const expr::Datum& datum);
nlohmann::ordered_json json_of(const expr::DatumFields& fields);
nlohmann::ordered_json json_of(const expr::Value& value, expr::TypeId type, const expr::Types& types,
                               const base::Names& names);

nlohmann::ordered_json json_of_text(const std::string& text);
// Back: a string, or {"hex": "..."}; nothing for anything else.
std::optional<std::string> text_of_json(const nlohmann::ordered_json& json);

}  // namespace treaty::api
