#include "cli/test_files.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/codes.h"
#include "formats/json.h"
#include "formats/load.h"
#include "formats/names.h"
#include "testgen/codes.h"
#include "testgen/translate.h"

namespace treaty::cli {
namespace {

using report::Json;
namespace fs = std::filesystem;

constexpr const char* manifest_name = "manifest.json";

// The case's machines and, in the place of the tested role, one that does nothing, so that every notation for
// systems can carry it.
std::optional<model::System> system_of(const TestSource& source, model::RoleId cut,
                                       const testgen::TestCase& test) {
    std::vector<model::Machine> machines;
    std::size_t next = 0;
    for (model::RoleId role : source.projections->protocol->roles()) {
        if (role == cut) {
            model::MachineBuilder idle(std::string(source.alphabet().name(role)),
                                       source.input->specification.alphabet, role);
            idle.state(true, "0");
            machines.push_back(idle.finish().value());
        } else {
            machines.push_back(test.machines[next++].machine);
        }
    }
    return model::make_system(std::string(source.input->protocol->name()), std::move(machines), {});
}

Json describe_case(const Session& session, const TestSource& source, const testgen::TestCase& test) {
    Json out;
    out["number"] = to_json(test.index);
    out["choices"] = choices_of(session, source, test);
    out["success"] = Json::object();
    for (const testgen::TestMachine& machine : test.machines) {
        Json states = Json::array();
        for (std::size_t s = 0; s < machine.success.size(); ++s)
            if (machine.success[s]) states.push_back(machine.machine.state_name(model::StateId(s)));
        out["success"][std::string(source.alphabet().name(machine.machine.role()))] = std::move(states);
    }
    return out;
}

Json parsed(const std::string& text) {
    return Json::parse(text, nullptr, false);
}

void complain(Session& session, const std::string& path, std::string_view what) {
    session.report(testgen::codes::bad_tests, fmt::format("{}: {}", path, what));
}

std::string file_of(const std::string& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored) ? (fs::path(path) / manifest_name).string() : path;
}

// A model that stands inside the manifest.
Loaded read_inside(Session& session, const std::string& path, const Json& model) {
    base::FileId file = session.sources.add(path, model.dump());
    return formats::read_json(session.sources, file, session.diagnostics);
}

std::optional<testgen::TestCase> read_case(Session& session, const SavedTests& tests, const std::string& path,
                                           const Json& json) {
    testgen::TestCase test;
    const Json* number = json.is_object() && json.contains("number") ? &json["number"] : nullptr;
    if (number && number->is_number_unsigned()) test.index = number->get<std::uint64_t>();
    if (number && number->is_string() && test.index.set_str(number->get<std::string>(), 10) != 0)
        test.index = 0;
    Loaded loaded;
    if (json.is_object() && json.contains("system")) {
        loaded = read_inside(session, path, json["system"]);
    } else if (json.is_object() && json.contains("file") && json["file"].is_string()) {
        fs::path beside = fs::path(path).parent_path() / fs::path(json["file"].get<std::string>()).filename();
        loaded = load(session, beside.string());
    }
    const auto* system = loaded.get<model::System>();
    if (!system) {
        complain(session, path, "a case has no machines");
        return std::nullopt;
    }
    for (model::RoleId role : tests.source.projections->protocol->roles()) {
        if (role == tests.cut) continue;
        std::string name(tests.source.alphabet().name(role));
        std::optional<model::Machine> machine;
        for (const model::Machine& m : system->machines())
            if (system->alphabet().name(m.role()) == name)
                machine = testgen::translate(m, role, tests.source.input->specification.alphabet);
        if (!machine) {
            complain(session, path, fmt::format("a case has no machine for {}", name));
            return std::nullopt;
        }
        std::vector<bool> success(machine->state_count(), false);
        if (json.contains("success") && json["success"].is_object() && json["success"].contains(name))
            for (const Json& state : json["success"][name])
                for (std::size_t s = 0; s < success.size(); ++s)
                    if (state.is_string() &&
                        machine->state_name(model::StateId(s)) == state.get<std::string>())
                        success[s] = true;
        test.machines.push_back({std::move(*machine), std::move(success)});
    }
    return test;
}

}  // namespace

