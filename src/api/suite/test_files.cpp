#include "api/suite/test_files.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "formats/json/json.h"
#include "formats/load.h"
#include "formats/names.h"
#include "testgen/codes.h"
#include "testgen/translate.h"

namespace treaty::api {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json to_json(const Count& count) {
    return std::visit([](const auto& exact) { return Json(exact); }, exact_in_json(count));
}

Json parsed(const std::string& text) {
    return Json::parse(text, nullptr, false);
}

// The case's machines and, in the place of the tested role, one that does nothing, so that every notation for
// systems can carry it.
model::System system_of(const RoleTests& tests, const testgen::TestCase& test) {
    const TestSource& source = *tests.source;
    std::vector<model::Machine> machines;
    std::size_t next = 0;
    for (model::RoleId role : source.projections->protocol->roles()) {
        if (role == tests.cut) {
            model::MachineBuilder idle(source.name(role), source.input->specification.alphabet, role);
            idle.state(true, "0");
            machines.push_back(idle.finish().value());
        } else {
            machines.push_back(test.machines[next++].machine);
        }
    }
    return model::make_system(std::string(source.input->protocol->name()), std::move(machines), {}).value();
}

// A case as JSON: the other roles' machines, or the one machine that mirrors the component.
std::string model_text(const RoleTests& tests, const testgen::TestCase& test) {
    if (tests.kind == TestKind::dual) return formats::write_json(test.machines.front().machine);
    return formats::write_json(system_of(tests, test));
}

// What that is called in the manifest.
const char* model_key(TestKind kind) {
    return kind == TestKind::dual ? "machine" : "system";
}

Json names_of(const model::Machine& machine, const std::vector<bool>& states) {
    Json names = Json::array();
    for (std::size_t s = 0; s < states.size(); ++s)
        if (states[s]) names.push_back(machine.state_name(model::StateId(s)));
    return names;
}

Json describe_case(const RoleTests& tests, std::size_t i) {
    const testgen::TestCase& test = tests.cases[i];
    Json out;
    out["number"] = to_json(test.index);
    out["choices"] = tests.choices[i];
    out["success"] = Json::object();
    for (const testgen::TestMachine& machine : test.machines) {
        std::string role = tests.source->name(machine.machine.role());
        out["success"][role] = names_of(machine.machine, machine.success);
        Json waits = names_of(machine.machine, machine.waits);
        if (!waits.empty()) out["waits"][role] = std::move(waits);
    }
    return out;
}

// locate: adds to the entry of a case where its machines are.
template <class Locate>
std::string write_manifest(const RoleTests& tests, Locate locate) {
    const TestSource& source = *tests.source;
    Json manifest;
    manifest["treaty"] = formats::json_version;
    manifest["tests"] = 1;
    manifest["cut"] = source.alphabet().name(tests.cut);
    manifest["kind"] = to_string(tests.kind);
    manifest["protocol"] = source.input->protocol->name();
    manifest["whole_run"] = tests.whole_run;
    manifest["times"] = source.times;
    manifest["count"] = to_json(tests.size);
    manifest["cases"] = Json::array();
    for (std::size_t i = 0; i < tests.cases.size(); ++i) {
        Json entry = describe_case(tests, i);
        locate(entry, i);
        manifest["cases"].push_back(std::move(entry));
    }
    // What runs are compared with.
    manifest["specification"] = parsed(formats::write_json(source.input->specification));
    return manifest.dump(1) + '\n';
}

std::string file_of(const std::string& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored) ? (fs::path(path) / manifest_name).string() : path;
}

// Tests being read from a manifest, or from the one file that holds all.
class Reader {
public:
    Reader(const Inquiry& inquiry, std::string file, const Json& json)
        : inquiry_(inquiry), file_(std::move(file)), json_(json) {}

    std::optional<RoleTests> read() {
        auto input = protocol_of(inquiry_, read_inside(json_["specification"]), file_, word("protocol"));
        if (!input) return std::nullopt;
        TestOptions options;
        if (json_.contains("times") && json_["times"].is_number_unsigned())
            options.times = json_["times"].get<std::uint64_t>();
        auto source = make_test_source(inquiry_, std::move(*input), options);
        if (!source) return std::nullopt;
        RoleTests tests;
        tests.source = std::make_shared<const TestSource>(std::move(*source));
        tests.kind = word("kind") == to_string(TestKind::dual) ? TestKind::dual : TestKind::roles;
        tests.cut = tests.source->alphabet().find_role(word("cut"));
        if (!tests.cut || !tests.source->projections->position(tests.cut)) {
            complain("the tested role is missing");
            return std::nullopt;
        }
        if (json_.contains("whole_run") && json_["whole_run"].is_boolean())
            tests.whole_run = json_["whole_run"].get<bool>();
        for (const Json& entry : json_["cases"]) {
            auto test = read_case(tests, entry);
            if (!test) return std::nullopt;
            tests.cases.push_back(std::move(*test));
            tests.choices.push_back(read_choices(entry));
        }
        return tests;
    }

private:
    void complain(std::string_view what) const {
        inquiry_.report(testgen::codes::bad_tests, fmt::format("{}: {}", file_, what));
    }

    std::string word(const char* key) const {
        return json_.contains(key) && json_[key].is_string() ? json_[key].get<std::string>() : std::string();
    }

    // A model that is inside the manifest.
    Loaded read_inside(const Json& model) const {
        base::FileId file = inquiry_.sources().add(file_, model.dump());
        return formats::read_json(inquiry_.sources(), file, inquiry_.diagnostics());
    }

