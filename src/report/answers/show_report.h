// The answer of `show`: the picture, and the JSON fields beside it.
#pragma once

#include "api/show.h"
#include "report/pictures.h"
#include "report/result.h"

namespace treaty::report {

// Draws the picture and writes it where it is wanted. What goes wrong is reported to the answer.
Own own_part(api::ShowAnswer& answer, const Wanted& wanted, const base::Deadline& deadline);

}  // namespace treaty::report
