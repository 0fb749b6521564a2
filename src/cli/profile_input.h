// An operational profile from a file.
#pragma once

#include <optional>
#include <string>

#include "cli/session.h"
#include "model/specification.h"
#include "wire/profile.h"

namespace treaty::cli {

// The profile of the file, if one is named; nothing after reporting that it is none.
std::optional<std::optional<wire::Profile>> read_profile(Session& session, const model::Specification& s,
                                                         const std::string& path);

}  // namespace treaty::cli
