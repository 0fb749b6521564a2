// Repairs that an editor can apply, for diagnostics of a .treaty file.
//
// The diagnostic is given by its code and its place; what can be done about it follows from what the names
// around it mean. So a repair fits the text as it is now, whatever it was when the diagnostic was made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/context.h"
#include "api/editor/format_edits.h"
#include "api/workspace.h"

namespace treaty::api {

struct QuickFixQuestion {
    std::string file;
    std::string code;  // "T0202"; empty: a run that goes wrong
    TextRange place;
    std::string message = {};  // as it was shown
};

struct QuickFix {
    std::string title;
    std::vector<TextEdit> edits;
    bool preferred = false;  // the one that is most likely meant
};

// The context limits the search for messages to add, which other repairs do not need.
std::vector<QuickFix> quick_fixes(const Workspace& workspace, const QuickFixQuestion& question,
                                  const Context& context = {});

}  // namespace treaty::api
