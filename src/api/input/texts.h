// Files whose text is not a model.
#pragma once

#include <optional>
#include <string>

#include "api/inquiry.h"

namespace treaty::api {

// The text of a file, added to the sources of the workspace; nothing after reporting that it cannot be read.
std::optional<base::FileId> read_text(const Inquiry& inquiry, const std::string& path);

}  // namespace treaty::api
