#include <fmt/format.h>

#include "api/codes.h"
#include "api/convert.h"
#include "base/suggest.h"
#include "cli/command_line.h"
#include "cli/notation_list.h"
#include "cli/verbs.h"
#include "report/output.h"
#include "report/pictures.h"

namespace treaty::cli {
namespace {

bool read_kind(const Session& session, const std::string& as, std::optional<api::ModelKind>& into) {
    into = api::parse_model_kind(as);
    if (into || as.empty()) return true;
    std::string_view meant = base::nearest(as, {"protocol", "system", "machine", "net"});
    session.report(api::codes::bad_usage, fmt::format("--as {} is not a kind of model", as))
        .help(meant.empty() ? "kinds are protocol, system, machine and net"
                            : fmt::format("did you mean {}?", meant));
    return false;
}

}  // namespace

int verb_convert(Arguments arguments) {
    Session session("convert");
    CommandLine line(session);
    api::ConvertQuestion question;
    std::string output, as;
    bool list = false;
    line.positional("FILE", question.file, "what to read", Needed::no);
    line.option("-o,--output", "FILE", output, "what to write; its extension selects the notation");
    line.option("-p,--protocol", "NAME", question.protocol, "which protocol of the file (default: the last)");
    line.option("--as", "KIND", as, "write a protocol as: protocol, system, machine or net");
    line.flag("--allow-loss", question.allow_loss, "write even if something is lost, and report what");
    line.flag("--list", list, "list all notations: extensions, read or written, what they express");
    if (auto done = line.parse(arguments)) return *done;
    if (list) {
        session.result.quiet = true;
        session.result.text = list_notations();
        session.result.extra["notations"] = notations_to_json();
        return session.holds();
    }
    if (question.file.empty() || output.empty()) {
        session
            .report(api::codes::bad_usage,
                    fmt::format("treaty convert needs {}", question.file.empty() ? "FILE" : "--output"))
            .help("usage: treaty convert FILE --output FILE; treaty convert --list lists the notations");
        return session.finish();
    }
    session.answer.inputs = {question.file};
    if (!read_kind(session, as, question.kind)) return session.finish();
    question.notation = api::extension_of(output);
    bool drawn = question.notation == "svg";
    if (drawn) question.notation = "dot";
    api::ConvertAnswer answer = session.ask(api::convert, question);
    report::Own own;
    own.quiet = true;
    if (answer.verdict == api::Verdict::holds && drawn) {
        report::write_graph(answer, own, answer.text, {output, {}}, session.context.deadline);
    } else if (answer.verdict == api::Verdict::holds && report::write_output(answer, output, answer.text)) {
        own.fields["output"] = output;
    }
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
