// The mappings of library/, as part of the program (cmake/library.cmake).
#include "watch/mapping/mapping.h"

namespace treaty::watch {
namespace {

struct Text {
    std::string_view name, text;
};

constexpr Text texts[] = {
#include "watch/ready_made_mappings.inc"
};

}  // namespace

std::vector<std::string_view> ready_made_mappings() {
    std::vector<std::string_view> names;
    for (const Text& one : texts) names.push_back(one.name);
    return names;
}

std::optional<std::string_view> ready_made_mapping(std::string_view name) {
    for (const Text& one : texts)
        if (one.name == name) return one.text;
    return std::nullopt;
}

}  // namespace treaty::watch
