#include "report/answers.h"

#include "api/unfold.h"

namespace treaty::report {

Own own_part(const api::UnfoldAnswer& answer, bool shown) {
    Own own;
    own.quiet = true;
    if (!answer.unfolded) return own;
    own.fields = {{"steps", answer.steps}, {"truncated", answer.truncated}};
    if (!shown) return own;
    own.text = answer.text;
    own.fields["protocol"] = answer.text;
    return own;
}

}  // namespace treaty::report
