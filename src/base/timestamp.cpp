#include "base/timestamp.h"

#include <cstdio>
#include <string>

#include "base/decimal.h"

namespace treaty::base {
namespace {

// Days since 1970-01-01 of a date of the Gregorian calendar.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
    year -= month <= 2;
    std::int64_t era = (year >= 0 ? year : year - 399) / 400;
    std::int64_t of_era = year - era * 400;
    std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

// Minutes east of Greenwich of "Z", "+02:00", "-0330" or nothing (which is read as Z).
std::optional<int> zone_of(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (text.empty() || (text[0] != '+' && text[0] != '-')) return 0;
    int hours = 0, minutes = 0;
    std::string copy(text.substr(1, 8));
    int read = std::sscanf(copy.c_str(), "%2d:%2d", &hours, &minutes);
    if (read == 1) read = std::sscanf(copy.c_str(), "%2d%2d", &hours, &minutes);
    if (read < 1 || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    return (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, used = 0;
    std::string copy(text.substr(0, 64));
    bool iso = std::sscanf(copy.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d:%n", &year, &month, &day, &hour, &minute,
                           &used) == 5;
    if (!iso &&
        std::sscanf(copy.c_str(), "%2d/%2d/%4d %2d:%2d:%n", &day, &month, &year, &hour, &minute, &used) != 5)
        return std::nullopt;
    std::string_view rest = std::string_view(copy).substr(static_cast<std::size_t>(used));
    std::size_t size = decimal_prefix(rest);
    auto second = scaled_decimal(rest.substr(0, size), 1'000'000'000);
    auto zone = zone_of(rest.substr(size));
    if (used == 0 || !second || !zone || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 ||
        minute > 59 || *second >= 61'000'000'000 || *second < 0 || hour < 0 || minute < 0 || year < 1700 ||
        year > 2200)
        return std::nullopt;
    std::int64_t whole = (days_of(year, month, day) * 24 + hour) * 60 + minute - *zone;
    return whole * 60'000'000'000 + *second;
}

}  // namespace treaty::base
