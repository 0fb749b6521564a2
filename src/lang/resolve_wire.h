// Wires and properties: what they refer to, and whether they fit together. Internal to lang/.
#pragma once

#include "lang/context.h"

namespace treaty::lang {

void resolve_wires(Context& context);
void resolve_properties(Context& context);

}  // namespace treaty::lang
