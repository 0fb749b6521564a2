#include "report/answers.h"

#include <fmt/format.h>

#include "api/replay.h"
#include "report/answers/kept_failure_report.h"

namespace treaty::report {
namespace {

using State = api::KeptFailure::State;

// The verdict, what it was, and where that does not say it all what happened now and the line that tries it
// alone.
std::string line_of(const api::KeptFailure& one, const std::string& store) {
    const campaign::SavedFailure& saved = one.saved;
    std::string text = fmt::format("{:<9} failure {}: {}: {}\n", api::to_string(one.state), saved.number,
                                   saved.problem, saved.reason);
    if (one.state == State::undecided || one.state == State::passes)
        text += fmt::format("{:<9} {}\n", "", one.reason);
    if (one.state == State::undecided || one.state == State::failed)
        text += fmt::format("{:<9} {}\n", "", replay_command(store, saved.number));
    return text;
}

}  // namespace

Own own_part(const api::ReplayAnswer& answer) {
    Own own;
    if (const auto& run = answer.run) {
        own.fields["protocol_changed"] = run->protocol_changed;
        if (run->protocol_changed) own.text += "the protocol has changed since this run was saved\n";
        own.fields["messages"] = run->messages;
        if (run->started)
            own.fields["failure"] = run->failure ? Json{{"problem", drive::to_string(run->failure->problem)},
                                                        {"reason", run->failure->reason}}
                                                 : Json();
    }
    if (answer.kept) {
        own.fields["saved"] = Json::array();
        for (const api::KeptFailure& one : *answer.kept) {
            own.text += line_of(one, answer.store);
            own.fields["saved"].push_back(to_json(one, answer.store));
        }
    }
    return own;
}

}  // namespace treaty::report
