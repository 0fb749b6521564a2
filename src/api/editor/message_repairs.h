// Repairs that let messages carry more, or add messages, so that every role knows what it needs.
//
// Three kinds: a message that is there carries the missing value; a message of its own is added before the
// step; or the additions that make the whole protocol playable (api/repair.h), as one edit. Each is tried on
// the text before it is offered: it leaves fewer errors.
#pragma once

#include <vector>

#include "api/context.h"
#include "api/editor/document.h"
#include "api/editor/quick_fixes.h"

namespace treaty::api {

std::vector<QuickFix> message_repairs(const Workspace& workspace, const EditorDocument& document,
                                      const QuickFixQuestion& question, const Context& context);

}  // namespace treaty::api
