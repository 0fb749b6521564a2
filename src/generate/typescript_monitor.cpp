#include "generate/typescript_monitor.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "generate/typescript_steps.h"
#include "generate/typescript_tables.h"

namespace treaty::generate {
namespace {

class TypeScriptMonitor {
public:
    TypeScriptMonitor(const RoleSource& source, const RoleCode& role, base::Diagnostics& diagnostics)
        : writer_(source, Language::typescript, diagnostics, "messages."),
          steps_(writer_, "data."),
          role_(role) {}

    std::optional<GeneratedFile> run() {
        std::string names, rules;
        for (const StateCode& state : role_.states) {
            names += fmt::format("  [\"{}\", {}],\n", state.name, writer_.quoted(writer_.step(role_, state)));
            for (const Operation& o : state.operations) rules += rule(state, o);
        }
        std::string data = steps_.data_class(role_), ends = may_end();
        if (!writer_.ok()) return std::nullopt;
        std::string_view role = writer_.alphabet().name(role_.role);
        std::string imports;
        if (functions_.find("messages.") != std::string::npos)
            imports =
                fmt::format("import * as messages from \"./{}_messages.js\";\n", writer_.protocol_name());
        std::string text = fmt::format(
            "// A monitor for the role {} of the protocol {}. Written by treaty generate from {}; do not "
            "edit.\n{}import * as rt from \"./treaty_runtime.js\";\n\nexport const role = {};\n\n",
            role, writer_.protocol().name(), writer_.source_file(), imports, writer_.quoted(role));
        text += typescript_patterns(writer_.patterns()) + data;
        text += fmt::format(
            "const steps: ReadonlyMap<string, string> = new Map([\n{}]);\n\n{}"
            "const rules: rt.Rules<Data> = new Map<string, string | ((data: Data, m: never) => "
            "string)>([\n{}]);\n\n"
            "const awaited: ReadonlyMap<string, readonly rt.Awaited[]> = new Map<string, readonly "
            "rt.Awaited[]>([\n{}]);\n\n"
            "// Judges what {} sends and receives.\nexport class Monitor extends rt.Monitor<Data> {{\n"
            "  constructor() {{\n    super(\"{}\", new Data(), steps, rules, awaited);\n  }}\n\n{}}}\n",
            names, functions_, rules, awaited(), role, role_.states[0].name, ends);
        return GeneratedFile{writer_.file_name(role_.role) + "_monitor.ts", std::move(text)};
    }

private:
    // An entry of the table, with the lines of the protocol that it is about.
    std::string rule(const StateCode& state, const Operation& o) {
        std::vector<const Alternative*> alternatives;
        for (const Alternative& a : o.alternatives) alternatives.push_back(&a);
        std::string text;
        for (const std::string& line : CodeWriter::lines(alternatives))
            text += fmt::format("  // {}\n", line);
        std::string event = fmt::format("{} {}{} {}", state.name, o.sends ? "!" : "?",
                                        writer_.alphabet().name(o.peer), writer_.alphabet().name(o.message));
        bool plain = !writer_.is_checked(o.message) &&
                     std::all_of(o.alternatives.begin(), o.alternatives.end(), [](const Alternative& a) {
                         return a.conditions.empty() && a.updates.empty();
                     });
        return text + fmt::format("  [{}, {}],\n", writer_.quoted(event),
                                  plain ? writer_.quoted(target(o.alternatives[0])) : function(o));
    }

    const std::string& target(const Alternative& a) const { return role_.states[a.target].name; }

    // The function that checks the data; the same one for operations that do the same.
    std::string function(const Operation& o) {
        std::string body = steps_.print(o, "  ", [&](const Alternative& a, const std::string& indent) {
            return fmt::format("{}return {};\n", indent, writer_.quoted(target(a)));
        });
        std::string wanted =
            fmt::format("{}_{}_{}_{}", o.sends ? "sent" : "received", writer_.name(o.message),
                        o.sends ? "to" : "from", writer_.name(o.peer));
        bool remembers = body.find("data.") != std::string::npos;
        bool reads = writer_.reads_message(o) || writer_.is_checked(o.message);
        for (std::size_t n = 1;; ++n) {
            std::string name = n == 1 ? wanted : fmt::format("{}_{}", wanted, n);
            auto [known, added] = bodies_.try_emplace(name, body);
            if (added)
                functions_ += fmt::format("function {}({}: Data, {}: messages.{}): string {{\n{}}}\n\n", name,
                                          remembers ? "data" : "_data", reads ? "m" : "_m",
                                          writer_.name(o.message), body);
            if (known->second == body) return name;
        }
    }

    std::string awaited() const {
        std::string text;
        for (const StateCode& state : role_.states) {
            if (!state.receives()) continue;
            std::string items;
            for (const Operation& o : state.operations)
                if (!o.sends)
                    items += fmt::format("{}{{ peer: {}, kind: {} }}", items.empty() ? "" : ", ",
                                         writer_.quoted(writer_.alphabet().name(o.peer)),
                                         writer_.quoted(writer_.alphabet().name(o.message)));
            text += fmt::format("  [\"{}\", [{}]],\n", state.name, items);
        }
        return text;
    }

    std::string may_end() {
        std::string free, text;
        for (const StateCode& state : role_.states) {
            if (!state.may_end()) continue;
            std::string condition = steps_.may_end(state);
            if (condition.empty())
                free += fmt::format("{}this.state === \"{}\"", free.empty() ? "" : " || ", state.name);
            else
                text += fmt::format("    if (this.state === \"{}\") return rt.holds(() => {});\n", state.name,
                                    condition);
        }
        if (!text.empty()) text = "    const data = this.data;\n" + text;
        return fmt::format("  mayEnd(): boolean {{\n{}    return {};\n  }}\n", text,
                           free.empty() ? "false" : free);
    }

    CodeWriter writer_;
    TypeScriptSteps steps_;
    const RoleCode& role_;
    std::map<std::string, std::string> bodies_;  // of functions, by name
    std::string functions_;
};

}  // namespace

std::optional<GeneratedFile> typescript_monitor(const RoleSource& source, const RoleCode& role,
                                                base::Diagnostics& diagnostics) {
    return TypeScriptMonitor(source, role, diagnostics).run();
}

}  // namespace treaty::generate
