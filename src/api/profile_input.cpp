#include "api/profile_input.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "wire/codes.h"
#include "wire/shapes.h"

namespace treaty::api {

std::optional<std::optional<wire::Profile>> read_profile(const Inquiry& inquiry,
                                                         const model::Specification& s,
                                                         const std::string& path) {
    if (path.empty()) return std::optional<wire::Profile>();
    base::FileText file = inquiry.workspace.read(path);
    if (!file.text) {
        inquiry.environment_failed(codes::bad_usage, fmt::format("{}: {}", path, file.fault));
        return std::nullopt;
    }
    std::string why;
    auto profile = wire::Profile::read(*file.text, *s.pool, wire::message_shapes(s), why);
    if (profile) return profile;
    inquiry.report(wire::codes::bad_profile, fmt::format("{}: {}", path, why));
    return std::nullopt;
}

}  // namespace treaty::api
