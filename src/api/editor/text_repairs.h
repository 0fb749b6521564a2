// Repairs of the text that need no meaning: something is missing, superfluous or written differently.
#pragma once

#include <vector>

#include "api/editor/document.h"
#include "api/editor/quick_fixes.h"

namespace treaty::api {

std::vector<QuickFix> text_repairs(const EditorDocument& document, const QuickFixQuestion& question);

// The names in backquotes of a message, in its order: `depot` and `n` of "`depot` cannot know `n`".
std::vector<std::string> names_in(std::string_view message);

}  // namespace treaty::api
