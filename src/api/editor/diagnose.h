// diagnose: what an editor shows about one file while it is being written.
//
// Quick: what reading the file finds, in time linear in its text. Exact: what `check` finds, with the same
// codes, places and words; a protocol that can go wrong without any diagnostic (only a run shows it) gets one
// entry without a code at its name. Each entry has its place in the file itself: what is wrong in an imported
// file is shown at the import, with the real place beside it. A CSPM script is read, and its assertions are
// left to `run`. No verdict: what counts is the entries.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"

namespace treaty::api {

struct DiagnoseQuestion {
    std::string file;
    bool exact = true;
};

struct ShownDiagnostic {
    base::Severity severity = base::Severity::error;
    std::string code = {};  // "T0202"; empty: a run that goes wrong
    std::string message = {};
    std::string hint = {};
    base::Span place = {};  // in the file; invalid: about the file as a whole
    std::vector<base::Label> related = {};
    bool never_reached = false;  // a step that cannot happen
};

struct DiagnoseAnswer : Answer {
    std::vector<ShownDiagnostic> shown;  // in the order of their places
    std::set<std::string> read;          // the paths that the answer depends on
};

// Whether files of this name are read at all, by their extension; treaty.toml is.
bool is_diagnosed(const std::string& path);
// Whether each diagnosis of it adds a text to the sources of the workspace, which then keep every version.
bool adds_texts(const std::string& path);

DiagnoseAnswer diagnose(const Workspace& workspace, const DiagnoseQuestion& question, const Context& context);

}  // namespace treaty::api
