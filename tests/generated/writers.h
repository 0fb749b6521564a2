// For the tests of generated code: a program that follows scripts (script.h), in each language.
//
// It does what the scripts say with the operations of the generated code, with the values written down, and
// fails where another message arrives or a session that has ended was abandoned.
#pragma once

#include <string>
#include <vector>

#include "generate/code_writer.h"
#include "script.h"

namespace treaty::generated {

struct Scripted {
    const generate::RoleSource& source;
    const std::vector<generate::RoleCode>& roles;
    const std::vector<Script>& scripts;
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
