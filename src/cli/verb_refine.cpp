#include <fmt/format.h>

#include "api/codes.h"
#include "api/refine.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_refine(Arguments arguments) {
    Session session("refine");
    CommandLine line(session);
    api::RefineQuestion question;
    std::string in = "traces";
    bool no_antichain = false;
    line.positional("SPEC", question.specification, "what is allowed: FILE or FILE:NAME");
    line.positional("IMPL", question.implementation, "what is checked: FILE or FILE:NAME");
    line.option("--in", "MODEL", in, "traces (default), failures or failures-divergences");
    line.flag("--no-antichain", no_antichain, "also search pairs that a stricter pair covers");
    if (auto done = line.parse(arguments)) return *done;
    session.answer.inputs = {question.specification, question.implementation};
    auto observation = explore::parse_observation(in);
    if (!observation) {
        session.report(api::codes::bad_usage, fmt::format("--in {} is not a model", in))
            .help("models are traces, failures and failures-divergences");
        return session.finish();
    }
    question.observation = *observation;
    question.antichain = !no_antichain;
    api::RefineAnswer answer = session.ask(api::refine, question);
    return session.finish(answer, report::own_part(answer));
}

}  // namespace treaty::cli
