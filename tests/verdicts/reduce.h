// Makes a protocol that shows a disagreement as small as it gets, so that a failing test shows the cause.
#pragma once

#include <functional>

#include "ast.h"

namespace treaty::verdicts {

// The smallest file reached by taking parts away while `shows` holds; shows(file) must hold.
File reduced(File file, const std::function<bool(const File&)>& shows);

}  // namespace treaty::verdicts
