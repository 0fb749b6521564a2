#include <fmt/format.h>

#include "api/codes.h"
#include "api/project.h"
#include "api/repair.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "formats/names.h"
#include "report/machine_text.h"
#include "report/output.h"
#include "report/pictures.h"
#include "report/project_report.h"

namespace treaty::cli {
namespace {

struct Files {
    std::string output, save;
};

void write_text(api::Answer& answer, report::Own& own, const std::string& path, const std::string& text) {
    if (report::write_output(answer, path, text)) own.fields["output"] = path;
}

int finish(Session& session, api::ProjectAnswer& answer, report::Own own, const Files& files) {
    std::string extension = formats::extension_of(files.output);
    if (answer.machine && extension == "txt")
        write_text(answer, own, files.output, report::to_text(*answer.machine, draw::Style{}));
    else if (answer.machine_text && extension == "svg")
        report::write_graph(answer, own, *answer.machine_text, {files.output, "svg"},
                            session.context.deadline);
    else if (answer.machine_text)
        write_text(answer, own, files.output, *answer.machine_text);
    if (answer.verdict && answer.protocol_text) write_text(answer, own, files.save, *answer.protocol_text);
    return session.finish(answer, std::move(own));
}

}  // namespace

int verb_project(Arguments arguments) {
    Session session("project");
    CommandLine line(session);
    api::RepairQuestion question;
    Files files;
    std::string mode = "sync";
    bool smart = false;
    line.positional("FILE", question.file, "a protocol");
    line.option("-r,--role", "ROLE", question.roles, "the role; several, separated by commas, for a group",
                Needed::yes);
    line.option("-p,--protocol", "NAME", question.protocol, "which protocol of the file (default: the last)");
    line.option("-o,--output", "FILE", files.output,
                "write the machine: .fsa, .json, .aut, .dot, .svg or .txt");
    line.flag("--smart", smart, "add the interactions that make the protocol realizable");
    line.option("--mode", "MODE", mode, "with --smart: sync (default), sending, reception or disjoint");
    line.option("--save", "FILE", files.save, "with --smart: write the protocol with the additions");
    if (auto done = line.parse(arguments)) return *done;
    std::string extension = formats::extension_of(files.output);
    if (!files.output.empty() && extension != "txt")
        question.machine_notation = extension == "svg" ? "dot" : extension;
    if (!files.save.empty()) question.protocol_notation = formats::extension_of(files.save);
    draw::Style style = session.style();
    const draw::Style* listing = files.output.empty() ? &style : nullptr;
    if (!smart) {
        api::ProjectAnswer answer = session.ask(api::project, api::ProjectQuestion(question));
        return finish(session, answer, report::own_part(answer, listing), files);
    }
    if (auto known = symbolic::parse_communication_mode(mode)) {
        question.mode = *known;
        api::RepairAnswer answer = session.ask(api::repair, question);
        return finish(session, answer, report::own_part(answer, listing), files);
    }
    session.result.inputs = {question.file};
    session.report(api::codes::bad_usage, fmt::format("unknown mode {}", mode))
        .help("modes are sync, sending, reception and disjoint");
    return session.finish();
}

}  // namespace treaty::cli
