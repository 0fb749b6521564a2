// Questions about two models, and about scripts.
#include "api/conform.h"
#include "api/diff.h"
#include "api/refine.h"
#include "api/run.h"
#include "explore/refine/refine.h"
#include "report/answers.h"
#include "workbench/questions.h"

namespace treaty::workbench {

Asked read_conform(Form& form) {
    api::ConformQuestion question;
    form.file("implementation", question.implementation, "the implementation");
    form.file("specification", question.specification, "the specification");
    form.text("implementation protocol", question.implementation_protocol,
              "which protocol of the implementation (the last one, if it is empty)");
    form.text("specification protocol", question.specification_protocol,
              "which protocol of the specification (the last one, if it is empty)");
    return [question](Asking& asking) {
        api::ConformAnswer answer = api::conform(asking.workspace, question, asking.context);
        return asking.shown("conform", answer, report::own_part(answer));
    };
}

Asked read_diff(Form& form) {
    api::DiffQuestion question;
    form.file("before", question.before, "the old version");
    form.file("after", question.after, "the new version");
    form.text("role", question.role, "only this role (all, if it is empty)");
    return [question](Asking& asking) {
        api::DiffAnswer answer = api::diff(asking.workspace, question, asking.context);
        return asking.shown("diff", answer, report::own_part(answer));
    };
}

Asked read_refine(Form& form) {
    api::RefineQuestion question;
    std::string in, specification_process, implementation_process;
    bool all_pairs = false;
    form.file("specification", question.specification, "what is allowed");
    form.text("process of the specification", specification_process,
              "a process of a script, a role, or a machine");
    form.file("implementation", question.implementation, "what is checked");
    form.text("process of the implementation", implementation_process,
              "a process of a script, a role, or a machine");
    form.choice("in", in, {"traces", "failures", "failures-divergences"},
                "what is compared: what happens, also what may be refused, also endless silent steps");
    form.flag("all pairs", all_pairs, "also search pairs that a stricter pair covers");
    if (!specification_process.empty()) question.specification += ':' + specification_process;
    if (!implementation_process.empty()) question.implementation += ':' + implementation_process;
    question.observation = explore::parse_observation(in).value_or(question.observation);
    question.antichain = !all_pairs;
    return [question](Asking& asking) {
        api::RefineAnswer answer = api::refine(asking.workspace, question, asking.context);
        return asking.shown("refine", answer, report::own_part(answer));
    };
}

Asked read_run(Form& form) {
    api::RunQuestion question;
    form.file("file", question.file, "a SChorA script (.schora) or a CSPM script (.csp)");
    return [question](Asking& asking) {
        api::RunAnswer answer = api::run(asking.workspace, question, asking.context);
        return asking.shown("run", answer, report::own_part(answer));
    };
}

}  // namespace treaty::workbench
