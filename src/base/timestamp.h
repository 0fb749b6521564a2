// Dates and times as people and programs write them, read exactly (decimal.h): whole nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace treaty::base {

// Nanoseconds since 1970 of "2013-08-29T15:17:30.128Z" (or a blank for the T) or "29/08/2013 15:17:30.128".
// A zone may follow (+02:00); without one, or with any other text, it is taken to be UTC.
std::optional<std::int64_t> parse_time(std::string_view text);

}  // namespace treaty::base
