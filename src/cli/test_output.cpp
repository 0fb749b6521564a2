#include "cli/test_output.h"

#include <filesystem>

#include <fmt/format.h>

#include "api/codes.h"
#include "formats/dot/dot.h"
#include "formats/load.h"
#include "formats/names.h"
#include "report/output.h"
#include "report/pictures.h"

namespace treaty::cli {
namespace {

namespace fs = std::filesystem;

// A folder that holds no manifest, not even that of other tests.
bool prepare_folder(api::Answer& answer, const std::string& path) {
    std::error_code failed;
    fs::create_directories(path, failed);
    if (!failed) fs::remove(fs::path(path) / api::manifest_name, failed);
    if (!failed) return true;
    answer.diagnostics.report(api::codes::cannot_write, {}, fmt::format("{}: {}", path, failed.message()));
    answer.environment_failed = true;
    answer.verdict.reset();
    return false;
}

// False if it was not completed.
bool write_folder(api::Answer& answer, const api::RoleTests& tests, const std::string& path,
                  const std::string& format, const base::Deadline& deadline) {
    if (!prepare_folder(answer, path)) return false;
    for (std::size_t i = 0; i < tests.cases.size(); ++i) {
        if (deadline.interrupted()) {
            answer.verdict = api::Verdict::undecided;
            answer.reason = "not all cases were written";
            answer.bound.stopped(base::StopReason::interrupted);
            return false;
        }
        auto text = api::case_text(tests, i, format, answer.diagnostics);
        if (!text) answer.verdict.reset();
        if (!text ||
            !report::write_output(answer, (fs::path(path) / api::case_name(i, format)).string(), *text))
            return false;
    }
    return report::write_output(answer, (fs::path(path) / api::manifest_name).string(),
                                api::manifest_text(tests, format));
}

}  // namespace

bool usable(Session& session, const TestOutput& output, const api::TestsQuestion& question) {
    if (!output.format.empty() && output.format != "fsa" && output.format != "json") {
        session.report(api::codes::bad_usage,
                       fmt::format("--format {} is neither fsa nor json", output.format));
        return false;
    }
    if (question.tests.kind == api::TestKind::dual && output.format == "fsa") {
        session.report(api::codes::bad_usage,
                       "--dual tests act for several roles, which .fsa cannot express: use --format json");
        return false;
    }
    if (!output.path.empty() && question.cuts.find(',') != std::string::npos) {
        session.report(api::codes::bad_usage, "-o writes the tests of one role: give --cut only one");
        return false;
    }
    return true;
}

void write_tests(api::TestsAnswer& answer, report::Own& own, const api::RoleTests& tests,
                 const TestOutput& output, const base::Deadline& deadline) {
    bool dual = tests.kind == api::TestKind::dual;
    std::string format = !output.format.empty() ? output.format : dual ? "json" : "fsa";
    bool written = formats::extension_of(output.path) == "json"
                       ? report::write_output(answer, output.path, api::tests_as_json(tests))
                       : write_folder(answer, tests, output.path, format, deadline);
    own.quiet = own.quiet && answer.verdict != api::Verdict::undecided;
    if (written) own.fields["output"] = output.path;
}

void write_component(api::AdherenceAnswer& answer, report::Own& own, const api::WrongComponent& wrong,
                     const std::string& path, const base::Deadline& deadline) {
    std::string extension = formats::extension_of(path);
    if (extension == "svg" || extension == "dot") {
        report::write_graph(answer, own, formats::write_dot(wrong.component), {path, {}}, deadline);
        return;
    }
    base::Diagnostics losses;
    auto written =
        formats::write(formats::Loaded{wrong.with_roles}, extension, losses, formats::LossPolicy::allow);
    if (written.text) {
        report::write_output(answer, path, *written.text);
        return;
    }
    answer.diagnostics.append(std::move(losses));
    answer.verdict.reset();
}

}  // namespace treaty::cli
