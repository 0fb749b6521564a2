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

Json names_of(const model::Machine& machine, const std::vector<bool>& states) {
    Json names = Json::array();
    for (std::size_t s = 0; s < states.size(); ++s)
        if (states[s]) names.push_back(machine.state_name(model::StateId(s)));
    return names;
}

Json describe_case(const Session& session, const TestSource& source, const testgen::TestCase& test) {
    Json out;
    out["number"] = to_json(test.index);
    out["choices"] = choices_of(session, source, test);
    out["success"] = Json::object();
    for (const testgen::TestMachine& machine : test.machines) {
        std::string role(source.alphabet().name(machine.machine.role()));
        out["success"][role] = names_of(machine.machine, machine.success);
        Json waits = names_of(machine.machine, machine.waits);
        if (!waits.empty()) out["waits"][role] = std::move(waits);
    }
    return out;
}

// A case as JSON: the other roles' machines, or the one machine that mirrors the component.
std::string model_text(const TestSource& source, const SuiteFacts& suite, const testgen::TestCase& test) {
    if (suite.dual) return formats::write_json(test.machines.front().machine);
    return formats::write_json(*system_of(source, suite.cut, test));
}

std::optional<std::string> case_text(Session& session, const TestSource& source, const SuiteFacts& suite,
                                     const testgen::TestCase& test, const std::string& format) {
    if (suite.dual) return model_text(source, suite, test);
    // What .fsa cannot say, the manifest does: which states are final.
    base::Diagnostics losses;
    auto written = formats::write(Loaded{*system_of(source, suite.cut, test)}, format, losses,
                                  formats::LossPolicy::allow);
    if (!written.text) session.diagnostics.append(std::move(losses));
    return std::move(written.text);
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

// States of a machine by their names, as the manifest lists them under the key and the machine's role.
std::vector<bool> read_states(const Json& json, const char* key, const std::string& role,
                              const model::Machine& machine) {
    std::vector<bool> states(machine.state_count(), false);
    if (!json.contains(key) || !json[key].is_object() || !json[key].contains(role)) return states;
    for (const Json& state : json[key][role])
        for (std::size_t s = 0; s < states.size(); ++s)
            if (state.is_string() && machine.state_name(model::StateId(s)) == state.get<std::string>())
                states[s] = true;
    return states;
}

std::optional<testgen::TestMachine> read_machine(const SavedTests& tests, const model::Machine& machine,
                                                 model::RoleId role, const Json& json,
                                                 testgen::Acting acting) {
    auto told = testgen::translate(machine, role, tests.source.input->specification.alphabet, acting);
    if (!told) return std::nullopt;
    std::string name(tests.source.alphabet().name(role));
    std::vector<bool> success = read_states(json, "success", name, *told);
    std::vector<bool> waits = read_states(json, "waits", name, *told);
    return testgen::TestMachine{std::move(*told), std::move(success), std::move(waits)};
}

std::optional<testgen::TestCase> read_case(Session& session, const SavedTests& tests, const std::string& path,
                                           const Json& json) {
    testgen::TestCase test;
    const Json* number = json.is_object() && json.contains("number") ? &json["number"] : nullptr;
    if (number && number->is_number_unsigned()) test.index = number->get<std::uint64_t>();
    if (number && number->is_string() && test.index.set_str(number->get<std::string>(), 10) != 0)
        test.index = 0;
    Loaded loaded;
    const char* inside = tests.dual ? "machine" : "system";
    if (json.is_object() && json.contains(inside)) {
        loaded = read_inside(session, path, json[inside]);
    } else if (json.is_object() && json.contains("file") && json["file"].is_string()) {
        fs::path beside = fs::path(path).parent_path() / fs::path(json["file"].get<std::string>()).filename();
        loaded = load(session, beside.string());
    }
    if (const auto* machine = loaded.get<model::Machine>(); machine && tests.dual) {
        auto read = read_machine(tests, *machine, tests.cut, json, testgen::Acting::others);
        if (read) test.machines.push_back(std::move(*read));
        if (!read) complain(session, path, "a case does not mirror the role it tests");
        return read ? std::optional(std::move(test)) : std::nullopt;
    }
    const auto* system = loaded.get<model::System>();
    if (!system || tests.dual) {
        complain(session, path, "a case has no machines");
        return std::nullopt;
    }
    for (model::RoleId role : tests.source.projections->protocol->roles()) {
        if (role == tests.cut) continue;
        std::string name(tests.source.alphabet().name(role));
        std::optional<testgen::TestMachine> machine;
        for (const model::Machine& m : system->machines())
            if (system->alphabet().name(m.role()) == name)
                machine = read_machine(tests, m, role, json, testgen::Acting::own);
        if (!machine) {
            complain(session, path, fmt::format("a case has no machine for {}", name));
            return std::nullopt;
        }
        test.machines.push_back(std::move(*machine));
    }
    return test;
}

}  // namespace

bool write_tests(Session& session, const TestSource& source, const SuiteFacts& suite,
                 const std::vector<testgen::TestCase>& cases, const std::string& path,
                 const std::string& format) {
    bool one_file = formats::extension_of(path) == "json";
    Json manifest;
    manifest["treaty"] = formats::json_version;
    manifest["tests"] = 1;
    manifest["cut"] = source.alphabet().name(suite.cut);
    manifest["kind"] = suite.dual ? "dual" : "roles";
    manifest["protocol"] = source.input->protocol->name();
    manifest["whole_run"] = suite.whole_run;
    manifest["times"] = source.times;
    manifest["count"] = to_json(suite.size);
    manifest["cases"] = Json::array();
    std::error_code failed;
    if (!one_file) fs::create_directories(path, failed);
    // Until all cases are there a folder has no manifest, not even that of other tests.
    if (!one_file && !failed) fs::remove(fs::path(path) / manifest_name, failed);
    if (failed) {
        session.report(codes::cannot_write, fmt::format("{}: {}", path, failed.message()));
        session.result.world_failed = true;
        return false;
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (stopped(session, {})) return true;
        Json entry = describe_case(session, source, cases[i]);
        if (one_file) {
            entry[suite.dual ? "machine" : "system"] = parsed(model_text(source, suite, cases[i]));
        } else {
            std::string name = fmt::format("case{:05}.{}", i + 1, format);
            auto text = case_text(session, source, suite, cases[i], format);
            if (!text || !session.write((fs::path(path) / name).string(), *text)) return false;
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
        if (!text.text && file != path)
            complain(session, path,
                     fmt::format("it has no {}: treaty tests did not write it to its end", manifest_name));
        else
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
    SavedTests tests{std::move(*source), {}, true, word("kind") == "dual", {}, {}};
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
