#include <filesystem>

#include "api/generate.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "report/answers.h"

namespace treaty::cli {

int verb_generate(Arguments arguments) {
    Session session("generate");
    CommandLine line(session);
    api::GenerateQuestion question;
    std::string folder;
    bool check = false;
    line.positional("FILE", question.file, "a protocol");
    line.option("-l,--language", "LANGUAGE", question.language, "c++, python or typescript", Needed::yes);
    line.option("-r,--role", "ROLE", question.roles, "the role; several, separated by commas (default: all)");
    line.option("-p,--protocol", "NAME", question.protocol, "which protocol of the file (default: the last)");
    line.option("-o,--output", "FOLDER", folder, "where the files are written", Needed::yes);
    line.flag("--monitor", question.extras.monitors, "also a monitor for each role");
    line.flag("--handlers", question.extras.handlers,
              "also a class with a handler per message for each role");
    line.flag("--codec", question.codec,
              "also a codec: messages as bytes, as a wire of the file describes them");
    line.option("-w,--wire", "NAME", question.wire, "which wire the codec is of (default: the last)");
    line.flag("--scaffold", question.extras.scaffolds,
              "also an implementation of each role to fill in; one that is there is not overwritten");
    line.flag("--check", check, "write nothing; fail if a file is missing or out of date");
    if (auto done = line.parse(arguments)) return *done;
    if (check) question.compare_with = folder;
    api::GenerateAnswer answer = session.ask(api::generate_code, question);
    bool writes = answer.verdict == api::Verdict::holds && !check;
    auto path = [&](const generate::GeneratedFile& file) {
        return (std::filesystem::path(folder) / file.name).string();
    };
    std::error_code failed;  // writing reports it
    if (writes)
        std::erase_if(answer.files, [&](const generate::GeneratedFile& file) {
            return file.once && std::filesystem::exists(path(file), failed);
        });
    report::Own own = report::own_part(answer);
    if (writes) {
        std::filesystem::create_directories(folder, failed);
        for (const generate::GeneratedFile& file : answer.files)
            if (!Session::write(answer, path(file), file.text)) break;
    }
    return session.finish(answer, std::move(own));
}

}  // namespace treaty::cli
