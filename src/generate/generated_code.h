// The files that make up the code for roles of a protocol, as texts.
//
// The same protocol always gives the same texts. The file of messages does not depend on the role, so roles
// can be generated one by one into one folder. What has no code in the language is reported, and nothing is
// generated then.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "generate/identifiers.h"
#include "generate/role_code.h"

namespace treaty::generate {

struct GeneratedFile {
    std::string name;  // without a folder
    std::string text;
    bool once = false;  // belongs to the user once it is there: it is not overwritten
};

// What is generated beside the states of the roles. The other files do not depend on it.
struct Extras {
    bool monitors = false;              // a file per role (cpp_monitor.h)
    bool handlers = false;              // a file per role (handlers.h), and its monitor
    bool scaffolds = false;             // a file per role (scaffold.h)
    const model::Wire* wire = nullptr;  // a codec of it (codec.h)
};

std::optional<std::vector<GeneratedFile>> generate_code(const RoleSource& source,
                                                        const std::vector<RoleCode>& roles, Language language,
                                                        const Extras& extras, base::Diagnostics& diagnostics);

// The runtime that generated code includes, as runtime/ has it.
GeneratedFile runtime_file(Language language);

}  // namespace treaty::generate
