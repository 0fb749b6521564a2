#include "report/answers/counterexample.h"

#include <fmt/format.h>

namespace treaty::report {

Json to_json(const model::Alphabet& alphabet, const explore::Counterexample& found) {
    constexpr std::string_view kinds[] = {"event", "ending", "refusal", "divergence"};
    Json trace = Json::array();
    for (model::LabelId label : found.trace) trace.push_back(alphabet.print(label));
    Json out = {{"kind", kinds[static_cast<std::size_t>(found.violation)]},
                {"trace", std::move(trace)},
                {"allowed", found.allowed}};
    if (found.violation != explore::Violation::refusal) return out;
    Json offers = Json::array();
    for (model::LabelId label : found.accepted)
        offers.push_back(label.index == 0 ? std::string("tick") : alphabet.print(label));
    out["offers"] = std::move(offers);
    out["refuses"] = found.refused;
    out["must_offer_one_of"] = found.wanted;
    return out;
}

std::string print_chosen(const std::vector<api::ProcessName>& chosen) {
    std::string out;
    for (const api::ProcessName& one : chosen)
        out += fmt::format("{} means its last definition, {}\n", one.file, one.name);
    return out;
}

}  // namespace treaty::report
