#include "api/violation.h"

namespace treaty::api {

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

}  // namespace treaty::api
