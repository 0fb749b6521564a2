#include "api/data.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_data(Arguments arguments) {
    Session session("data");
    CommandLine line(session);
    api::DataQuestion question;
    std::optional<std::uint64_t> count;
    std::string output;
    bool hex = false;
    line.positional("FILE", question.file, "a file that declares the message");
    line.option("-m,--message", "NAME", question.message, "which message (with --profile: any, by weight)");
    line.option("-n,--count", "N", count, "how many (default: 10)");
    line.option("-w,--wire", "NAME", question.wire,
                "the wire that encodes it (default: the last one that carries it)");
    line.option("-o,--output", "FILE", output, "write the bytes, one message after the other");
    line.option("--profile", "FILE", question.profile,
                "an operational profile: weights of messages and values");
    line.flag("--invalid", question.invalid, "messages that break exactly one constraint each");
    line.flag("--corrupt", question.corrupt,
              "also its bytes damaged in many ways, each with what the wire makes of it (default count: 1)");
    line.flag("--hex", hex, "show bytes as a dump: offset, hexadecimal digits, text");
    if (auto done = line.parse(arguments)) return *done;
    question.count = count.value_or(question.corrupt ? 1 : question.count);
    api::DataAnswer answer = session.ask(api::data, question);
    report::Own own = report::own_part(answer, hex);
    if (!output.empty() && answer.verdict == api::Verdict::holds)
        session.write(answer, output, api::bytes_of(answer));
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
