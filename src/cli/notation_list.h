// Notations as `treaty convert --list` and `treaty help` show them.
#pragma once

#include <string>

#include "api/notations.h"
#include "report/json.h"

namespace treaty::cli {

std::string list_notations();                       // one line each
std::string explain(const api::NotationInfo& one);  // all that is known about it
report::Json to_json(const api::NotationInfo& one);
report::Json notations_to_json();

}  // namespace treaty::cli
