#include <fmt/format.h>

#include "api/codes.h"
#include "api/complete.h"
#include "api/convert.h"
#include "base/file.h"
#include "base/limits.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {
namespace {

// Options whose words mean something to the question.
struct Words {
    std::string in = "traces", ends = "auto", probe, patience, output;
    std::optional<std::uint64_t> times;
};

void add_options(CommandLine& line, api::CompleteQuestion& question, Words& words) {
    line.positional("FILE", question.file, "a CSPM script, or any file with a machine");
    line.option("-s,--spec", "NAME", question.specification,
                "the specification: a process of the script, or a role");
    line.option("-d,--domain", "NAME", question.domain,
                "the fault domain: a process, a file, or mutants (default: any process over the alphabet)");
    line.option(
        "--sut", "SUT", question.sut,
        "what is tested: a process, a model's file, a command, or an address such as tcp://host:port");
    line.option("--via", "ADDRESS", question.via,
                "where the command is reached (default: its standard input and output)");
    line.option("--env", "NAME=VALUE", question.surroundings.variables,
                "an environment variable of the command; repeatable");
    line.option("--dir", "FOLDER", question.surroundings.directory, "the working directory of the command");
    line.option("--in", "MODEL", words.in, "traces (default), or failures: also test what may be refused");
    line.option("--ends", "WHEN", words.ends,
                "test successful ends: auto (default: if a model can end), always or never");
    line.option("--alphabet", "SET", question.alphabet,
                "events of the script to test, besides those of the models (default: all)");
    line.option("--event", "EVENT", question.events, "add an event to the alphabet");
    line.option("--probe", "EVENT", words.probe, "add an unused event, so that testing ends");
    line.option("--tests", "N", question.tests, "stop after this many tests");
    line.option("--length", "N", question.length, "with --plan: traces of at most this many events");
    line.option("--times", "N", words.times, "run each test this often and combine the verdicts");
    line.option("--patience", "TIME", words.patience,
                "how long a program may take to answer (default: 10s; 2s with --silence-refuses)");
    line.flag("--silence-refuses", question.silence_refuses,
              "a program that does not answer in time has refused");
    line.flag("--keep", question.keep, "reset the program between tests instead of starting it again");
    line.flag("--sharp", question.sharp, "exclude the shortest refused prefix: fewer tests");
    line.flag("--plan", question.plan, "write out the complete test set instead of running it");
    line.option("-o,--output", "FILE", words.output, "with --plan: write the tests: .txt, .json or .csp");
}

// False after reporting which word means nothing.
bool read(const Session& session, const Words& words, api::CompleteQuestion& question) {
    auto refuse = [&](std::string why, std::string help = {}) {
        session.report(api::codes::bad_usage, std::move(why)).help(std::move(help));
        return false;
    };
    if (!words.output.empty() && !question.plan)
        return refuse("--output needs --plan, whose tests it writes");
    auto observation = explore::parse_observation(words.in);
    if (!observation)
        return refuse(fmt::format("--in {} cannot be tested", words.in), "models are traces and failures");
    question.observation = *observation;
    if (words.ends != "auto" && words.ends != "always" && words.ends != "never")
        return refuse(fmt::format("--ends {} is not auto, always or never", words.ends));
    if (words.ends != "auto")
        question.ends = words.ends == "always" ? api::TestEnds::always : api::TestEnds::never;
    if (!words.patience.empty()) {
        auto patience = base::parse_duration(words.patience);
        if (!patience)
            return refuse(fmt::format("--patience {} is not a duration such as 250ms", words.patience));
        question.patience = std::chrono::duration_cast<std::chrono::milliseconds>(*patience);
    }
    if (!words.probe.empty()) question.events.push_back(words.probe);
    question.times = words.times.value_or(1);
    if (api::extension_of(words.output) == "csp") question.script = words.output;
    return true;
}

}  // namespace

int verb_complete(Arguments arguments) {
    Session session("complete");
    CommandLine line(session);
    api::CompleteQuestion question;
    Words words;
    add_options(line, question, words);
    if (auto done = line.parse(arguments)) return *done;
    session.answer.inputs = {question.file};
    if (!read(session, words, question)) return session.finish();
    bool shown = false;
    // A text that cannot be written now cannot be written in the end either, and that is reported then.
    question.before_tests = [&](const api::CompleteAnswer& so_far) {
        shown = !session.options.json && base::write_file("-", report::text_before_tests(so_far)).has_value();
    };
    api::CompleteAnswer answer = session.ask(api::complete, question);
    report::Own own = report::own_part(answer, shown);
    if (!words.output.empty()) report::write_tests(answer, words.output);
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
