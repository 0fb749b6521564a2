#include "cli/run_csp.h"

#include <fmt/format.h>

#include "cli/processes.h"
#include "csp/codes.h"
#include "report/wording.h"

namespace treaty::cli {
namespace {

using base::Answer;

void show(Session& session, const csp::Script& script, const csp::Checked& checked, report::Json& all) {
    std::string_view answer = checked.answer ? base::to_string(*checked.answer) : "fault";
    std::uint32_t line = session.sources.begin(checked.span).line;
    std::string& text = session.result.text;
    text += fmt::format("line {}: {}: {}\n", line, answer, checked.text);
    report::Json one = {{"line", line}, {"assertion", checked.text}, {"states", checked.states}};
    one["answer"] = checked.answer ? report::Json(answer) : report::Json(nullptr);
    one["reason"] = checked.reason;
    if (checked.answer && *checked.answer != Answer::holds) {
        std::string trace = print_trace(*script.alphabet(), checked.trace);
        text += *checked.answer == Answer::fails ? fmt::format("    after {}: {}\n", trace, checked.reason)
                                                 : fmt::format("    {}\n", checked.reason);
    }
    if (checked.counterexample) one["counterexample"] = to_json(*script.alphabet(), *checked.counterexample);
    all.push_back(std::move(one));
}

}  // namespace

void run_csp(Session& session, const std::string& path) {
    auto script = load_script(session, path);
    if (!script) return;
    report::Result& result = session.result;
    if (script->assertion_count() == 0) {
        session.report(csp::codes::nothing_asserted, fmt::format("{} asserts nothing", path))
            .help("add a line such as: assert SPEC [T= IMPL");
        return;
    }
    std::size_t counts[3] = {};
    report::Json all = report::Json::array();
    for (std::size_t i = 0; i < script->assertion_count(); ++i) {
        csp::Checked checked = script->check(i, process_limits(session));
        show(session, *script, checked, all);
        if (!checked.answer) continue;
        ++counts[*checked.answer == Answer::holds ? 0 : *checked.answer == Answer::fails ? 1 : 2];
        if (*checked.answer == Answer::fails && !result.witness && !checked.trace.empty()) {
            result.witness = run_of(*script->alphabet(), checked.trace);
            result.witness->ending = checked.reason;
        }
    }
    result.extra["assertions"] = std::move(all);
    if (!session.diagnostics.ok()) return;
    result.answer = counts[1] > 0 ? Answer::fails : counts[2] > 0 ? Answer::undecided : Answer::holds;
    result.reason = fmt::format("{} hold{}, {} fail{}, {} undecided", report::counted(counts[0], "assertion"),
                                counts[0] == 1 ? "s" : "", counts[1], counts[1] == 1 ? "s" : "", counts[2]);
}

}  // namespace treaty::cli
