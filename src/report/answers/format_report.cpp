#include "report/answers.h"

#include "api/format.h"

namespace treaty::report {

Own own_part(const api::FormatAnswer& answer, const std::function<bool(const api::FormattedFile&)>& shown) {
    Own own;
    own.quiet = true;
    own.fields["files"] = Json::array();
    for (const api::FormattedFile& file : answer.files) {
        Json entry = {{"file", file.file}, {"changed", file.changed}};
        if (shown(file)) {
            entry["text"] = file.text;
            own.text += file.text;
        }
        own.fields["files"].push_back(std::move(entry));
    }
    return own;
}

}  // namespace treaty::report
