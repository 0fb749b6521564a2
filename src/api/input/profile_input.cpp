#include "api/input/profile_input.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "wire/codes.h"
#include "wire/shapes.h"

namespace treaty::api {

std::optional<std::optional<wire::Profile>> read_profile(const Inquiry& inquiry,
                                                         const model::Specification& s,
                                                         const std::string& path) {
    if (path.empty()) return std::optional<wire::Profile>();
    base::Result<std::string> file = inquiry.workspace.read(path);
    if (!file) {
        inquiry.environment_failed(codes::bad_usage, fmt::format("{}: {}", path, file.error()));
        return std::nullopt;
    }
    auto profile = wire::Profile::read(*file, *s.pool, wire::message_shapes(s));
    if (profile) return std::optional(std::move(*profile));
    inquiry.report(wire::codes::bad_profile, fmt::format("{}: {}", path, profile.error()));
    return std::nullopt;
}

}  // namespace treaty::api
