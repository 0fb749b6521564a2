// Places, edits and diagnostics as the protocol writes them.
#pragma once

#include <string>
#include <vector>

#include "api/diagnose.h"
#include "base/source.h"
#include "lsp/json.h"
#include "lsp/text.h"

namespace treaty::lsp {

Position to_position(const Json& position);  // throws Json::exception if it is not one
Json to_json(Position position);
Json range_json(const Text& text, std::size_t begin, std::size_t end);
Json edit_json(Json range, std::string text);

// Of the document at `path`, with related places in any text of `sources`.
Json to_json(const std::vector<api::ShownDiagnostic>& shown, const base::SourceMap& sources,
             const std::string& path);

}  // namespace treaty::lsp
