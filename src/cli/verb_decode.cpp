#include <algorithm>

#include "api/decode.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {
namespace {

// "a,b" as its names; the empty text has none.
std::vector<std::string> names_of(const std::string& list) {
    std::vector<std::string> names;
    for (std::size_t start = 0; !list.empty() && start <= list.size();) {
        std::size_t end = std::min(list.find(',', start), list.size());
        names.push_back(list.substr(start, end - start));
        start = end + 1;
    }
    return names;
}

}  // namespace

int verb_decode(Arguments arguments) {
    Session session("decode");
    CommandLine line(session);
    api::DecodeQuestion question;
    std::string expected;
    std::optional<std::uint64_t> most;
    line.positional("FILE", question.file, "a file that declares the wire");
    line.option("-w,--wire", "NAME", question.wire, "which wire of the file (default: the last)");
    line.option("-i,--input", "BYTES", question.input, "the file with the bytes (default: standard input)");
    line.flag("--hex", question.hex, "the input is hexadecimal text, or a dump of xxd or hexdump -C");
    line.option("-e,--expect", "MESSAGES", expected, "only these messages may come; separated by commas");
    line.option("--limit-bytes", "N", most, "maximum size of a message (default: 16M)");
    if (auto done = line.parse(arguments)) return *done;
    question.expected = names_of(expected);
    question.message_bytes = most;
    api::DecodeAnswer answer = session.ask(api::decode, question);
    return session.finish(answer, report::own_part(answer));
}

}  // namespace treaty::cli
