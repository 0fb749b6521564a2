#include "api/mine.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_mine(Arguments arguments) {
    Session session("mine");
    CommandLine line(session);
    api::MineQuestion question;
    std::string output = "-";
    line.positionals("FILE", question.logs,
                     "a log, or ROLE=FILE for the log of one role; - is standard input");
    line.option("--as", "MAPPING", question.mappings,
                "how lines become messages: a file, or access_log, otlp; LOG=MAPPING for one log only");
    line.option("-o,--output", "FILE", output, "write the protocol here (default: standard output)");
    line.option("--session", "RULE", question.session,
                "how to tell sessions apart: session (default; else the connection) or id");
    line.option("--name", "NAME", question.name, "name of the protocol (default: Guess)");
    line.option("-k,--ahead", "N", question.ahead,
                "merge states that agree for this many steps (default: 2)");
    if (auto done = line.parse(arguments)) return *done;
    api::MineAnswer answer = session.ask(api::mine, question);
    report::Own own = report::own_part(answer);
    if (output != "-" && answer.verdict) {
        own.text.clear();
        session.write(answer, output, answer.protocol);
    }
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
