// Numbers of any size as JSON: a number if every reader keeps it exactly, else a text of its digits.
#pragma once

#include <variant>

#include "api/suite/test_source.h"
#include "report/json.h"

namespace treaty::report {

inline Json to_json(const api::Count& count) {
    return std::visit([](const auto& exact) { return Json(exact); }, api::exact_in_json(count));
}

}  // namespace treaty::report
