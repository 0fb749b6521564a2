// Questions about one protocol.
#include "api/check.h"
#include "api/check_properties.h"
#include "api/explore.h"
#include "api/project.h"
#include "api/repair.h"
#include "api/unfold.h"
#include "draw/style.h"
#include "report/answers.h"
#include "symbolic/realizability.h"
#include "workbench/questions.h"

namespace treaty::workbench {

Asked read_check(Form& form) {
    api::CheckQuestion question;
    question.files.emplace_back();
    form.file("file", question.files.front(), "any file that Treaty reads");
    form.protocol(question.protocol);
    form.flag("strict", question.strict,
              "report every choice that a role is not told of, even if it does no harm");
    return [question](Asking& asking) {
        api::CheckAnswer answer = api::check(asking.workspace, question, asking.context);
        return asking.shown("check", answer, report::own_part(answer));
    };
}

Asked read_check_properties(Form& form) {
    api::CheckPropertiesQuestion question;
    form.file("file", question.file, "a protocol with properties");
    form.protocol(question.protocol);
    return [question](Asking& asking) {
        api::CheckPropertiesAnswer answer = api::check_properties(asking.workspace, question, asking.context);
        return asking.shown("watch", answer, report::own_part(answer));
    };
}

Asked read_explore(Form& form) {
    api::ExploreQuestion question;
    bool every = false;
    form.file("file", question.file, "a protocol, or machines");
    form.protocol(question.protocol);
    form.channels(question.mode, question.bound);
    form.files("replace", question.replace, "ROLE=FILE: use the machine in this file for the role",
               Needed::no);
    form.flag("every interleaving", every, "visit every interleaving");
    form.flag("compress", question.compress, "slower, with a third of the memory");
    question.reduce = !every;
    return [question](Asking& asking) {
        api::ExploreAnswer answer = api::explore(asking.workspace, question, asking.context);
        return asking.shown("explore", answer, report::own_part(answer));
    };
}

Asked read_project(Form& form) {
    api::ProjectQuestion question;
    form.file("file", question.file, "a protocol");
    form.role("role", question.roles, "the role; several, separated by commas, for a group", Needed::yes);
    form.protocol(question.protocol);
    return [question](Asking& asking) {
        api::ProjectAnswer answer = api::project(asking.workspace, question, asking.context);
        draw::Style plain;
        return asking.shown("project", answer, report::own_part(answer, &plain));
    };
}

Asked read_repair(Form& form) {
    api::RepairQuestion question;
    std::string mode;
    form.file("file", question.file, "a protocol");
    form.role("role", question.roles, "whose part is shown; several, separated by commas, for a group",
              Needed::yes);
    form.protocol(question.protocol);
    form.choice("mode", mode, {"sync", "sending", "reception", "disjoint"},
                "when one interaction is certain to come after another");
    question.mode = symbolic::parse_communication_mode(mode).value_or(question.mode);
    question.protocol_notation = "treaty";
    return [question](Asking& asking) {
        api::RepairAnswer answer = api::repair(asking.workspace, question, asking.context);
        draw::Style plain;
        Json shown = asking.shown("project", answer, report::own_part(answer, &plain));
        if (answer.protocol_text)
            shown["made"] = {{"name", "repaired.treaty"}, {"text", *answer.protocol_text}};
        return shown;
    };
}

Asked read_unfold(Form& form) {
    api::UnfoldQuestion question;
    form.file("file", question.file, "a protocol");
    form.protocol(question.protocol);
    form.number("times", question.times, "rounds of each loop, at most (1, if it is empty)", 1'000'000);
    return [question](Asking& asking) {
        api::UnfoldAnswer answer = api::unfold(asking.workspace, question, asking.context);
        Json shown = asking.shown("unfold", answer, report::own_part(answer, true));
        if (answer.unfolded) shown["made"] = {{"name", "unfolded.treaty"}, {"text", answer.text}};
        return shown;
    };
}

}  // namespace treaty::workbench
