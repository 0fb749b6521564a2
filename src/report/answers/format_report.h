// The answer of `format` for a terminal and as JSON.
#pragma once

#include <functional>

#include "api/format.h"
#include "report/result.h"

namespace treaty::report {

// `shown`: whether the text of a file is printed, and not written back to it or only compared.
Own own_part(const api::FormatAnswer& answer, const std::function<bool(const api::FormattedFile&)>& shown);

}  // namespace treaty::report
