#include "generate/generated_code.h"

#include "generate/codec.h"
#include "generate/cpp_code.h"
#include "generate/cpp_monitor.h"
#include "generate/handlers.h"
#include "generate/python_code.h"
#include "generate/python_monitor.h"
#include "generate/runtime_texts.h"
#include "generate/scaffold.h"
#include "generate/typescript_code.h"
#include "generate/typescript_monitor.h"

namespace treaty::generate {

namespace {

std::optional<std::vector<GeneratedFile>> states_of(const RoleSource& source,
                                                    const std::vector<RoleCode>& roles, Language language,
                                                    base::Diagnostics& diagnostics) {
    switch (language) {
        case Language::cpp: return generate_cpp(source, roles, diagnostics);
        case Language::python: return generate_python(source, roles, diagnostics);
        case Language::typescript: break;
    }
    return generate_typescript(source, roles, diagnostics);
}

std::optional<GeneratedFile> monitor_of(const RoleSource& source, const RoleCode& role, Language language,
                                        base::Diagnostics& diagnostics) {
    switch (language) {
        case Language::cpp: return cpp_monitor(source, role, diagnostics);
        case Language::python: return python_monitor(source, role, diagnostics);
        case Language::typescript: break;
    }
    return typescript_monitor(source, role, diagnostics);
}

}  // namespace

std::optional<std::vector<GeneratedFile>> generate_code(const RoleSource& source,
                                                        const std::vector<RoleCode>& roles, Language language,
                                                        const Extras& extras,
                                                        base::Diagnostics& diagnostics) {
    auto files = states_of(source, roles, language, diagnostics);
    for (const RoleCode& role : roles) {
        if (!files) break;
        auto add = [&](std::optional<GeneratedFile> file) {
            if (file && files)
                files->push_back(std::move(*file));
            else
                files.reset();
        };
        if (extras.monitors || extras.handlers) add(monitor_of(source, role, language, diagnostics));
        if (extras.handlers) add(handlers(source, role, language, diagnostics));
        if (extras.scaffolds) add(scaffold(source, role, language, diagnostics));
    }
    if (files && extras.wire) {
        auto bytes = codec(source, *extras.wire, language, diagnostics);
        if (!bytes) return std::nullopt;
        bool cpp = language == Language::cpp;
        std::string extension = cpp ? ".hpp" : ".py";
        files->push_back(
            {"treaty_codec" + extension, std::string(cpp ? cpp_codec_runtime() : python_codec_runtime())});
        files->push_back({"treaty_streams" + extension, std::string(cpp ? cpp_streams() : python_streams())});
        files->push_back(std::move(*bytes));
    }
    return files;
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
