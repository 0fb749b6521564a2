#include "report/answers.h"

#include <fmt/format.h>

#include "api/explore.h"
#include "base/wording.h"

namespace treaty::report {
namespace {

using base::counted;

std::string text_of(const api::ExploreAnswer& answer) {
    std::string text = fmt::format("{}, {}, depth {}{}\n", counted(answer.states, "state"),
                                   counted(answer.transitions, "transition"), answer.depth,
                                   answer.reduced ? " (reduced)" : "");
    for (std::size_t i = 1; i < answer.unsafe.size(); ++i)
        text += "also " + answer.unsafe[i].witness.ending + '\n';
    if (answer.growth) {
        text += answer.growth->ending;
        if (answer.exact_bound)
            text += fmt::format("; a capacity of {} shows everything that can happen", *answer.exact_bound);
        text += "\nwith --bound N a channel holds at most N messages, and its sender waits\n";
    }
    if (answer.compared && !answer.realizes)
        text += fmt::format("not compared with {}: {}\n", answer.protocol, answer.realizes_reason);
    return text;
}

Json fields_of(const api::ExploreAnswer& answer) {
    Json fields = {{"states", answer.states},
                   {"transitions", answer.transitions},
                   {"complete", answer.complete},
                   {"reduced", answer.reduced}};
    fields["unsafe"] = Json::array();
    for (const api::UnsafeFound& unsafe : answer.unsafe)
        fields["unsafe"].push_back({{"kind", explore::to_string(unsafe.kind)},
                                    {"reason", unsafe.witness.ending},
                                    {"shortest", unsafe.shortest},
                                    {"witness", to_json(unsafe.witness)}});
    if (answer.growth)
        fields["growth"] = {{"reason", answer.growth->ending}, {"witness", to_json(*answer.growth)}};
    if (!answer.compared) return fields;
    fields["realizes"] = answer.realizes ? Json(*answer.realizes) : Json(nullptr);
    if (!answer.realizes) fields["realizes_reason"] = answer.realizes_reason;
    return fields;
}

}  // namespace

Own own_part(const api::ExploreAnswer& answer) {
    // A file that could not be read has nothing to count.
    if (!answer.verdict) return {};
    return {text_of(answer), false, fields_of(answer), {{"bytes", answer.bytes}, {"depth", answer.depth}}};
}

}  // namespace treaty::report
