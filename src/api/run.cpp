#include "api/run.h"

#include <span>

#include <fmt/format.h>

#include "api/models/processes.h"
#include "api/run_schora.h"
#include "base/wording.h"
#include "csp/codes.h"
#include "formats/codes.h"
#include "formats/names.h"

namespace treaty::api {
namespace {

std::vector<std::string> names_of(const model::Alphabet& alphabet, std::span<const model::LabelId> trace) {
    std::vector<std::string> names;
    for (model::LabelId label : trace) names.push_back(alphabet.print(label));
    return names;
}

RefinementViolation violation_of(const model::Alphabet& alphabet, const explore::Counterexample& found) {
    RefinementViolation result;
    result.kind = found.violation;
    result.trace = names_of(alphabet, found.trace);
    result.allowed = found.allowed;
    if (found.violation != explore::Violation::refusal) return result;
    for (model::LabelId label : found.accepted)
        result.offers.push_back(label.index == 0 ? std::string("tick") : alphabet.print(label));
    result.refuses = found.refused;
    result.must_offer_one_of = found.wanted;
    return result;
}

AssertionRun assertion_of(const Inquiry& inquiry, const model::Alphabet& alphabet,
                          const csp::Checked& checked) {
    AssertionRun result;
    result.assertion = checked.text;
    result.line = inquiry.sources().begin(checked.span).line;
    result.verdict = checked.answer;
    result.reason = checked.reason;
    result.trace = names_of(alphabet, checked.trace);
    if (checked.counterexample) result.violation = violation_of(alphabet, *checked.counterexample);
    result.states = checked.states;
    return result;
}

void run_csp(const Inquiry& inquiry, const std::string& path, RunAnswer& answer) {
    auto script = load_script(inquiry, path);
    if (!script) return;
    if (script->assertion_count() == 0) {
        inquiry.report(csp::codes::nothing_asserted, fmt::format("{} has no assertions", path))
            .help("add a line such as: assert SPEC [T= IMPL");
        return;
    }
    const model::Alphabet& alphabet = *script->alphabet();
    auto& assertions = answer.ran.emplace<std::vector<AssertionRun>>();
    std::size_t held = 0, failed = 0, open = 0;
    for (std::size_t i = 0; i < script->assertion_count(); ++i) {
        if (inquiry.context.progress)
            inquiry.context.progress(CountProgress{"checking assertions", i, script->assertion_count(), {}});
        csp::Checked checked = script->check(i, process_limits(inquiry));
        assertions.push_back(assertion_of(inquiry, alphabet, checked));
        if (!checked.answer) continue;
        ++(*checked.answer == Verdict::holds ? held : *checked.answer == Verdict::fails ? failed : open);
        if (*checked.answer == Verdict::fails && !answer.witness && !checked.trace.empty()) {
            answer.witness = run_of(alphabet, checked.trace);
            answer.witness->ending = checked.reason;
        }
    }
    if (!inquiry.diagnostics().ok()) return;
    answer.verdict = failed > 0 ? Verdict::fails : open > 0 ? Verdict::undecided : Verdict::holds;
    answer.reason = fmt::format("{} hold{}, {} fail{}, {} undecided", base::counted(held, "assertion"),
                                held == 1 ? "s" : "", failed, failed == 1 ? "s" : "", open);
}

}  // namespace

RunAnswer run(const Workspace& workspace, const RunQuestion& question, const Context& context) {
    RunAnswer answer;
    answer.inputs = {question.file};
    Inquiry inquiry(workspace, context, answer);
    std::string extension = formats::extension_of(question.file);
    if (extension == "schora")
        run_schora(inquiry, question.file, answer);
    else if (extension == "csp")
        run_csp(inquiry, question.file, answer);
    else
        inquiry
            .report(formats::codes::unknown_extension,
                    fmt::format("`{}` has no commands to run", question.file))
            .help("scripts are .schora, .csp");
    return answer;
}

}  // namespace treaty::api
