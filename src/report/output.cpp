#include "report/output.h"

#include "api/codes.h"
#include "base/file.h"

namespace treaty::report {

bool write_output(api::Answer& answer, const std::string& path, std::string_view text) {
    auto written = base::write_file(path, text);
    if (written) return true;
    answer.diagnostics.report(api::codes::cannot_write, {}, written.error());
    answer.environment_failed = true;
    answer.verdict.reset();
    return false;
}

}  // namespace treaty::report
