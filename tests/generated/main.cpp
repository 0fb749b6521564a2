// Writes, for files, the generated code of all roles of their last protocols, and programs that follow
// sessions of them; scripts/check_generated.py compiles and runs these.
//
//     generated_sessions LANGUAGE FOLDER FILE...
//     generated_sessions LANGUAGE FOLDER --random SEED COUNT
//
// Protocols of the same name go to different folders: FOLDER/0, FOLDER/1 and so on. What has no code is
// listed with the reason; a role whose code does not allow a session of the protocol is a failure.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "../random_data_protocol.h"
#include "base/file.h"
#include "choreo/project.h"
#include "formats/load.h"
#include "generate.h"
#include "generate/generated_code.h"
#include "judged.h"
#include "print.h"
#include "writers.h"

namespace treaty::generated {
namespace {

class Output {
public:
    Output(generate::Language language, std::filesystem::path folder)
        : language_(language), folder_(std::move(folder)) {}

    void add(const std::string& title, base::SourceMap& sources, formats::Loaded& loaded) {
        auto* specification = std::get_if<model::Specification>(&loaded.model);
        if (!specification || specification->protocols.empty()) return left_out(title, "not a protocol");
        const model::Protocol& protocol = specification->protocols.back();
        base::Diagnostics diagnostics;
        generate::RoleSource source{*specification, protocol, sources};
        std::vector<generate::RoleCode> roles;
        for (model::RoleId role : protocol.roles()) {
            auto machine = choreo::project(*specification, protocol, role);
            if (!machine) return left_out(title, machine.reason);
            auto code = generate::make_role_code(source, *machine.machine, diagnostics);
            if (!code) return left_out(title, reason(diagnostics));
            roles.push_back(std::move(*code));
        }
        generate::Extras all{.monitors = true, .handlers = true, .scaffolds = true};
        auto files = generate::generate_code(source, roles, language_, all, diagnostics);
        if (!files) return left_out(title, reason(diagnostics));
        std::string fault;
        auto scripts = scripts_of(source, roles, ++seed_, fault);
        auto logs = judged_logs(source, roles, scripts, seed_, fault);
        if (!fault.empty()) return failed(title, fault);
        write(*files, {source, roles, scripts, logs});
        std::size_t ended = 0;
        for (const Script& script : scripts) ended += script.ended ? 1 : 0;
        fmt::print("{}: {} of {} sessions completed\n", title, ended, scripts.size());
    }

    void left_out(const std::string& title, const std::string& why) {
        fmt::print("{}: left out: {}\n", title, why);
    }
    void failed(const std::string& title, const std::string& why) {
        fmt::print("{}: FAILED: {}\n", title, why);
        failed_ = true;
    }
    bool ok() const { return !failed_; }

private:
    static std::string reason(const base::Diagnostics& diagnostics) {
        for (const base::Diagnostic& d : diagnostics.all())
            if (d.severity == base::Severity::error)
                return fmt::format("{} {}", base::to_string(*d.code), d.message);
        return "no reason given";
    }

    void write(const std::vector<generate::GeneratedFile>& files, const Scripted& scripted) {
        base::Diagnostics diagnostics;
        generate::CodeWriter writer(scripted.source, language_, diagnostics, "");
        std::filesystem::path folder = folder_ / std::to_string(count_[writer.protocol_name()]++);
        std::filesystem::create_directories(folder);
        for (const generate::GeneratedFile& file : files) put(folder / file.name, file.text);
        Program program = write_program(scripted);
        put(folder / program.name, program.text);
    }

    Program write_program(const Scripted& scripted) const {
        switch (language_) {
            case generate::Language::cpp: return cpp_program(scripted);
            case generate::Language::python: return python_program(scripted);
            case generate::Language::typescript: break;
        }
        return typescript_program(scripted);
    }

    void put(const std::filesystem::path& path, const std::string& text) {
        if (auto written = base::write_file(path.string(), text); !written)
            failed(path.string(), written.error());
    }

    generate::Language language_;
    std::filesystem::path folder_;
    std::map<std::string, std::size_t> count_;  // of protocols, by name
    std::uint64_t seed_ = 0;
    bool failed_ = false;
};

void add_file(Output& output, const std::string& path) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    auto loaded = formats::load(path, sources, diagnostics);
    output.add(std::filesystem::path(path).filename().string(), sources, loaded);
}

// Choices, loops and parallel segments with little data, or data that decides everything.
std::string random_text(std::uint64_t seed) {
    if (seed % 2 == 0) return testing::RandomDataProtocol(seed, 2 + seed / 2 % 2).text();
    return verdicts::print(verdicts::random_file(seed));
}

void add_random(Output& output, std::uint64_t seed) {
    base::SourceMap sources;
    base::Diagnostics diagnostics;
    std::string text = random_text(seed);
    // A name of its own, so that all are in one folder.
    std::size_t name = text.rfind("protocol ") + std::string_view("protocol ").size();
    text.insert(text.find('(', name), std::to_string(seed));
    auto loaded =
        formats::read(sources, sources.add(fmt::format("random_{}.treaty", seed), text), diagnostics);
    if (std::holds_alternative<model::Specification>(loaded.model))
        output.add(fmt::format("random {}", seed), sources, loaded);
    if (!output.ok()) fmt::print("{}\n", text);
}

}  // namespace
}  // namespace treaty::generated

int main(int count, char** words) {
    using namespace treaty;
    std::vector<std::string> arguments(words + 1, words + count);
    if (arguments.size() < 3) return 2;
    auto language = generate::Language::cpp;
    for (auto known : {generate::Language::cpp, generate::Language::python, generate::Language::typescript})
        if (arguments[0] == generate::to_string(known)) language = known;
    generated::Output output(language, arguments[1]);
    if (arguments[2] == "--random" && arguments.size() == 5) {
        std::uint64_t seed = std::strtoull(arguments[3].c_str(), nullptr, 10);
        std::uint64_t end = seed + std::strtoull(arguments[4].c_str(), nullptr, 10);
        for (; seed < end; ++seed) generated::add_random(output, seed);
    } else {
        for (std::size_t i = 2; i < arguments.size(); ++i) generated::add_file(output, arguments[i]);
    }
    return output.ok() ? 0 : 1;
}
