#include "api/input/profile_input.h"

#include <fmt/format.h>

#include "formats/codes.h"
#include "wire/codes.h"
#include "wire/shapes.h"

namespace treaty::api {

std::optional<std::optional<wire::Profile>> read_profile(const Inquiry& inquiry,
                                                         const model::Specification& s,
                                                         const std::string& path) {
    if (path.empty()) return std::optional<wire::Profile>();
    base::Result<std::string> file = inquiry.workspace.read(path);
    if (!file) {
        inquiry.report(formats::codes::unreadable, file.error());
        return std::nullopt;
    }
    auto profile = wire::Profile::read(*file, *s.pool, wire::message_shapes(s));
    if (profile) return std::optional(std::move(*profile));
    inquiry.report(wire::codes::bad_profile, fmt::format("{}: {}", path, profile.error()));
    return std::nullopt;
}

}  // namespace treaty::api
