#include "generate/python_code.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "generate/python_steps.h"
#include "generate/python_tables.h"

namespace treaty::generate {
namespace {

constexpr std::size_t line_width = 100;

// The states of one role.
class PythonRole {
public:
    PythonRole(const RoleSource& source, const RoleCode& role, base::Diagnostics& diagnostics)
        : writer_(source, Language::python, diagnostics, "messages."),
          steps_(writer_, "session.data"),
          role_(role),
          names_(received_names(role, writer_.alphabet())) {}

    std::optional<GeneratedFile> run() {
        std::string data = steps_.data_class(role_), states;
        for (const StateCode& state : role_.states) states += state_class(state);
        if (!writer_.ok()) return std::nullopt;
        std::string_view name = writer_.alphabet().name(role_.role);
        bool field = data.find(" = field(") != std::string::npos;
        std::string text = fmt::format(
            "\"\"\"The role {} of the protocol {}, one class per state. Written by treaty generate from {}; "
            "do "
            "not edit.\"\"\"\n"
            "from __future__ import annotations\n\nfrom dataclasses import dataclass{}\n\n"
            "import {}_messages as messages\nimport treaty_runtime as rt\n\nROLE = {}\n",
            name, writer_.protocol().name(), writer_.source_file(), field ? ", field" : "",
            writer_.protocol_name(), writer_.quoted(name));
        text += python_patterns(writer_.patterns()) + data + states + received_ + any_state();
        text += fmt::format(
            "\n\ndef start(link: rt.Link) -> {0}:\n    \"\"\"Where the role begins.\"\"\"\n"
            "    return {0}(rt.Session(link, Data()))\n",
            role_.states[0].name);
        return GeneratedFile{writer_.file_name(role_.role) + ".py", std::move(text)};
    }

private:
    const std::string& target(const Alternative& a) const { return role_.states[a.target].name; }
    std::string message(const Operation& o) { return "messages." + writer_.name(o.message); }
    std::string peer(const Operation& o) const { return writer_.quoted(writer_.alphabet().name(o.peer)); }
    const model::Message& declared(const Operation& o) const {
        return writer_.specification().message(o.message);
    }

    std::string any_state() const {
        std::string text;
        for (const StateCode& state : role_.states)
            text += fmt::format("{}{}\n", text.empty() ? "    " : "    | ", state.name);
        return fmt::format("\n\nAnyState = (\n{})\n", text);
    }

    std::string state_class(const StateCode& state) {
        std::string step = writer_.step(role_, state);
        std::vector<std::string> lines{step, ""};
        for (const Operation& o : state.operations)
            for (const Alternative& a : o.alternatives) {
                std::string line = fmt::format("{}: {}", a.place.reference(), a.place.text);
                if (a.place.line != 0 && std::find(lines.begin(), lines.end(), line) == lines.end())
                    lines.push_back(line);
            }
        if (lines.size() == 2) lines.pop_back();
        bool free = std::any_of(state.endings.begin(), state.endings.end(),
                                [](const auto& conditions) { return conditions.empty(); });
        std::string text = fmt::format("\n\nclass {}(rt.{}[Data]):\n    {}\n\n    STEP = {}\n", state.name,
                                       state.is_done() ? "Finished" : "State",
                                       python_docstring(lines, "    "), writer_.quoted(step));
        if (!state.is_done()) text += fmt::format("    MAY_END = {}\n", free ? "True" : "False");
        for (const Operation& o : state.operations)
            if (o.sends) text += send(state, o);
        if (state.receives()) text += receive(state);
        if (state.may_end() && !state.is_done() && (state.sends() || !state.receives()))
            text += finish(state);
        return text;
    }

    // Several types as one annotation.
    static std::string annotation(const std::vector<std::string>& types) {
        std::string line = fmt::format("{}", fmt::join(types, " | "));
        if (line.size() < line_width) return line;
        return fmt::format("(\n        {}\n    )", fmt::join(types, "\n        | "));
    }

    // Whether a message of this name is sent to, or received from, several peers.
    static bool several_peers(const StateCode& state, const Operation& o) {
        return std::count_if(state.operations.begin(), state.operations.end(), [&](const Operation& other) {
                   return other.sends == o.sends && other.message == o.message;
               }) > 1;
    }

    std::string method(std::string_view verb, const StateCode& state, const Operation& o) {
        std::string name = fmt::format("{}_{}", verb, writer_.name(o.message));
        if (several_peers(state, o))
            name += fmt::format("_{}_{}", o.sends ? "to" : "from", writer_.name(o.peer));
        return name;
    }

