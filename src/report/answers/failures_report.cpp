#include <fmt/format.h>

#include "api/failures.h"
#include "base/wording.h"
#include "report/answers.h"
#include "report/answers/kept_failure_report.h"

namespace treaty::report {

Own own_part(const api::FailuresAnswer& answer) {
    Own own;
    own.fields["store"] = answer.store;
    own.fields["failures"] = Json::array();
    for (const campaign::SavedFailure& one : answer.failures) {
        own.text += fmt::format("failure {}: {}: {} ({}, seen {})\n", one.number, one.problem, one.reason,
                                base::counted(one.messages, "message"), base::counted(one.count, "time"));
        own.fields["failures"].push_back({{"number", one.number},
                                          {"problem", one.problem},
                                          {"reason", one.reason},
                                          {"messages", one.messages},
                                          {"count", one.count},
                                          {"shrunk", one.shrunk},
                                          {"replay", replay_command(answer.store, one.number)}});
    }
    return own;
}

}  // namespace treaty::report
