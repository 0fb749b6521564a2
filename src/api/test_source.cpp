#include "api/test_source.h"

#include <fmt/format.h>

#include "api/codes.h"
#include "testgen/codes.h"
#include "testgen/oracle.h"

namespace treaty::api {
namespace {

constexpr std::uint64_t most_rounds = 1000;

// What contradicts itself in the options; true after reporting it.
bool contradict(const Inquiry& inquiry, const TestOptions& options) {
    if (options.kind != TestKind::dual) return false;
    if (options.mixed == testgen::Mixed::also_wait) {
        inquiry.report(codes::bad_usage, "--dual tests have no roles that wait: --wait has no meaning");
        return true;
    }
    if (options.success.empty()) return false;
    inquiry.report(codes::bad_usage, "--dual tests succeed where the component's machine ends: no --success");
    return true;
}

std::optional<testgen::SuccessStates> success_after(const Inquiry& inquiry, const TestSource& source,
                                                    const std::string& step) {
    auto steps = testgen::find_steps(*source.projections, *source.input->protocol, inquiry.sources(), step);
    if (steps.empty()) {
        inquiry.report(testgen::codes::no_such_step, fmt::format("no step begins at {}", step))
            .help("--success takes LINE, LINE:COLUMN or the name of a rec block");
        return std::nullopt;
    }
    auto success = testgen::success_states(*source.projections, steps);
    if (success) return std::move(*success);
    inquiry.report(codes::no_meaning, success.error());
    return std::nullopt;
}

}  // namespace

std::string_view to_string(TestKind kind) {
    return kind == TestKind::dual ? "dual" : "roles";
}

std::optional<TestSource> load_test_source(const Inquiry& inquiry, const std::string& path,
                                           const TestOptions& options) {
    auto input = load_protocol(inquiry, path, options.protocol);
    if (!input) return std::nullopt;
    return make_test_source(inquiry, std::move(*input), options);
}

std::optional<TestSource> make_test_source(const Inquiry& inquiry, ProtocolInput input,
                                           const TestOptions& options) {
    if (options.times > most_rounds) {
        inquiry.report(codes::bad_usage,
                       fmt::format("--times {} is more than {}", options.times, most_rounds));
        return std::nullopt;
    }
    TestSource source;
    source.input = std::make_unique<ProtocolInput>(std::move(input));
    source.times = static_cast<std::uint32_t>(options.times);
    auto made = testgen::make_projections(source.input->specification, *source.input->protocol, source.times,
                                          inquiry.context.machine_limits());
    if (!made.projections) {
        if (made.stopped == base::StopReason::none) {
            inquiry.report(codes::no_meaning, made.reason);
        } else {
            inquiry.undecided(made.reason);
            inquiry.answer.bound.stopped(made.stopped);
        }
        return std::nullopt;
    }
    source.projections = std::make_unique<testgen::Projections>(std::move(*made.projections));
    source.success = testgen::final_states(*source.projections);
    if (contradict(inquiry, options)) return std::nullopt;
    if (options.success.empty()) return source;
    auto success = success_after(inquiry, source, options.success);
    if (!success) return std::nullopt;
    source.success = std::move(*success);
    return source;
}

Cases::Cases(const testgen::TestSuite& suite, const TestOptions& options) : suite_(suite) {
    if (options.kind == TestKind::dual) dual_.emplace(suite.component(), options.keep);
}

std::vector<std::string> choices_of(const base::SourceMap& sources, const TestSource& source,
                                    const testgen::TestCase& test) {
    std::vector<std::string> lines;
    for (const testgen::FixedChoice& choice : test.choices) {
        std::string text = testgen::describe(source.alphabet(), choice);
        std::uint32_t line = model::line_of(source.projections->protocol.get(), choice.node, sources);
        if (line > 0) text += fmt::format(" (line {})", line);
        lines.push_back(std::move(text));
    }
    return lines;
}

std::variant<std::uint64_t, std::string> exact_in_json(const Count& count) {
    constexpr std::uint64_t exact = std::uint64_t{1} << 53;
    if (count < Count(exact)) return std::uint64_t{count.get_ui()};
    return count.get_str();
}

}  // namespace treaty::api
