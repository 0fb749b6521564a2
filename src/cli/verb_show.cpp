#include <fmt/format.h>

#include "api/codes.h"
#include "api/convert.h"
#include "api/show.h"
#include "base/suggest.h"
#include "cli/channel_options.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"
#include "report/output.h"

namespace treaty::cli {
namespace {

bool read_kind(const Session& session, const std::string& as, api::ShowKind& into) {
    if (auto kind = api::parse_show_kind(as)) {
        into = *kind;
        return true;
    }
    std::string_view meant = base::nearest(as, {"msc", "graph", "net", "machine", "pomset", "space"});
    session.report(api::codes::bad_usage, fmt::format("--as {} is not a kind of picture", as))
        .help(meant.empty() ? "kinds are msc, graph, net, machine, pomset and space"
                            : fmt::format("did you mean {}?", meant));
    return false;
}

// The notation of sequence diagrams that a chart is wanted in; empty if it is wanted as a picture.
std::string diagram_notation(const report::Wanted& wanted) {
    std::string notation = wanted.format.empty() ? api::extension_of(wanted.output) : wanted.format;
    for (std::string_view known : {"mmd", "mermaid", "puml", "plantuml"})
        if (notation == known) return notation;
    return {};
}

// A chart as a text that other tools draw. Like a picture it shows no data.
int write_diagram(Session& session, const api::ShowQuestion& question, const std::string& notation,
                  const std::string& output) {
    api::ConvertQuestion convert{question.file, question.protocol, notation, {}, true};
    api::ConvertAnswer answer = session.ask(api::convert, convert);
    report::Own own;
    own.quiet = true;
    if (answer.verdict == api::Verdict::holds && output.empty()) own.text = answer.text;
    if (answer.verdict == api::Verdict::holds && !output.empty() &&
        report::write_output(answer, output, answer.text))
        own.fields["output"] = output;
    return session.finish(answer, std::move(own));
}

}  // namespace

int verb_show(Arguments arguments) {
    Session session("show");
    CommandLine line(session);
    api::ShowQuestion question;
    std::string as;
    report::Wanted wanted;
    ChannelOptions channels;
    line.positional("FILE", question.file, "any file that Treaty reads");
    line.option("--as", "KIND", as, "msc, graph, net, machine, pomset or space", Needed::yes);
    line.option("-r,--role", "ROLE", question.role,
                "net, machine: the part of this role, or of several (A,B)");
    line.option("-p,--protocol", "NAME", question.protocol, "which protocol of the file (default: the last)");
    line.option("-o,--output", "FILE", wanted.output,
                "the file to write: .svg, .dot; charts also .txt, .mmd, .puml");
    line.option("--format", "FORMAT", wanted.format,
                "svg, dot, txt, mmd or puml, whatever the name of the file");
    line.option("--rounds", "N", question.rounds,
                "pomset: at most this many rounds of each loop (default: 2)");
    channels.add_to(line);
    if (auto done = line.parse(arguments)) return *done;
    session.answer.inputs = {question.file};
    if (!read_kind(session, as, question.kind)) return session.finish();
    if (std::string notation = diagram_notation(wanted);
        question.kind == api::ShowKind::msc && !notation.empty())
        return write_diagram(session, question, notation, wanted.output);
    if (question.kind == api::ShowKind::space && !channels.read(session, question.mode, question.bound))
        return session.finish();
    api::ShowAnswer answer = session.ask(api::show, question);
    report::Own own = report::own_part(answer, wanted, session.context.deadline);
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
