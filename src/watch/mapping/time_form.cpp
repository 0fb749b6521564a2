#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/decimal.h"
#include "base/timestamp.h"
#include "watch/mapping/mapping.h"

namespace treaty::watch {
namespace {

std::optional<int> month_of(std::string_view name) {
    static constexpr std::array<std::string_view, 12> names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<int>(i) + 1;
    return std::nullopt;
}

std::optional<int> number(std::string_view text) {
    int value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::optional<std::int64_t> date(int year, int month, int day, std::string_view rest) {
    return base::parse_time(fmt::format("{:04}-{:02}-{:02}T{}", year, month, day, rest));
}

// "Nov  8 03:13:42", as RFC 3164 has it, or a date of RFC 3339, as RFC 5424 has it.
std::optional<std::int64_t> syslog_time(std::string_view text, int year) {
    if (text.size() < 4 || text[3] != ' ') return base::parse_time(text);
    auto month = month_of(text.substr(0, 3));
    std::string_view rest = without_blanks(text.substr(4));
    auto blank = rest.find(' ');
    if (!month || blank == std::string_view::npos) return std::nullopt;
    auto day = number(rest.substr(0, blank));
    // Without a year, one that has a 29th of February.
    return day ? date(year > 0 ? year : 2000, *month, *day, without_blanks(rest.substr(blank)))
               : std::nullopt;
}

// "18/Nov/2026:03:13:42 +0000".
std::optional<std::int64_t> access_log_time(std::string_view text) {
    if (text.size() < 12 || text[2] != '/' || text[6] != '/' || text[11] != ':') return std::nullopt;
    auto day = number(text.substr(0, 2)), year = number(text.substr(7, 4));
    auto month = month_of(text.substr(3, 3));
    return day && month && year ? date(*year, *month, *day, text.substr(12)) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> read_time(std::string_view text, TimeForm form, int year) {
    switch (form) {
        case TimeForm::automatic:
            if (auto seconds = base::scaled_decimal(text, 1'000'000'000)) return seconds;
            return base::parse_time(text);
        case TimeForm::rfc3339: return base::parse_time(text);
        case TimeForm::seconds: return base::scaled_decimal(text, 1'000'000'000);
        case TimeForm::milliseconds: return base::scaled_decimal(text, 1'000'000);
        case TimeForm::microseconds: return base::scaled_decimal(text, 1'000);
        case TimeForm::nanoseconds: return base::scaled_decimal(text, 1);
        case TimeForm::syslog: return syslog_time(text, year);
        case TimeForm::access_log: return access_log_time(text);
    }
    return std::nullopt;
}

}  // namespace treaty::watch
