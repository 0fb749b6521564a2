#include "api/texts.h"

#include "formats/codes.h"

namespace treaty::api {

std::optional<base::FileId> read_text(const Inquiry& inquiry, const std::string& path) {
    base::FileText read = inquiry.workspace.read(path);
    if (read.text) return inquiry.sources().add(path, std::move(*read.text));
    inquiry.report(formats::codes::unreadable, read.fault);
    return std::nullopt;
}

}  // namespace treaty::api
