#include "api/input/texts.h"

#include "formats/codes.h"

namespace treaty::api {

std::optional<base::FileId> read_text(const Inquiry& inquiry, const std::string& path) {
    base::Result<std::string> read = inquiry.workspace.read(path);
    if (read) return inquiry.sources().add(path, std::move(*read));
    inquiry.report(formats::codes::unreadable, read.error());
    return std::nullopt;
}

}  // namespace treaty::api
