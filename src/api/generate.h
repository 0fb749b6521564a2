// generate: code for roles of a protocol, as texts of files (generate/generated_code.h).
//
// The verdict: holds with the files. What has no code in the language is an error, with the line of the
// protocol, and there are no files then; undecided if a limit was reached. With `compare_with` the files are
// compared with those of a folder: fails if one is missing or differs, except those that belong to the user
// once they are there (GeneratedFile::once). Nothing is written here.
#pragma once

#include <string>
#include <vector>

#include "api/answer.h"
#include "api/context.h"
#include "api/workspace.h"
#include "generate/generated_code.h"

namespace treaty::api {

struct GenerateQuestion {
    std::string file = {};
    std::string protocol = {};     // empty: the last one of the file
    std::string roles = {};        // "A", "A,B"; empty: all
    std::string language = {};     // "c++", "python" or "typescript"
    generate::Extras extras = {};  // all but the wire
    bool codec = false;
    std::string wire = {};          // of the codec; empty: the last one of the file
    std::string compare_with = {};  // a folder; empty: nothing is compared
};

struct GenerateAnswer : Answer {
    std::string protocol;
    std::string language;
    std::vector<std::string> roles;
    std::vector<generate::GeneratedFile> files;
};

GenerateAnswer generate_code(const Workspace& workspace, const GenerateQuestion& question,
                             const Context& context);

}  // namespace treaty::api
