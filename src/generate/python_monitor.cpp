#include "generate/python_monitor.h"

#include <map>

#include <fmt/format.h>

#include "generate/python_steps.h"
#include "generate/python_tables.h"

namespace treaty::generate {
namespace {

class PythonMonitor {
public:
    PythonMonitor(const RoleSource& source, const RoleCode& role, base::Diagnostics& diagnostics)
        : writer_(source, Language::python, diagnostics, "messages."),
          steps_(writer_, "self._data"),
          role_(role) {}

    std::optional<GeneratedFile> run() {
        std::string names, rules;
        for (const StateCode& state : role_.states) {
            names +=
                fmt::format("        \"{}\": {},\n", state.name, writer_.quoted(writer_.step(role_, state)));
            for (const Operation& o : state.operations) rules += rule(state, o);
        }
        std::string ends = may_end();
        std::string data;
        if ((methods_ + ends).find("self._data") != std::string::npos) data = steps_.data_class(role_);
        if (!writer_.ok()) return std::nullopt;
        std::string_view role = writer_.alphabet().name(role_.role);
        bool field = data.find(" = field(") != std::string::npos;
        std::string text = fmt::format(
            "\"\"\"A monitor for the role {} of the protocol {}. Written by treaty generate from {}; do not "
            "edit.\"\"\"\nfrom __future__ import annotations\n\n{}from typing import ClassVar\n\n"
            "import {}_messages as messages\nimport treaty_runtime as rt\n\nROLE = {}\n",
            role, writer_.protocol().name(), writer_.source_file(),
            data.empty() ? "" : fmt::format("from dataclasses import dataclass{}\n", field ? ", field" : ""),
            writer_.protocol_name(), writer_.quoted(role));
        text += python_patterns(writer_.patterns()) + data;
        text += fmt::format(
            "\n\nclass Monitor(rt.Monitor):\n    \"\"\"Judges what {} sends and receives.\"\"\"\n\n"
            "    STEPS = {{\n{}    }}\n\n    def __init__(self) -> None:\n        "
            "super().__init__(\"{}\")\n{}{}{}",
            role, names, role_.states[0].name, data.empty() ? "" : "        self._data = Data()\n", methods_,
            ends);
        text += fmt::format(
            "\n    RULES: ClassVar[rt.Rules] = {{\n{}    }}\n\n    AWAITED: ClassVar[dict[str, rt.Awaited]] "
            "= {{\n{}    }}\n",
            rules, awaited());
        return GeneratedFile{writer_.file_name(role_.role) + "_monitor.py", std::move(text)};
    }

private:
    // An entry of the table, with the lines of the protocol that it is about.
    std::string rule(const StateCode& state, const Operation& o) {
        std::vector<const Alternative*> alternatives;
        for (const Alternative& a : o.alternatives) alternatives.push_back(&a);
        std::string text;
        for (const std::string& line : CodeWriter::lines(alternatives))
            text += fmt::format("        # {}\n", line);
        bool plain = !PythonSteps::reads_data(o) && !writer_.is_checked(o.message);
        return text + fmt::format("        (\"{}\", {}, {}, messages.{}): {},\n", state.name,
                                  o.sends ? "True" : "False", writer_.quoted(writer_.alphabet().name(o.peer)),
                                  writer_.name(o.message),
                                  plain ? writer_.quoted(target(o.alternatives[0])) : method(o));
    }

    const std::string& target(const Alternative& a) const { return role_.states[a.target].name; }

    // The method that checks the data; the same one for operations that do the same.
    std::string method(const Operation& o) {
        std::string body = steps_.print(o, [&](const Alternative& a, std::string_view indent) {
            return fmt::format("{}return {}\n", indent, writer_.quoted(target(a)));
        });
        std::string wanted =
            fmt::format("_{}_{}_{}_{}", o.sends ? "sent" : "received", writer_.name(o.message),
                        o.sends ? "to" : "from", writer_.name(o.peer));
        for (std::size_t n = 1;; ++n) {
            std::string name = n == 1 ? wanted : fmt::format("{}_{}", wanted, n);
            auto [known, added] = bodies_.try_emplace(name, body);
            if (added)
                methods_ += fmt::format("\n    def {}(self, m: messages.{}) -> str:\n{}", name,
                                        writer_.name(o.message), body);
            if (known->second == body) return name;
        }
    }

    std::string awaited() {
        std::string text;
        for (const StateCode& state : role_.states) {
            if (!state.receives()) continue;
            std::string items;
            for (const Operation& o : state.operations)
                if (!o.sends)
                    items +=
                        fmt::format("{}({}, messages.{})", items.empty() ? "" : ", ",
                                    writer_.quoted(writer_.alphabet().name(o.peer)), writer_.name(o.message));
            text += fmt::format("        \"{}\": [{}],\n", state.name, items);
        }
        return text;
    }

    std::string may_end() {
        std::string free, text;
        for (const StateCode& state : role_.states) {
            if (!state.may_end()) continue;
            std::string condition = steps_.may_end(state, "self._data.");
            if (condition.empty())
                free += fmt::format("{}\"{}\"", free.empty() ? "" : ", ", state.name);
            else
                text += fmt::format(
                    "        if self._state == \"{}\":\n            return rt.holds(lambda: {})\n",
                    state.name, condition);
        }
        return fmt::format("\n    def may_end(self) -> bool:\n{}        return {}\n", text,
                           free.empty() ? "False" : fmt::format("self._state in {{{}}}", free));
    }

    CodeWriter writer_;
    PythonSteps steps_;
    const RoleCode& role_;
    std::map<std::string, std::string> bodies_;  // of methods, by name
    std::string methods_;
};

}  // namespace

std::optional<GeneratedFile> python_monitor(const RoleSource& source, const RoleCode& role,
                                            base::Diagnostics& diagnostics) {
    return PythonMonitor(source, role, diagnostics).run();
}

}  // namespace treaty::generate
