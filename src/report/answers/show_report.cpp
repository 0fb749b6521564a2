#include "report/answers.h"

#include "api/show.h"
#include "draw/sequence_chart.h"

namespace treaty::report {

Own own_part(api::ShowAnswer& answer, const Wanted& wanted, const base::Deadline& deadline) {
    Own own;
    own.quiet = true;
    own.fields["as"] = api::to_string(answer.kind);
    if (answer.kind == api::ShowKind::pomset && answer.branches > 0) own.fields["branches"] = answer.branches;
    if (!answer.incomplete.empty()) own.fields["incomplete"] = answer.incomplete;
    if (answer.verdict != api::Verdict::holds) return own;
    if (answer.chart)
        write_chart(answer, own, draw::chart_of(answer.chart->specification, *answer.chart->protocol),
                    wanted);
    else
        write_graph(answer, own, answer.dot, wanted, deadline);
    return own;
}

}  // namespace treaty::report
