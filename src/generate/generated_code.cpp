#include "generate/generated_code.h"

#include "generate/cpp_code.h"
#include "generate/python_code.h"
#include "generate/runtime_texts.h"
#include "generate/typescript_code.h"

namespace treaty::generate {

std::optional<std::vector<GeneratedFile>> generate_code(const RoleSource& source,
                                                        const std::vector<RoleCode>& roles, Language language,
                                                        base::Diagnostics& diagnostics) {
    switch (language) {
        case Language::cpp: return generate_cpp(source, roles, diagnostics);
        case Language::python: return generate_python(source, roles, diagnostics);
        case Language::typescript: return generate_typescript(source, roles, diagnostics);
    }
    return std::nullopt;
}

GeneratedFile runtime_file(Language language) {
    switch (language) {
        case Language::cpp: return {"treaty_runtime.hpp", std::string(cpp_runtime())};
        case Language::python: return {"treaty_runtime.py", std::string(python_runtime())};
        case Language::typescript: break;
    }
    return {"treaty_runtime.ts", std::string(typescript_runtime())};
}

}  // namespace treaty::generate