bool write_tests(Session& session, const TestSource& source, const testgen::TestSuite& suite,
                 const std::vector<testgen::TestCase>& cases, const std::string& path,
                 const std::string& format) {
    bool one_file = formats::extension_of(path) == "json";
    Json manifest;
    manifest["treaty"] = formats::json_version;
    manifest["tests"] = 1;
    manifest["cut"] = source.alphabet().name(suite.cut());
    manifest["protocol"] = source.input->protocol->name();
    manifest["whole_run"] = suite.whole_run();
    manifest["times"] = source.times;
    manifest["count"] = suite.counted() ? to_json(suite.size()) : Json();
    manifest["cases"] = Json::array();
    std::error_code failed;
    if (!one_file) fs::create_directories(path, failed);
    if (failed) {
        session.report(codes::cannot_write, fmt::format("{}: {}", path, failed.message()));
        session.result.world_failed = true;
        return false;
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        Json entry = describe_case(session, source, cases[i]);
        auto system = system_of(source, suite.cut(), cases[i]);
        if (one_file) {
            entry["system"] = parsed(formats::write_json(*system));
        } else {
            std::string name = fmt::format("case{:05}.{}", i + 1, format);
            // What .fsa cannot say, the manifest does: which states are final.
            base::Diagnostics losses;
            auto written = formats::write(Loaded{*system}, format, losses, formats::LossPolicy::allow);
            if (!written.text) {
                session.diagnostics.append(std::move(losses));
                return false;
            }
            if (!session.write((fs::path(path) / name).string(), *written.text)) return false;
            entry["file"] = name;
        }
        manifest["cases"].push_back(std::move(entry));
    }
    // What runs are compared with.
    manifest["specification"] = parsed(formats::write_json(source.input->specification));
    if (!session.write(one_file ? path : (fs::path(path) / manifest_name).string(), manifest.dump(1) + '\n'))
        return false;
    session.result.extra["output"] = path;
    return true;
}

bool holds_tests(const std::string& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return true;
    if (formats::extension_of(path) != "json") return false;
    auto text = base::read_file(path);
    if (!text.text) return false;
    Json json = parsed(*text.text);
    return json.is_object() && json.contains("tests");
}

std::optional<SavedTests> load_tests(Session& session, const std::string& path) {
    std::string file = file_of(path);
    auto text = base::read_file(file);
    Json json = text.text ? parsed(*text.text) : Json();
    if (!json.is_object() || !json.contains("tests") || !json.contains("specification") ||
        !json.contains("cases")) {
        complain(session, file, text.text ? "it is not what treaty tests writes" : text.fault);
        return std::nullopt;
    }
    auto word = [&](const char* key) {
        return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
    };
    auto input =
        protocol_of(session, read_inside(session, file, json["specification"]), file, word("protocol"));
    if (!input) return std::nullopt;
    TestOptions options;
    if (json.contains("times") && json["times"].is_number_unsigned())
        options.times = json["times"].get<std::uint64_t>();
    auto source = make_test_source(session, std::move(*input), options);
    if (!source) return std::nullopt;
    SavedTests tests{std::move(*source), {}, true, {}, {}};
    tests.cut = tests.source.alphabet().find_role(word("cut"));
    if (!tests.cut || !tests.source.projections->position(tests.cut)) {
        complain(session, file, "it does not say which role it tests");
        return std::nullopt;
    }
    if (json.contains("whole_run") && json["whole_run"].is_boolean())
        tests.whole_run = json["whole_run"].get<bool>();
    for (const Json& entry : json["cases"]) {
        auto test = read_case(session, tests, file, entry);
        if (!test) return std::nullopt;
        tests.cases.push_back(std::move(*test));
        tests.choices.emplace_back();
        if (entry.contains("choices") && entry["choices"].is_array())
            for (const Json& choice : entry["choices"])
                if (choice.is_string()) tests.choices.back().push_back(choice.get<std::string>());
    }
    return tests;
}

}  // namespace treaty::cli
