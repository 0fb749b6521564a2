// Where the values of a document are: the same place in two layouts may hold a field here and a constant
// there. Internal to wire/.
#pragma once

#include <vector>

#include "expr/pool.h"
#include "model/wire.h"

namespace treaty::wire {

// The values of a message with this layout, where those fields have the value that the other layout has as a
// constant in the same place: a step of the path, a parameter, a header, a member of the JSON document. So
// the message may be one of both layouts.
std::vector<expr::Value> with_constants_of(const expr::Pool& pool, const model::Layout& layout,
                                           std::vector<expr::Value> values, const model::Layout& other);

}  // namespace treaty::wire
