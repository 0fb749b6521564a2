#include <unistd.h>

#include "api/step.h"
#include "cli/channel_options.h"
#include "cli/command_line.h"
#include "cli/step_terminal.h"
#include "cli/verbs.h"
#include "draw/sequence_chart.h"
#include "report/answers.h"
#include "report/pictures.h"

namespace treaty::cli {

int verb_step(Arguments arguments) {
    Session session("step");
    CommandLine line(session);
    api::StepQuestion question;
    ChannelOptions channels;
    std::string output;
    line.positional("FILE", question.file, "a protocol, machines, or a net");
    line.option("-p,--protocol", "NAME", question.protocol, "which protocol of the file (default: the last)");
    line.option("--role", "ROLE", question.role, "only the part of this role");
    channels.add_to(line);
    line.option("-o,--output", "FILE", output, "draw the run: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    session.answer.inputs = {question.file};
    if (!channels.read(session, question.mode, question.bound)) return session.finish();
    api::StepStart start = session.ask(api::begin_walk, question);
    if (start.session) {
        // With --json standard output is for the result alone.
        std::FILE* out = session.options.json ? stderr : stdout;
        draw::Style style =
            session.options.json ? draw::style_for(STDERR_FILENO, session.options.color) : session.style();
        StepTerminal(*start.session, style, out).run();
    }
    api::StepAnswer answer = api::end_walk(start);
    report::Own own = report::own_part(answer, session.style());
    if (!output.empty() && answer.verdict)
        report::write_chart(answer, own, draw::chart_of(answer.run), output);
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
