#include "report/answers.h"

#include <fmt/format.h>

#include "api/refine.h"
#include "base/wording.h"
#include "report/answers/counterexample.h"

namespace treaty::report {
namespace {

using base::counted;

std::string joined(const std::vector<std::string>& events) {
    return fmt::format("{{{}}}", fmt::join(events, ", "));
}

std::string explain(const explore::Counterexample& found) {
    std::string text;
    if (found.violation == explore::Violation::event || found.violation == explore::Violation::ending)
        text += fmt::format("the specification allows here: {}\n", joined(found.allowed));
    if (found.violation != explore::Violation::refusal) return text;
    for (const auto& set : found.wanted)
        text += fmt::format("the specification offers here at least: {}\n", joined(set));
    if (found.wanted.empty()) text += "the specification is never stable here\n";
    return text;
}

}  // namespace

Own own_part(const api::RefineAnswer& answer) {
    Own own;
    own.text = print_chosen(answer.chosen);
    if (!answer.ends_compared) own.text += ".aut files have no ends, so ends are not compared\n";
    if (answer.data_left_aside) own.text += "data is ignored: only the order of events is compared\n";
    if (!answer.compared) return own;
    own.fields = {{"in", explore::to_string(answer.observation)},
                  {"pairs", answer.pairs},
                  {"transitions", answer.transitions},
                  {"data_ignored", answer.data_left_aside}};
    own.text += fmt::format("{}, {}, traces of up to {}\n", counted(answer.pairs, "pair"),
                            counted(answer.transitions, "transition"), counted(answer.depth, "event"));
    if (!answer.counterexample) return own;
    own.text += explain(*answer.counterexample);
    own.fields["counterexample"] = to_json(*answer.alphabet, *answer.counterexample);
    return own;
}

}  // namespace treaty::report
