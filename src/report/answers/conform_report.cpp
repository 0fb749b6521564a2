#include "report/answers.h"

#include "api/conform.h"

namespace treaty::report {

Own own_part(const api::ConformAnswer& answer) {
    Own own;
    if (!answer.effort) return own;
    own.stats = {{"pairs", answer.effort->pairs},
                 {"evaluations", answer.effort->evaluations},
                 {"queries", answer.effort->queries},
                 {"remembered", answer.effort->remembered}};
    own.fields["condition"] = answer.condition.empty() ? Json(nullptr) : Json(answer.condition);
    if (answer.differ) own.fields["pair"] = {answer.differ->implementation, answer.differ->specification};
    return own;
}

}  // namespace treaty::report
