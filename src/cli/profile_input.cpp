#include "cli/profile_input.h"

#include <fmt/format.h>

#include "base/file.h"
#include "cli/codes.h"
#include "model/wire_shapes.h"
#include "wire/codes.h"

namespace treaty::cli {

std::optional<std::optional<wire::Profile>> read_profile(Session& session, const model::Specification& s,
                                                         const std::string& path) {
    if (path.empty()) return std::optional<wire::Profile>();
    base::FileText file = base::read_file(path);
    if (!file.text) {
        session.report(codes::bad_usage, fmt::format("{}: {}", path, file.fault));
        session.result.world_failed = true;
        return std::nullopt;
    }
    std::string why;
    auto profile = wire::Profile::read(*file.text, *s.pool, model::wire_shapes(s), why);
    if (profile) return profile;
    session.report(wire::codes::bad_profile, fmt::format("{}: {}", path, why));
    return std::nullopt;
}

}  // namespace treaty::cli
