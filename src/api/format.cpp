#include "api/format.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/codes.h"
#include "api/input/inputs.h"
#include "lang/format.h"

namespace treaty::api {
namespace {

std::optional<FormattedFile> formatted(const Inquiry& inquiry, const std::string& path) {
    auto file = read_text(inquiry, path);
    if (!file) return std::nullopt;
    auto text = lang::format(inquiry.sources(), *file, inquiry.diagnostics());
    if (!text) return std::nullopt;
    bool changed = *text != inquiry.sources().text(*file);
    return FormattedFile{path, std::move(*text), changed};
}

}  // namespace

FormatAnswer format(const Workspace& workspace, const FormatQuestion& question, const Context& context) {
    FormatAnswer answer;
    answer.inputs = question.files;
    Inquiry inquiry(workspace, context, answer);
    for (const std::string& path : question.files) {
        auto file = formatted(inquiry, path);
        if (!file) continue;
        if (file->changed && question.check)
            inquiry.report(codes::not_formatted, fmt::format("{} is not in canonical form", path))
                .help(fmt::format("treaty fmt --in-place {}", path));
        answer.files.push_back(std::move(*file));
    }
    if (answer.files.size() < question.files.size()) return answer;
    auto changed = std::count_if(answer.files.begin(), answer.files.end(),
                                 [](const FormattedFile& file) { return file.changed; });
    if (question.check && changed > 0)
        inquiry.fails(fmt::format("{} of {} files would change", changed, question.files.size()));
    else
        inquiry.holds();
    return answer;
}

}  // namespace treaty::api
