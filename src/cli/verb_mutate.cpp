#include <fmt/format.h>

#include "api/codes.h"
#include "api/compare_tests.h"
#include "api/mutate.h"
#include "cli/command_line.h"
#include "cli/test_options.h"
#include "cli/verbs.h"
#include "report/answers.h"
#include "report/pictures.h"

namespace treaty::cli {
namespace {

bool read_level(Session& session, const std::string& name, api::MutationLevel& into) {
    if (name == "machine") {
        into = api::MutationLevel::machine;
    } else if (name == "protocol") {
        into = api::MutationLevel::protocol;
    } else if (name != "both") {
        session.report(api::codes::bad_usage,
                       fmt::format("--level {} is not machine, protocol or both", name));
        return false;
    }
    return true;
}

}  // namespace

int verb_mutate(Arguments arguments) {
    Session session("mutate");
    CommandLine line(session);
    api::MutateQuestion question;
    TestOptions tests;
    JudgeOptions judge;
    std::string level = "both", output;
    bool list = false, compare = false;
    line.positional("FILE", question.file, "a protocol");
    line.option("--cut", "ROLE", question.cut, "the role whose component is changed", Needed::yes);
    line.option("--tests", "PATH", question.tests,
                "tests written by treaty tests (default: all tests of the protocol)");
    line.option("--sample", "N", question.sample, "use N cases, drawn at random (--seed), if there are more");
    line.option("--level", "WHERE", level, "what is changed: machine, protocol or both (default)");
    line.flag("--list", list, "also list the killed mutants");
    line.flag("--compare", compare, "compare both kinds of tests and both verdicts in one table");
    tests.add_to(line);
    judge.add_to(line);
    line.option("-o,--output", "FILE", output,
                "draw the machine and mark the mutants that no test killed: .svg or .dot");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {question.file};
    question.which = tests.read();
    if (!judge.read(session, question.judge) || !read_level(session, level, question.level))
        return session.finish();
    if (compare) {
        api::CompareTestsAnswer answer = session.ask(api::compare_tests, question);
        return session.finish(answer, report::own_part(answer));
    }
    api::MutateAnswer answer = session.ask(api::mutate, question);
    report::Own own = report::own_part(answer, list);
    if (!output.empty() && answer.component)
        report::write_graph(answer, own, report::draw_survivors(answer), {output, {}},
                            session.context.deadline);
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
