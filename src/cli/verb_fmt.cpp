#include "api/format.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"
#include "report/output.h"

namespace treaty::cli {

int verb_fmt(Arguments arguments) {
    Session session("fmt");
    CommandLine line(session);
    api::FormatQuestion question;
    bool in_place = false;
    line.positionals("FILE", question.files, "Treaty files; - is standard input");
    line.flag("--check", question.check, "change nothing; exit with 1 if a file would change");
    line.flag("-i,--in-place", in_place, "rewrite the files");
    if (auto done = line.parse(arguments)) return *done;
    api::FormatAnswer answer = session.ask(api::format, question);
    auto rewritten = [&](const api::FormattedFile& file) { return in_place && file.file != "-"; };
    for (const api::FormattedFile& file : answer.files)
        if (!question.check && rewritten(file) && file.changed)
            report::write_output(answer, file.file, file.text);
    return session.finish(answer, report::own_part(answer, [&](const api::FormattedFile& file) {
                              return !question.check && !rewritten(file);
                          }));
}

}  // namespace treaty::cli
