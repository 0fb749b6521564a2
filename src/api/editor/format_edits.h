// The canonical form of a text as edits of it, for the whole text or for the lines of a range.
//
// The language has one (lang/format.h). A text of another notation has the form that its writer gives it, if
// that changes nothing but blanks and line breaks: writers do not keep comments. Each edit replaces whole
// lines, and only lines that differ, so a cursor elsewhere stays where it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/editor/text_structure.h"
#include "api/workspace.h"

namespace treaty::api {

struct TextEdit {
    TextRange range;
    std::string text;
};

// From the first to the last; none if the text has faults, has no canonical form, or is in it already. With a
// range, those that touch its lines.
std::vector<TextEdit> format_edits(const Workspace& workspace, const std::string& file,
                                   std::optional<TextRange> range = std::nullopt);

// The edits of lines that turn one text into another, as few lines as can be found at reasonable cost.
std::vector<TextEdit> line_edits(std::string_view from, std::string_view to);

}  // namespace treaty::api