    std::string send(const StateCode& state, const Operation& o) {
        std::string parameters;
        auto names = writer_.parameter_names(o.message, {"m", "data", "session", "messages"});
        for (std::size_t i = 0; i < names.size(); ++i)
            parameters +=
                fmt::format(", {}: {}", names[i], writer_.type(declared(o).fields[i].type, declared(o).span));
        std::vector<std::string> results;
        for (std::size_t t : o.targets()) results.push_back(role_.states[t].name);
        std::string text = fmt::format("\n    def {}(self{}) -> {}:\n", method("send", state, o), parameters,
                                       annotation(results));
        text += fmt::format("        session = self._current()\n        m = {}({})\n", message(o),
                            fmt::join(names, ", "));
        text += steps_.print(o, [&](const Alternative& a, std::string_view indent) {
            return fmt::format(
                "{0}with self._take():\n{0}    session.link.send({1}, m)\n{0}return {2}(session)\n", indent,
                peer(o), target(a));
        });
        return text;
    }

    // The class of what is received: of a message with the state after it.
    const std::string& got(const Operation& o, const Alternative& a) {
        const std::string& name = names_.at({o.message, a.target});
        if (defined_.insert(name).second)
            received_ += fmt::format(
                "\n\n@dataclass(frozen=True, slots=True)\nclass {}:\n    message: {}\n    next: {}\n"
                "    sender: str\n",
                name, message(o), target(a));
        return name;
    }

    std::string accept_received(const Operation& o, const Alternative& a, std::string_view indent) {
        return fmt::format("{}return {}(m, {}(session), {})\n", indent, got(o, a), target(a), peer(o));
    }

    std::string receive(const StateCode& state) {
        std::vector<std::string> results;
        std::string awaited, cases, methods;
        std::size_t count = 0;
        for (const Operation& o : state.operations) {
            if (o.sends) continue;
            awaited += fmt::format("{}({}, {})", awaited.empty() ? "" : ", ", peer(o), message(o));
            ++count;
            std::vector<std::string> own;
            for (const Alternative& a : o.alternatives)
                if (std::find(own.begin(), own.end(), got(o, a)) == own.end()) own.push_back(got(o, a));
            for (const std::string& name : own)
                if (std::find(results.begin(), results.end(), name) == results.end()) results.push_back(name);
            cases += fmt::format("                case ({}, {}() as m):\n", peer(o), message(o));
            if (PythonSteps::reads_data(o)) {
                std::string name = method("_got", state, o);
                cases += fmt::format("                    return self.{}(session, m)\n", name);
                methods += fmt::format("\n    def {}(self, session: rt.Session[Data], m: {}) -> {}:\n", name,
                                       message(o), annotation(own));
                methods += steps_.print(o, [&](const Alternative& a, std::string_view indent) {
                    return accept_received(o, a, indent);
                });
            } else {
                if (writer_.is_checked(o.message)) cases += "                    rt.check(m.fault())\n";
                cases += accept_received(o, o.alternatives[0], "                    ");
            }
        }
        if (state.may_end()) results.emplace_back("rt.Ended");
        std::string text = fmt::format("\n    def receive(self) -> {}:\n", annotation(results));
        text += fmt::format(
            "        with self._take() as session:\n"
            "            arrival = session.link.receive(({}{}))\n            match arrival:\n{}",
            awaited, count == 1 ? "," : "", cases);
        return text + ended(state) + "            raise rt.unexpected(self.STEP, arrival)\n" + methods;
    }

    std::string ended(const StateCode& state) {
        if (!state.may_end()) return "";
        std::string condition = steps_.may_end(state, "session.data.");
        return fmt::format(
            "            if arrival is None{}:\n                session.link.close()\n"
            "                return rt.Ended()\n",
            condition.empty() ? "" : fmt::format(" and rt.holds(lambda: {})", condition));
    }

    std::string finish(const StateCode& state) {
        std::string condition = steps_.may_end(state, "session.data."),
                    text = "\n    def finish(self) -> None:\n";
        if (!condition.empty())
            text += fmt::format(
                "        session = self._current()\n        if not rt.holds(lambda: {}):\n"
                "            raise rt.DataError({})\n",
                condition,
                writer_.quoted("the data does not allow the end here. " + writer_.step(role_, state)));
        return text + "        self._take().link.close()\n";
    }

    CodeWriter writer_;
    PythonSteps steps_;
    const RoleCode& role_;
    ReceivedNames names_;
    std::set<std::string> defined_;
    std::string received_;  // the classes that are defined
};

}  // namespace

std::optional<std::vector<GeneratedFile>> generate_python(const RoleSource& source,
                                                          const std::vector<RoleCode>& roles,
                                                          base::Diagnostics& diagnostics) {
    std::vector<GeneratedFile> files{runtime_file(Language::python)};
    auto messages = python_messages(source, diagnostics);
    if (!messages) return std::nullopt;
    files.push_back(std::move(*messages));
    for (const RoleCode& role : roles) {
        auto file = PythonRole(source, role, diagnostics).run();
        if (!file) return std::nullopt;
        files.push_back(std::move(*file));
    }
    return files;
}

}  // namespace treaty::generate
