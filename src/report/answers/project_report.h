// The answers of `project` and `repair` for a terminal and as JSON.
#pragma once

#include "api/project.h"
#include "api/repair.h"
#include "report/result.h"

namespace treaty::report {

// listing: how the machine is listed on a terminal; null if it is written to a file.
Own own_part(const api::ProjectAnswer& answer, const draw::Style* listing);
Own own_part(const api::RepairAnswer& answer, const draw::Style* listing);

}  // namespace treaty::report
