#include "report/answers/violation_text.h"

#include <fmt/format.h>

namespace treaty::report {

Json to_json(const api::RefinementViolation& violation) {
    constexpr std::string_view kinds[] = {"event", "ending", "refusal", "divergence"};
    Json out = {{"kind", kinds[static_cast<std::size_t>(violation.kind)]},
                {"trace", violation.trace},
                {"allowed", violation.allowed}};
    if (violation.kind != explore::Violation::refusal) return out;
    out["offers"] = violation.offers;
    out["refuses"] = violation.refuses;
    out["must_offer_one_of"] = violation.must_offer_one_of;
    return out;
}

std::string print_trace(const std::vector<std::string>& trace) {
    return fmt::format("<{}>", fmt::join(trace, ", "));
}

}  // namespace treaty::report
