#include <fmt/format.h>

#include "api/generate.h"
#include "report/answers.h"

namespace treaty::report {

Own own_part(const api::GenerateAnswer& answer) {
    Own own;
    if (!answer.verdict) return own;
    bool written = answer.verdict == api::Verdict::holds && answer.reason.empty();
    own.quiet = written;
    own.fields["protocol"] = answer.protocol;
    own.fields["language"] = answer.language;
    own.fields["roles"] = answer.roles;
    own.fields["files"] = Json::array();
    for (const generate::GeneratedFile& file : answer.files) {
        own.fields["files"].push_back({{"name", file.name}, {"text", file.text}});
        if (written) own.text += fmt::format("{}\n", file.name);
    }
    return own;
}

}  // namespace treaty::report
