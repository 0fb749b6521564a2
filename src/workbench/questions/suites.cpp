// Questions about abstract tests.
#include "api/adherence.h"
#include "api/compare_tests.h"
#include "api/complete.h"
#include "api/comply.h"
#include "api/mutate.h"
#include "api/tests.h"
#include "explore/refine/refine.h"
#include "report/answers.h"
#include "testgen/split.h"
#include "workbench/questions.h"

namespace treaty::workbench {
namespace {

void read_tests_of(Form& form, api::TestOptions& options) {
    bool keep_all = false, wait = false, dual = false;
    form.protocol(options.protocol);
    form.number("times", options.times, "rounds of each loop at most (2, if it is empty)", 1000);
    form.flag("keep all", keep_all,
              "also keep states that other choices make unreachable, and cases that differ only there");
    form.text("success", options.success,
              "a test has succeeded after this step: LINE, LINE:COLUMN or the name of a rec block");
    form.flag("wait", wait, "add cases in which a role that could send waits for a message first");
    form.flag("dual", dual, "one test machine that mirrors the component, instead of one per other role");
    if (keep_all) options.keep = testgen::Keep::all;
    if (wait) options.mixed = testgen::Mixed::also_wait;
    if (dual) options.kind = api::TestKind::dual;
}

void read_judging(Form& form, api::JudgeOptions& options) {
    std::optional<model::Mode> mode;
    std::optional<std::uint32_t> bound;
    std::string oracle;
    form.channels(mode, bound);
    form.choice("oracle", oracle, {"global", "local"},
                "global: what all roles saw must be one run; local: judge each role by itself");
    form.flag("observe final", options.observe_final, "also observe whether the component itself has ended");
    if (mode) options.channels.mode = *mode;
    if (bound) options.channels.bound = *bound;
    options.global = oracle == "global";
}

}  // namespace

Asked read_tests(Form& form) {
    api::TestsQuestion question;
    form.file("file", question.file, "a protocol");
    form.role("cut", question.cuts, "the role to test; several, separated by commas", Needed::yes);
    form.flag("count", question.count_only, "only count the cases");
    form.number("first", question.first, "take the first N cases");
    form.number("sample", question.sample, "take N cases, drawn at random with the seed");
    form.flag("order", question.by_coverage,
              "sort the cases so that the first ones cover most transitions of the role");
    form.flag("check", question.check, "check that the role's projection passes every case");
    form.files("against", question.against, "ROLE=FILE: also run them with this machine", Needed::no);
    read_tests_of(form, question.tests);
    read_judging(form, question.judge);
    return [question](Asking& asking) {
        api::TestsAnswer answer = api::tests(asking.workspace, question, asking.context);
        return asking.shown("tests", answer,
                            report::own_part(answer, !question.check && question.against.empty()));
    };
}

Asked read_adherence(Form& form) {
    api::AdherenceQuestion question;
    form.file("file", question.file, "a protocol");
    form.role("cut", question.cut, "the role that is tested", Needed::yes);
    read_tests_of(form, question.tests);
    read_judging(form, question.judge);
    return [question](Asking& asking) {
        api::AdherenceAnswer answer = api::adherence(asking.workspace, question, asking.context);
        return asking.shown("tests", answer, report::own_part(answer));
    };
}

Asked read_comply(Form& form) {
    api::ComplyQuestion question;
    form.file("machine", question.machine, "machines, or a protocol whose projection is used");
    form.file("tests", question.tests, "tests, or a protocol from which they are made");
    form.role("cut", question.cut, "the role that is tested, if the tests are made from a protocol");
    form.number("first", question.first, "run the first N cases of a protocol");
    form.number("sample", question.sample, "run N cases of a protocol, drawn at random with the seed");
    read_tests_of(form, question.which);
    read_judging(form, question.judge);
    return [question](Asking& asking) {
        api::ComplyAnswer answer = api::comply(asking.workspace, question, asking.context);
        return asking.shown("comply", answer, report::own_part(answer));
    };
}

namespace {

void read_mutation(Form& form, api::MutateQuestion& question) {
    std::string level;
    form.file("file", question.file, "a protocol");
    form.role("cut", question.cut, "the role whose component is changed", Needed::yes);
    form.file("tests", question.tests, "tests that were written before (all of the protocol, if it is empty)",
              Needed::no);
    form.number("sample", question.sample, "use N cases, drawn at random with the seed, if there are more");
    form.choice("level", level, {"both", "machine", "protocol"}, "what is changed");
    read_tests_of(form, question.which);
    read_judging(form, question.judge);
    if (level == "machine") question.level = api::MutationLevel::machine;
    if (level == "protocol") question.level = api::MutationLevel::protocol;
}

}  // namespace

Asked read_mutate(Form& form) {
    api::MutateQuestion question;
    bool list = false;
    read_mutation(form, question);
    form.flag("list", list, "also list the killed mutants");
    return [question, list](Asking& asking) {
        api::MutateAnswer answer = api::mutate(asking.workspace, question, asking.context);
        return asking.shown("mutate", answer, report::own_part(answer, list));
    };
}

Asked read_compare_tests(Form& form) {
    api::MutateQuestion question;
    read_mutation(form, question);
    return [question](Asking& asking) {
        api::CompareTestsAnswer answer = api::compare_tests(asking.workspace, question, asking.context);
        return asking.shown("mutate", answer, report::own_part(answer));
    };
}

namespace {

void read_specification(Form& form, api::CompleteQuestion& question) {
    std::string in;
    form.file("file", question.file, "a CSPM script, or any file with a machine");
    form.text("specification", question.specification, "a process of the script, or a role");
    form.choice("in", in, {"traces", "failures"},
                "what is tested: what happens, or also what may be refused");
    form.text("alphabet", question.alphabet,
              "events of the script to test, besides those of the models (all, if it is empty)");
    form.texts("event", question.events, "more events of the alphabet, one per line");
    form.flag("sharp", question.sharp, "exclude the shortest refused prefix: fewer tests");
    question.observation = explore::parse_observation(in).value_or(question.observation);
}

Json complete(Asking& asking, const api::CompleteQuestion& question) {
    api::CompleteAnswer answer = api::complete(asking.workspace, question, asking.context);
    return asking.shown("complete", answer, report::own_part(answer, false));
}

}  // namespace

// The fault domain of a plan is a name or a file of the folder: no program is involved.
Asked read_plan(Form& form) {
    api::CompleteQuestion question;
    read_specification(form, question);
    form.text("domain", question.domain,
              "the fault domain: a process, or mutants (any process over the alphabet, if it is empty)");
    form.number("length", question.length, "traces of at most this many events");
    question.plan = true;
    return [question](Asking& asking) { return complete(asking, question); };
}

Asked read_complete(Form& form) {
    api::CompleteQuestion question;
    read_specification(form, question);
    form.text(
        "domain", question.domain,
        "the fault domain: a process, a file, or mutants (any process over the alphabet, if it is empty)");
    form.text("sut", question.sut,
              "what is tested: a process, a model's file, a command, or an address such as tcp://host:port",
              Needed::yes);
    form.text("via", question.via,
              "where the command is reached (its standard input and output, if it is empty)");
    form.number("tests", question.tests, "stop after this many tests");
    form.number("times", question.times, "run each test this often and combine the verdicts", 1000);
    form.time("patience", question.patience, "how long a program may take to answer");
    form.flag("silence refuses", question.silence_refuses,
              "a program that does not answer in time has refused");
    form.flag("keep", question.keep, "reset the program between tests instead of starting it again");
    return [question](Asking& asking) { return complete(asking, question); };
}

}  // namespace treaty::workbench
