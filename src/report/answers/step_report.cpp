#include "report/answers.h"

#include "api/step.h"
#include "draw/sequence_chart.h"
#include "report/run.h"

namespace treaty::report {
namespace {

std::string_view word_of(step::Standing standing) {
    switch (standing) {
        case step::Standing::going: return "going";
        case step::Standing::may_end: return "may end";
        case step::Standing::over: return "over";
        case step::Standing::stuck: return "stuck";
        case step::Standing::lost: return "lost";
    }
    return "";
}

}  // namespace

std::string drawn(const model::Run& run, const draw::Style& style) {
    constexpr std::size_t longest_chart = 200;
    draw::Chart chart = draw::chart_of(run);
    bool fits = !chart.lifelines.empty() && run.events.size() <= longest_chart &&
                draw::text_columns(chart) <= style.width;
    return fits ? draw::to_text(chart, style) : print(run, style);
}

Own own_part(const api::StepAnswer& answer, const draw::Style& style) {
    Own own;
    if (!answer.verdict) return own;
    own.fields = {{"standing", word_of(answer.standing)}, {"run", to_json(answer.run)}};
    own.text = answer.run.events.empty() ? "\n" : '\n' + drawn(answer.run, style);
    return own;
}

}  // namespace treaty::report
