#include "api/generate.h"

#include <filesystem>

#include <fmt/format.h>

#include "api/input/inputs.h"
#include "api/input/wires.h"
#include "api/models/derive.h"
#include "base/file.h"
#include "generate/codes.h"

namespace treaty::api {
namespace {

using generate::Language;

std::optional<Language> language_of(const Inquiry& inquiry, const std::string& name) {
    for (Language language : {Language::cpp, Language::python, Language::typescript})
        if (name == to_string(language)) return language;
    inquiry.report(generate::codes::unknown_language, fmt::format("no code is generated in {}", name))
        .help("languages are c++, python and typescript");
    return std::nullopt;
}

// Files that are missing or differ from what is generated.
void compare(const Inquiry& inquiry, const GenerateAnswer& answer, const std::string& folder) {
    std::size_t stale = 0, compared = 0;
    for (const generate::GeneratedFile& file : answer.files) {
        if (file.once) continue;  // the user's own
        ++compared;
        std::string path = (std::filesystem::path(folder) / file.name).string();
        auto present = base::read_file(path);
        if (present && *present == file.text) continue;
        inquiry.report(generate::codes::out_of_date,
                       fmt::format("{} is {}", path, present ? "out of date" : "missing"));
        ++stale;
    }
    if (stale == 0) return inquiry.holds(fmt::format("{} generated files are up to date", compared));
    inquiry.fails(fmt::format("{} of {} generated files missing or out of date", stale, compared));
}

}  // namespace

GenerateAnswer generate_code(const Workspace& workspace, const GenerateQuestion& question,
                             const Context& context) {
    GenerateAnswer answer;
    answer.inputs = {question.file};
    answer.language = question.language;
    Inquiry inquiry(workspace, context, answer);
    auto language = language_of(inquiry, question.language);
    if (!language) return answer;
    auto input = load_protocol(inquiry, question.file, question.protocol);
    if (!input) return answer;
    answer.protocol = input->protocol->name();
    std::vector<model::RoleId> roles(input->protocol->roles().begin(), input->protocol->roles().end());
    if (!question.roles.empty()) {
        auto chosen = choose_roles(inquiry, input->specification, *input->protocol, question.roles);
        if (!chosen) return answer;
        roles = std::move(*chosen);
    }
    generate::RoleSource source{input->specification, *input->protocol, workspace.sources()};
    if (context.states) source.max_states = *context.states;
    generate::Extras extras = question.extras;
    if (question.codec && !(extras.wire = choose_wire(inquiry, input->specification, question.wire)))
        return answer;
    std::vector<generate::RoleCode> codes;
    for (model::RoleId role : roles) {
        answer.roles.emplace_back(input->specification.alphabet->name(role));
        auto machine = derive_machine(inquiry, *input, std::span(&role, 1));
        if (!machine) return answer;
        auto code = generate::make_role_code(source, *machine, answer.diagnostics);
        if (!code) return answer;
        codes.push_back(std::move(*code));
    }
    auto files = generate::generate_code(source, codes, *language, extras, answer.diagnostics);
    if (!files) return answer;
    answer.files = std::move(*files);
    if (question.compare_with.empty())
        inquiry.holds();
    else
        compare(inquiry, answer, question.compare_with);
    return answer;
}

}  // namespace treaty::api