    Loaded load_model(const RoleTests& tests, const Json& entry) const {
        if (!entry.is_object()) return {};
        if (const char* key = model_key(tests.kind); entry.contains(key)) return read_inside(entry[key]);
        if (!entry.contains("file") || !entry["file"].is_string()) return {};
        fs::path beside =
            fs::path(file_).parent_path() / fs::path(entry["file"].get<std::string>()).filename();
        return load(inquiry_, beside.string());
    }

    static std::vector<std::string> read_choices(const Json& entry) {
        std::vector<std::string> choices;
        if (entry.contains("choices") && entry["choices"].is_array())
            for (const Json& choice : entry["choices"])
                if (choice.is_string()) choices.push_back(choice.get<std::string>());
        return choices;
    }

    static Count read_number(const Json& entry) {
        Count number = 0;
        if (!entry.is_object() || !entry.contains("number")) return number;
        const Json& given = entry["number"];
        if (given.is_number_unsigned()) number = given.get<std::uint64_t>();
        if (given.is_string() && number.set_str(given.get<std::string>(), 10) != 0) number = 0;
        return number;
    }

    // States of a machine by their names, as the manifest lists them under the key and the machine's role.
    static std::vector<bool> read_states(const Json& entry, const char* key, const std::string& role,
                                         const model::Machine& machine) {
        std::vector<bool> states(machine.state_count(), false);
        if (!entry.contains(key) || !entry[key].is_object() || !entry[key].contains(role)) return states;
        for (const Json& state : entry[key][role])
            for (std::size_t s = 0; s < states.size(); ++s)
                if (state.is_string() && machine.state_name(model::StateId(s)) == state.get<std::string>())
                    states[s] = true;
        return states;
    }

    static std::optional<testgen::TestMachine> read_machine(const RoleTests& tests,
                                                            const model::Machine& machine, model::RoleId role,
                                                            const Json& entry) {
        auto acting = tests.kind == TestKind::dual ? testgen::Acting::others : testgen::Acting::own;
        auto read = testgen::translate(machine, role, tests.source->input->specification.alphabet, acting);
        if (!read) return std::nullopt;
        std::string name = tests.source->name(role);
        std::vector<bool> success = read_states(entry, "success", name, *read);
        std::vector<bool> waits = read_states(entry, "waits", name, *read);
        return testgen::TestMachine{std::move(*read), std::move(success), std::move(waits)};
    }

    std::optional<testgen::TestCase> read_case(const RoleTests& tests, const Json& entry) const {
        testgen::TestCase test;
        test.index = read_number(entry);
        Loaded loaded = load_model(tests, entry);
        bool dual = tests.kind == TestKind::dual;
        if (const auto* machine = loaded.get<model::Machine>(); machine && dual) {
            auto mirror = read_machine(tests, *machine, tests.cut, entry);
            if (mirror) test.machines.push_back(std::move(*mirror));
            if (!mirror) complain("a case does not mirror the role it tests");
            return mirror ? std::optional(std::move(test)) : std::nullopt;
        }
        const auto* system = loaded.get<model::System>();
        if (!system || dual) {
            complain("a case has no machines");
            return std::nullopt;
        }
        for (model::RoleId role : tests.source->projections->protocol->roles()) {
            if (role == tests.cut) continue;
            std::string name = tests.source->name(role);
            std::optional<testgen::TestMachine> machine;
            for (const model::Machine& m : system->machines())
                if (system->alphabet().name(m.role()) == name) machine = read_machine(tests, m, role, entry);
            if (!machine) {
                complain(fmt::format("a case has no machine for {}", name));
                return std::nullopt;
            }
            test.machines.push_back(std::move(*machine));
        }
        return test;
    }

    const Inquiry& inquiry_;
    std::string file_;
    const Json& json_;
};

}  // namespace

std::string tests_as_json(const RoleTests& tests) {
    return write_manifest(tests, [&](Json& entry, std::size_t i) {
        entry[model_key(tests.kind)] = parsed(model_text(tests, tests.cases[i]));
    });
}

std::string manifest_text(const RoleTests& tests, std::string_view format) {
    return write_manifest(tests, [&](Json& entry, std::size_t i) { entry["file"] = case_name(i, format); });
}

std::string case_name(std::size_t i, std::string_view format) {
    return fmt::format("case{:05}.{}", i + 1, format);
}

std::optional<std::string> case_text(const RoleTests& tests, std::size_t i, std::string_view format,
                                     base::Diagnostics& diagnostics) {
    if (tests.kind == TestKind::dual) return model_text(tests, tests.cases[i]);
    // The manifest has what .fsa cannot express: which states are final.
    base::Diagnostics losses;
    auto written =
        formats::write(Loaded{system_of(tests, tests.cases[i])}, format, losses, formats::LossPolicy::allow);
    if (!written.text) diagnostics.append(std::move(losses));
    return std::move(written.text);
}

bool holds_tests(const Workspace& workspace, const std::string& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return true;
    if (formats::extension_of(path) != "json") return false;
    auto text = workspace.read(path);
    if (!text) return false;
    Json json = parsed(*text);
    return json.is_object() && json.contains("tests");
}

std::optional<RoleTests> load_tests(const Inquiry& inquiry, const std::string& path) {
    std::string file = file_of(path);
    auto text = inquiry.workspace.read(file);
    Json json = text ? parsed(*text) : Json();
    if (json.is_object() && json.contains("tests") && json.contains("specification") &&
        json.contains("cases"))
        return Reader(inquiry, file, json).read();
    std::string what =
        !text && file != path
            ? fmt::format("{}: it has no {}: treaty tests did not finish writing it", path, manifest_name)
            : fmt::format("{}: {}", file, text ? "it was not written by treaty tests" : text.error());
    inquiry.report(testgen::codes::bad_tests, what);
    return std::nullopt;
}

}  // namespace treaty::api
