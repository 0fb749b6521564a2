// Durations on the command line.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "api/inquiry.h"

namespace treaty::cli {

// Reads "250ms"; an empty text changes nothing. False after reporting that it is not a duration.
bool read_time(const api::Inquiry& inquiry, std::string_view option, const std::string& text,
               std::optional<std::chrono::milliseconds>& into);

}  // namespace treaty::cli
