// format: files in the canonical form of the Treaty language (lang/format.h).
//
// Nothing is written: the answer has the texts. No verdict if a file cannot be read or parsed; the others are
// formatted nevertheless. Fails only if it was asked whether the files are in canonical form, and one is not.
#pragma once

#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"

namespace treaty::api {

struct FormatQuestion {
    std::vector<std::string> files = {};
    bool check = false;  // a file that is not in canonical form is a fault
};

struct FormattedFile {
    std::string file;
    std::string text;      // in canonical form
    bool changed = false;  // whether the file has another text
};

struct FormatAnswer : Answer {
    std::vector<FormattedFile> files;  // those that could be parsed
};

FormatAnswer format(const Workspace& workspace, const FormatQuestion& question, const Context& context);

}  // namespace treaty::api
