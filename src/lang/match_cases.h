// What the cases of a `match` mean: a condition each, no value twice, none forgotten. Internal to lang/.
#pragma once

#include <vector>

#include "lang/context.h"
#include "lang/scope.h"

namespace treaty::lang {

// One condition for each case, to be tried in this order; none for the last one if it takes what is left.
// Reports cases that are never reached and values without a case.
std::vector<expr::ExprId> type_cases(Context& context, const Scope& scope, const Step& match,
                                     expr::ExprId subject);

}  // namespace treaty::lang
