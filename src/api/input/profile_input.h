// An operational profile from a file.
#pragma once

#include <optional>
#include <string>

#include "api/inquiry.h"
#include "model/specification.h"
#include "wire/profile.h"

namespace treaty::api {

// The profile of the file, if one is named; nothing after reporting what is wrong with it.
std::optional<std::optional<wire::Profile>> read_profile(const Inquiry& inquiry,
                                                         const model::Specification& s,
                                                         const std::string& path);

}  // namespace treaty::api
