#include "formats/json_schema/heading.h"

#include <fmt/format.h>

#include "formats/made_text.h"
#include "formats/names.h"

namespace treaty::formats::json_schema {

Heading heading_of(const YamlNode& root, const Loading& loading) {
    const YamlNode* info = root.find("info");
    std::string title(info ? info->text_of("title") : "");
    std::string name = protocol_name(title.empty() ? stem_of(loading.sources.path(loading.file)) : title);
    if (title.empty()) title = name;
    std::string_view version = info ? info->text_of("version") : "";
    return {version.empty() ? title : fmt::format("{} {}", title, version), name};
}

}  // namespace treaty::formats::json_schema
