#include "api/adherence.h"
#include "api/tests.h"
#include "cli/command_line.h"
#include "cli/test_options.h"
#include "cli/test_output.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {
namespace {

int ask_adherence(Session& session, const api::TestsQuestion& about, const std::string& output) {
    api::AdherenceQuestion question{about.file, about.cuts, about.tests, about.judge};
    api::AdherenceAnswer answer = session.ask(api::adherence, question);
    report::Own own = report::own_part(answer);
    if (answer.wrong && !output.empty())
        write_component(answer, own, *answer.wrong, output, session.context.deadline);
    return session.finish(answer, std::move(own));
}

int ask_tests(Session& session, const api::TestsQuestion& question, const TestOutput& output) {
    api::TestsAnswer answer = session.ask(api::tests, question);
    bool list = !question.check && question.against.empty() && output.path.empty();
    report::Own own = report::own_part(answer, list);
    if (!output.path.empty() && !answer.roles.empty() && answer.roles.front().tests)
        write_tests(answer, own, *answer.roles.front().tests, output, session.context.deadline);
    return session.finish(answer, std::move(own));
}

}  // namespace

int verb_tests(Arguments arguments) {
    Session session("tests");
    CommandLine line(session);
    api::TestsQuestion question;
    TestOptions tests;
    JudgeOptions judge;
    TestOutput output;
    bool adherence = false;
    line.positional("FILE", question.file, "a protocol");
    line.option("--cut", "ROLE", question.cuts, "the role to test; several, separated by commas",
                Needed::yes);
    tests.add_to(line);
    line.flag("--count", question.count_only, "only count the cases");
    line.option("--first", "N", question.first, "take the first N cases");
    line.option("--sample", "N", question.sample, "take N cases, drawn at random (--seed)");
    line.flag("--order", question.by_coverage,
              "sort the cases so that the first ones cover most transitions of the role");
    line.flag("--check", question.check, "check that the role's projection passes every case");
    line.flag("--adherence", adherence,
              "decide instead whether every component that passes follows the protocol");
    line.option("--against", "ROLE=FILE", question.against, "also run them with this machine");
    judge.add_to(line);
    line.option("-o,--output", "PATH", output.path,
                "write the cases: FILE.json, or a folder; with --adherence, the component");
    line.option("--format", "EXT", output.format, "format of the cases in a folder: fsa (default) or json");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {question.file};
    question.tests = tests.read();
    if (!judge.read(session, question.judge) || !usable(session, output, question)) return session.finish();
    return adherence ? ask_adherence(session, question, output.path) : ask_tests(session, question, output);
}

}  // namespace treaty::cli
