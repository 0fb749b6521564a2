#include "api/explore.h"
#include "cli/channel_options.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_explore(Arguments arguments) {
    Session session("explore");
    CommandLine line(session);
    api::ExploreQuestion question;
    ChannelOptions channels;
    std::string output;
    bool no_reduction = false;
    line.positional("FILE", question.file, "a protocol, or machines");
    line.option("-p,--protocol", "NAME", question.protocol, "which protocol of the file (default: the last)");
    channels.add_to(line);
    line.option("--replace", "ROLE=FILE", question.replace, "use the machine in this file for the role");
    line.flag("--no-reduction", no_reduction, "visit every interleaving");
    line.flag("--compress", question.compress, "slower, with a third of the memory");
    line.option("-o,--output", "FILE", output, "draw the run that leads to the fault: .svg or .txt");
    if (auto done = line.parse(arguments)) return *done;
    if (!channels.read(session, question.mode, question.bound)) return session.finish();
    question.reduce = !no_reduction;
    api::ExploreAnswer answer = session.ask(api::explore, question);
    report::Own own = report::own_part(answer);
    session.draw_witness(answer, own, output);
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
