#include "cli/time_option.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/codes.h"
#include "base/limits.h"

namespace treaty::cli {

bool read_time(const api::Inquiry& inquiry, std::string_view option, const std::string& text,
               std::optional<std::chrono::milliseconds>& into) {
    if (text.empty()) return true;
    auto duration = base::parse_duration(text);
    if (!duration || duration->count() <= 0) {
        inquiry.report(api::codes::bad_usage, fmt::format("{} {}: this is not a duration", option, text))
            .help("250ms, 3s or 5m");
        return false;
    }
    into = std::max(std::chrono::milliseconds(1),
                    std::chrono::duration_cast<std::chrono::milliseconds>(*duration));
    return true;
}

}  // namespace treaty::cli
