// The JSON that the page and the program exchange: members keep the order in which they were added.
#pragma once

#include "report/json.h"

namespace treaty::workbench {

using report::Json;

}  // namespace treaty::workbench
