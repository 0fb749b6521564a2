// The data of an event as people read it: "m(let x, y + 1) where y > 0".
#pragma once

#include <span>
#include <string>

#include "expr/pool.h"
#include "model/net.h"
#include "model/protocol.h"

namespace treaty::formats {

std::string variable_name(const expr::Pool& pool, expr::VarId variable);

// "(let x, y + 1, _)"; empty if there are no arguments.
std::string arguments_text(const expr::Pool& pool, std::span<const model::Argument> arguments);

// "x := 1, y := x"
std::string assignments_text(const expr::Pool& pool, std::span<const model::Assignment> assignments);

}  // namespace treaty::formats
