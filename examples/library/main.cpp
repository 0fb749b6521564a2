// Checks protocols and prints what was found, one line per finding: `check_protocol FILE...`
#include <iostream>

#include <treaty/api/check.h>

namespace {

void print(const treaty::base::Diagnostic& finding, const treaty::base::SourceMap& sources) {
    if (finding.span.valid()) {
        const auto [line, column] = sources.begin(finding.span);
        std::cout << sources.path(finding.span.file) << ':' << line << ':' << column << ": ";
    }
    std::cout << to_string(finding.severity) << ' ' << to_string(*finding.code) << ": " << finding.message
              << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    const treaty::api::Workspace workspace;  // files of the disk
    treaty::api::CheckQuestion question;
    question.files.assign(argv + 1, argv + argc);
    const treaty::api::CheckAnswer answer = check(workspace, question, {});

    for (const treaty::base::Diagnostic& finding : answer.diagnostics.all())
        print(finding, workspace.sources());
    if (answer.witness) {
        for (const treaty::model::RunEvent& event : answer.witness->events)
            std::cout << "  " << print(event) << '\n';
        std::cout << "  " << answer.witness->ending << '\n';
    }
    if (answer.verdict) std::cout << to_string(*answer.verdict) << ": " << answer.reason << '\n';
    return static_cast<int>(answer.exit());
}
