#include "api/comply.h"
#include "cli/command_line.h"
#include "cli/test_options.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_comply(Arguments arguments) {
    Session session("comply");
    CommandLine line(session);
    api::ComplyQuestion question;
    TestOptions tests;
    JudgeOptions judge;
    std::string output;
    line.positional("MACHINE", question.machine, "machines, or a protocol whose projection is used");
    line.positional("TESTS", question.tests, "the output of treaty tests, or a protocol");
    line.option("--cut", "ROLE", question.cut, "the role that is tested, if TESTS is a protocol");
    tests.add_to(line);
    line.option("--first", "N", question.first, "run the first N cases of a protocol");
    line.option("--sample", "N", question.sample, "run N cases of a protocol, drawn at random (--seed)");
    judge.add_to(line);
    line.option("-o,--output", "FILE", output, "draw the shortest failure: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    session.result.inputs = {question.machine, question.tests};
    question.which = tests.read();
    if (!judge.read(session, question.judge)) return session.finish();
    api::ComplyAnswer answer = session.ask(api::comply, question);
    report::Own own = report::own_part(answer);
    session.draw_witness(answer, own, output);
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
