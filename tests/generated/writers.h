// For the tests of generated code: a program that follows scripts (script.h), in each language.
//
// It does what the scripts say with the operations of the generated code, with the values written down, and
// fails where another message arrives or a session that has ended was abandoned. The monitors are told the
// events of logs (judged.h), and must allow those that watch allows, and no others.
#pragma once

#include <string>
#include <vector>

#include "generate/code_writer.h"
#include "judged.h"
#include "script.h"

namespace treaty::generated {

struct Scripted {
    const generate::RoleSource& source;
    const std::vector<generate::RoleCode>& roles;
    const std::vector<Script>& scripts;
    const std::vector<JudgedLog>& logs;
};

struct Program {
    std::string name;  // of its file
    std::string text;
};

// Functions that follow the scripts one by one, and run_sessions() of the protocol's namespace or module. A
// script with a value that the language cannot write is left out.
Program cpp_program(const Scripted& scripted);
Program python_program(const Scripted& scripted);
Program typescript_program(const Scripted& scripted);

}  // namespace treaty::generated
