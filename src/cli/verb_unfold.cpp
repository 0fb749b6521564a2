#include "api/unfold.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "formats/names.h"
#include "report/answers.h"
#include "report/output.h"

namespace treaty::cli {

int verb_unfold(Arguments arguments) {
    Session session("unfold");
    CommandLine line(session);
    api::UnfoldQuestion question;
    std::optional<std::uint64_t> times;
    std::string output;
    line.positional("FILE", question.file, "a protocol");
    line.option("-n,--times", "N", times, "at most this many rounds of each loop (default: 1)");
    line.option("-p,--protocol", "NAME", question.protocol, "which protocol of the file (default: the last)");
    line.option("-o,--output", "FILE", output, "write the result: .treaty, .gc or .json");
    if (auto done = line.parse(arguments)) return *done;
    if (times) question.times = *times;
    if (!output.empty()) question.notation = formats::extension_of(output);
    api::UnfoldAnswer answer = session.ask(api::unfold, question);
    report::Own own = report::own_part(answer, output.empty());
    if (answer.verdict && !output.empty() && report::write_output(answer, output, answer.text))
        own.fields["output"] = output;
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
